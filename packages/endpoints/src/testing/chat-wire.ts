import type { ProviderRequest } from "./provider-request.ts";
import type { ScriptedAnswer, ScriptedToolCall, ScriptedUsage } from "./scripted-answer.ts";

type JsonObject = Readonly<Record<string, unknown>>;

const pieceLength = 12;
/** The protocol wants a time; scripted answers are alike whenever they are given. */
const created = 1_700_000_000;

/** What all objects of one reply have. */
interface ReplyFrame {
  readonly id: string;
  readonly model: unknown;
  readonly created: number;
}

/** A whole chat completion. */
export function completionBody(answer: ScriptedAnswer, request: ProviderRequest, number: number): JsonObject {
  const { toolCalls = [] } = answer;
  const message = {
    role: "assistant",
    content: contentOf(answer),
    ...reasoningFields(answer),
    ...(toolCalls.length > 0 && {
      tool_calls: toolCalls.map((call, index) => wireCall(call, number, index)),
    }),
  };
  return {
    ...frame(answer, request, number),
    object: "chat.completion",
    choices: [{ index: 0, message, logprobs: null, ...finishField(answer) }],
    ...usageField(answer, request),
  };
}

/** The data of a stream's events, one for each piece; the end mark is not among them. */
export function completionEvents(
  answer: ScriptedAnswer,
  request: ProviderRequest,
  number: number,
): readonly JsonObject[] {
  const base = { ...frame(answer, request, number), object: "chat.completion.chunk" };
  const text = contentOf(answer);
  const texts = answer.pieces ?? (text === null ? [null] : pieces(text));
  const deltas: readonly JsonObject[] = [
    ...pieces(answer.reasoning ?? "").map((reasoning) => reasoningFields({ ...answer, reasoning })),
    ...texts.map((content) => ({ content })),
    ...(answer.toolCalls ?? []).flatMap((call, index) => callDeltas(call, number, index)),
  ];
  const events: JsonObject[] = deltas.map((given, index) => {
    const delta = index === 0 ? { role: "assistant", ...given } : given;
    return { ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] };
  });
  if (answer.error !== undefined) return [...events, { ...base, choices: [], error: answer.error }];
  events.push({ ...base, choices: [{ index: 0, delta: {}, logprobs: null, ...finishField(answer) }] });
  const { stream_options: options } = request.body;
  const wantsUsage =
    typeof options === "object" &&
    options !== null &&
    "include_usage" in options &&
    options.include_usage === true;
  const usage = usageField(answer, request);
  return wantsUsage && "usage" in usage ? [...events, { ...base, choices: [], ...usage }] : events;
}

/** A text in pieces of a few characters, none of which is split. */
function pieces(text: string): readonly string[] {
  const characters = Array.from(text);
  const count = Math.ceil(characters.length / pieceLength);
  return Array.from({ length: count }, (_, index) =>
    characters.slice(index * pieceLength, (index + 1) * pieceLength).join(""),
  );
}

function frame({ id }: ScriptedAnswer, { body }: ProviderRequest, number: number): ReplyFrame {
  return { id: id ?? `chatcmpl-${number}`, model: body["model"], created };
}

function contentOf({ text, pieces: given, toolCalls = [] }: ScriptedAnswer): string | null {
  return text === undefined ? (given?.join("") ?? (toolCalls.length > 0 ? null : "")) : text;
}

function reasoningFields({ reasoning, reasoningField = "reasoning" }: ScriptedAnswer): JsonObject {
  if (reasoning === undefined) return {};
  return reasoningField === "reasoning_details"
    ? { reasoning_details: [{ type: "reasoning.text", text: reasoning, index: 0 }] }
    : { [reasoningField]: reasoning };
}

function finishField({ finishReason, toolCalls = [] }: ScriptedAnswer): JsonObject {
  if (finishReason === null) return {};
  return { finish_reason: finishReason ?? (toolCalls.length > 0 ? "tool_calls" : "stop") };
}

function usageField(answer: ScriptedAnswer, request: ProviderRequest): JsonObject {
  if (answer.usage === null) return {};
  const { prompt, completion, cached, reasoning } = answer.usage ?? estimatedUsage(answer, request);
  return {
    usage: {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
      ...(cached !== undefined && { prompt_tokens_details: { cached_tokens: cached } }),
      ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
    },
  };
}

function estimatedUsage(answer: ScriptedAnswer, { body }: ProviderRequest): ScriptedUsage {
  const said = (contentOf(answer) ?? "") + JSON.stringify(answer.toolCalls ?? "");
  return {
    prompt: Math.ceil(JSON.stringify(body["messages"]).length / 4),
    completion: Math.ceil(said.length / 4),
  };
}

function wireCall(
  { id, name, arguments: given }: ScriptedToolCall,
  number: number,
  index: number,
): JsonObject {
  return {
    ...(id !== null && { id: id ?? `call_${number}_${index + 1}` }),
    type: "function",
    function: { name, arguments: given },
  };
}

/** A call in a stream: its name first, then its arguments in two parts. */
function callDeltas(call: ScriptedToolCall, number: number, index: number): readonly JsonObject[] {
  const part = (tool: JsonObject): JsonObject => ({ tool_calls: [{ index, ...tool }] });
  const whole = wireCall(call, number, index);
  const { arguments: given, name } = call;
  if (typeof given !== "string") return [part(whole)];
  const middle = Math.ceil(given.length / 2);
  return [
    part({ ...whole, function: { name, arguments: "" } }),
    part({ function: { arguments: given.slice(0, middle) } }),
    part({ function: { arguments: given.slice(middle) } }),
  ];
}
