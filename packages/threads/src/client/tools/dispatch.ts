import type { Clock } from "@roboz/core/portable";
import { ThreadsError } from "../../errors/thread-error.ts";
import { RobotoThreadStateError } from "../../errors/client-errors.ts";
import type { ClientToolResult } from "../../wire/client-tools.ts";
import type { AgentThreadRecord, PendingClientTool } from "../../wire/thread.ts";
import { orAborted } from "../http/wait.ts";
import type { ToolRegistry } from "./tool-registry.ts";

/** A call that waits for this client. */
export type WaitingCall = Pick<PendingClientTool, "tool_use_id" | "tool_name" | "input">;

/**
 * The calls to answer: those that the server names; else, in the order of their blocks, those of the last assistant message
 * that have no result and whose names were declared here. Others are taken for the server's own.
 *
 * @throws {@link RobotoThreadStateError} when there is nothing to answer.
 */
export function waitingCalls(record: AgentThreadRecord, registry: ToolRegistry): readonly WaitingCall[] {
  const pending = record.pending_client_tools;
  if (pending !== null && pending.length > 0) return eachOnce(pending);
  const unanswered = pending === null ? unansweredCalls(record) : [];
  const own = eachOnce(unanswered.filter(({ tool_name }) => registry.isDeclared(tool_name)));
  if (own.length > 0) return own;
  const { thread_id: threadId, status } = record;
  const names = unanswered.map(({ tool_name }) => `\`${tool_name}\``).join(", ");
  const which = names === "" ? "no call of one is known" : `${names} is not declared here; register it`;
  const message = `Thread \`${threadId}\` waits for client tools, and ${which}`;
  throw new RobotoThreadStateError({ message, threadId, status });
}

/** The calls without those whose id came before: a call has one result. */
function eachOnce(calls: readonly WaitingCall[]): readonly WaitingCall[] {
  const seen = new Set<string>();
  return calls.filter(({ tool_use_id }) => !seen.has(tool_use_id) && seen.add(tool_use_id));
}

function unansweredCalls({ messages }: AgentThreadRecord): readonly WaitingCall[] {
  const last = messages.at(-1);
  const answers = last?.role === "roboto" ? last : undefined;
  const asking = answers === undefined ? last : messages.at(-2);
  if (asking?.role !== "assistant") return [];
  const answered = new Set(
    answers?.content.flatMap((block) => (block.content_type === "tool_result" ? [block.tool_use_id] : [])),
  );
  return asking.content.flatMap((block) =>
    block.content_type === "tool_use" && !answered.has(block.tool_use_id) ? [block] : [],
  );
}

/** What answering calls takes. */
export interface DispatchSettings {
  readonly threadId: string;
  readonly registry: ToolRegistry;
  readonly clock: Clock;
  /** Masks credentials in what failures say. */
  readonly masked: (text: string) => string;
  /** Aborted when the caller gives up: nothing is waited for any more. */
  readonly signal: AbortSignal | undefined;
  /** Aborted with it, and when the time is used up: tools are told, and waited for. */
  readonly toolSignal: AbortSignal;
  readonly isParallel: boolean;
}

/** Runs the tools of calls; the results are in the order of the calls, one for each. */
export async function answerCalls(
  calls: readonly WaitingCall[],
  settings: DispatchSettings,
): Promise<ClientToolResult[]> {
  if (settings.isParallel) return Promise.all(calls.map((call) => answerCall(call, settings)));
  const results: ClientToolResult[] = [];
  for (const call of calls) results.push(await answerCall(call, settings));
  return results;
}

async function answerCall(call: WaitingCall, settings: DispatchSettings): Promise<ClientToolResult> {
  const { threadId, registry, clock, signal, toolSignal } = settings;
  const { tool_use_id, tool_name } = call;
  const tool = registry.find(tool_name);
  if (tool === undefined) {
    const error = `No function is registered for the client tool \`${tool_name}\`; the client that uses this thread can add one with registerClientTool()`;
    return { tool_use_id, tool_name, runtime_ms: 0, status: "error", output: { error } };
  }
  const started = clock.now();
  const context = { threadId, toolUseId: tool_use_id, toolName: tool_name, signal: toolSignal };
  let outcome: Pick<ClientToolResult, "status" | "output">;
  try {
    const answer = await orAborted(tool.answer(argumentsOf(call), context), signal);
    if (answer.kind === "done") outcome = { status: "success", output: outputOf(answer.value) };
    else if (answer.kind === "declined") outcome = { status: "declined", output: {} };
    else outcome = { status: "error", output: { error: `The arguments are refused: ${answer.problem}` } };
  } catch (error) {
    if (signal?.aborted === true) throw error;
    outcome = failure(error, settings.masked);
  }
  return { tool_use_id, tool_name, runtime_ms: Math.max(0, Math.round(clock.now() - started)), ...outcome };
}

/** The arguments of a call as a copy, without what servers add for themselves. */
function argumentsOf({ input }: WaitingCall): Record<string, unknown> {
  const given = Object.entries(input ?? {}).filter(([name]) => !name.startsWith("_compression_"));
  return structuredClone(Object.fromEntries(given));
}

/** What a tool returned, as an object of plain data. */
function outputOf(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  const text: string | undefined = JSON.stringify(value, (key, part: unknown) => {
    if (typeof part === "function" || typeof part === "symbol") {
      throw new TypeError(
        `${key === "" ? "The result" : `\`${key}\` of the result`} is a ${typeof part}, which JSON has not`,
      );
    }
    return part;
  });
  const plain: unknown = JSON.parse(text);
  return isRecord(plain) ? plain : { result: plain };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function failure(
  error: unknown,
  masked: (text: string) => string,
): Pick<ClientToolResult, "status" | "output"> {
  if (isDeclined(error)) {
    const { reason } = error;
    return { status: "declined", output: reason === undefined ? {} : { reason } };
  }
  return { status: "error", output: { error: masked(textOf(error)) } };
}

function isDeclined(error: unknown): error is { readonly reason: string | undefined } {
  return ThreadsError.is(error) && error.code === "threads/client-tool-declined" && "reason" in error;
}

/** A failure in words, also when it does its best to have none. */
function textOf(error: unknown): string {
  try {
    if (error instanceof Error) return `${error.name}: ${error.message}`;
    return `Error: ${String(error)}`;
  } catch {
    return "Error: the tool failed, and its error cannot be read";
  }
}
