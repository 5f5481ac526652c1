import { cliUserIo, printable, UserInputUnavailableError, type UserIo } from "@roboz/core";
import type { AgentEvent, AgentThread } from "@roboz/threads/client";

import type { CommandContext } from "../command.ts";
import { InterruptedError, UsageError } from "../errors.ts";
import type { TerminalOutput } from "../terminal.ts";
import { loadThreadsClient } from "./load-threads.ts";

/** The variable that holds the bearer token: arguments are seen by everybody on the machine. */
const tokenVariable = "ROBOZ_THREADS_TOKEN";

/** Whom is talked to. */
export interface ChatSettings {
  readonly url: string;
  readonly threadId: string | undefined;
  readonly orgId: string | undefined;
  readonly profile: string | undefined;
  /** Said in place of what the person types; then the chat ends. */
  readonly message: string | undefined;
}

/**
 * Talks to an agent until the input ends. Ctrl-C cancels the turn under way; with none it ends the command. The thread stays on the
 * server either way.
 */
export async function chatInTerminal(settings: ChatSettings, context: CommandContext): Promise<void> {
  const { [tokenVariable]: token = "" } = process.env;
  if (token === "") throw new UsageError(`set \`${tokenVariable}\` to a token of \`threads token create\``);
  const { AgentThread: Thread, ThreadsClient: Client } = await loadThreadsClient();
  const { url, orgId, threadId, profile, message } = settings;
  const client = new Client({ baseUrl: url, token, orgId });
  const { output } = context.terminal;
  let thread = threadId === undefined ? undefined : await Thread.fromId(threadId, { client });
  if (thread !== undefined && message === undefined) output.write(`${printable(saidIn(thread))}\n`);
  const io = cliUserIo({ input: context.terminal.input, output });
  try {
    for (;;) {
      const text = message ?? (await nextLine(io, context));
      if (text === undefined) break;
      if (text.trim() !== "") {
        if (thread === undefined) thread = await Thread.start(text, { client, modelProfile: profile });
        else await thread.sendText(text);
        await follow(thread, context);
      }
      if (message !== undefined) break;
    }
  } finally {
    if (thread !== undefined) output.write(`thread: ${printable(thread.threadId)}\n`);
  }
}

/** What the person types; undefined when the input has ended. */
async function nextLine(io: UserIo, { interrupts }: CommandContext): Promise<string | undefined> {
  try {
    return (await io.ask("Your turn.", { signal: interrupts.signal }))?.value;
  } catch (error) {
    if (error instanceof UserInputUnavailableError) return undefined;
    throw error;
  }
}

/** Prints a turn as it comes. */
async function follow(thread: AgentThread, { terminal, interrupts }: CommandContext): Promise<void> {
  let cancelling: Promise<unknown> | undefined;
  const release = interrupts.handle(() => {
    // Pressed again, the server is not waited for.
    if (cancelling !== undefined) interrupts.end(new InterruptedError());
    // Why it failed is seen by the turn that goes on.
    cancelling ??= thread.cancel().catch(() => undefined);
  });
  try {
    await thread.run({
      signal: interrupts.signal,
      onEvent: (event) => {
        show(event, terminal.output);
      },
    });
  } finally {
    release();
    await cancelling;
  }
}

function show(event: AgentEvent, output: TerminalOutput): void {
  switch (event.type) {
    case "text_start":
      return;
    case "text_delta":
      output.write(printable(event.text));
      return;
    case "text_end":
      output.write("\n");
      return;
    case "tool_use":
      output.write(`→ ${printable(event.name)}\n`);
      return;
    case "tool_result":
      if (!event.success) output.write(`✗ ${printable(`${event.name}: ${JSON.stringify(event.output)}`)}\n`);
      return;
    case "error":
      output.write(`✗ ${printable(event.error_message)}\n`);
  }
}

/** What was said in a thread so far, without its tools. */
function saidIn({ messages }: AgentThread): string {
  const lines = messages.flatMap(({ role, content }) =>
    content.flatMap((block) =>
      block.content_type === "text" ? [role === "user" ? `> ${block.text}` : block.text] : [],
    ),
  );
  return lines.join("\n");
}
