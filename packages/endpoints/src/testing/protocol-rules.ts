import type { ProviderRequest } from "./provider-request.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/**
 * What a strict service would say against a chat completion request; undefined when nothing. Among the rules: each
 * tool call is answered by exactly one tool message, before any other message.
 */
export function chatProblem({ body }: ProviderRequest): string | undefined {
  const { model, messages, temperature, stream, stream_options: streamOptions, tools } = body;
  if (typeof model !== "string" || model === "") return "'model' must be a text";
  if (!Array.isArray(messages) || messages.length === 0) return "'messages' must be a list of at least one";
  if (temperature !== undefined && !isBetween(temperature, 0, 2)) return "'temperature' must be from 0 to 2";
  if (streamOptions !== undefined && stream !== true) return "'stream_options' is only for streams";
  if (tools !== undefined && (!Array.isArray(tools) || tools.length === 0 || !tools.every(isTool))) {
    return "'tools' must be a list of functions with a name and parameters";
  }
  return conversationProblem(messages.map(asObject));
}

function conversationProblem(messages: readonly JsonObject[]): string | undefined {
  const open = new Set<unknown>();
  for (const [index, message] of messages.entries()) {
    const place = `messages[${index}]`;
    if (message["role"] === "tool") {
      if (!open.delete(message["tool_call_id"])) return `${place} answers no tool call before it`;
      if (typeof message["content"] !== "string") return `${place} must have a text`;
      continue;
    }
    if (open.size > 0) return `${place} stands before all tool calls are answered: ${[...open].join(", ")}`;
    const problem = messageProblem(message);
    if (problem !== undefined) return `${place} ${problem}`;
    for (const call of callsOf(message)) {
      const { id } = call;
      if (typeof id !== "string" || id === "" || open.has(id))
        return `${place} has a tool call without an id`;
      const called = asObject(call["function"]);
      if (typeof called["name"] !== "string" || typeof called["arguments"] !== "string") {
        return `${place} has a tool call without a name or with arguments that are no text`;
      }
      open.add(id);
    }
  }
  return open.size > 0 ? `tool calls are not answered: ${[...open].join(", ")}` : undefined;
}

function messageProblem(message: JsonObject): string | undefined {
  const { role, content } = message;
  switch (role) {
    case "assistant":
      return typeof content === "string" || (content === null && callsOf(message).length > 0)
        ? undefined
        : "must have a text or tool calls";
    case "system":
    case "user":
      if (message["tool_calls"] !== undefined) return "may not call tools";
      if (typeof content === "string") return undefined;
      return role === "user" && Array.isArray(content) && content.length > 0 && content.every(isPart)
        ? undefined
        : "must have a text, or from a user also parts";
    default:
      return "has an unknown role";
  }
}

function callsOf(message: JsonObject): readonly JsonObject[] {
  const calls = message["tool_calls"];
  return Array.isArray(calls) ? calls.map(asObject) : [];
}

function isPart(part: unknown): boolean {
  const { type, text, image_url: image } = asObject(part);
  if (type === "text") return typeof text === "string" && text !== "";
  return type === "image_url" && typeof asObject(image)["url"] === "string";
}

function isTool(tool: unknown): boolean {
  const { type, function: described } = asObject(tool);
  const { name, parameters } = asObject(described);
  return type === "function" && typeof name === "string" && typeof parameters === "object";
}

function isBetween(number: unknown, least: number, most: number): boolean {
  return typeof number === "number" && number >= least && number <= most;
}

function asObject(subject: unknown): JsonObject {
  return typeof subject === "object" && subject !== null ? Object.fromEntries(Object.entries(subject)) : {};
}
