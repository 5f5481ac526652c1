import { AgentThread, ThreadsClient, type AgentEvent, type AgentMessage } from "@roboz/threads/client";
import { createThreadServer, createToken } from "@roboz/threads/server";
import { sqliteThreadStore } from "@roboz/threads/sqlite";

import { clientTools } from "./client-tools.ts";
import { deskDefinition } from "./desk-agent.ts";
import { deskFolder, type DeskFolder } from "./desk-folder.ts";

const usage = `npm start -- threads

Serves durable threads from a database file, talks to the desk on a scripted model, with two tools that run on the client's side, forks the
thread and shows both. No key is needed; \`grep\` has to be installed.`;

const write = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Prints what happens in a thread. */
function show(event: AgentEvent): void {
  switch (event.type) {
    case "text_delta":
      process.stdout.write(event.text);
      return;
    case "text_end":
      process.stdout.write("\n");
      return;
    case "tool_use":
      write(`  → ${event.name}`);
      return;
    case "tool_result":
      if (!event.success) write(`  ✗ ${event.name}: ${JSON.stringify(event.output)}`);
      return;
    case "error":
      write(`  ✗ ${event.error_message}`);
      return;
    case "text_start":
  }
}

/** A message on one line: its number, who wrote it, what it says or which tools it calls or answers. */
function outlineOf(index: number, { role, content }: AgentMessage): string {
  const said = content.map((block) => {
    switch (block.content_type) {
      case "text":
        return block.text.replaceAll("\n", " / ");
      case "tool_use":
        return `→ ${block.tool_name}`;
      case "tool_result":
        return `← ${block.tool_name}: ${block.status}`;
      default:
        return block.content_type;
    }
  });
  return `${String(index).padStart(4)}  ${role.padEnd(9)}  ${said.join(", ")}`;
}

/** Says something in a thread, and follows it until it is the user's turn again. */
async function say(thread: AgentThread, text: string): Promise<void> {
  write(`> ${text}`);
  await thread.sendText(text);
  await thread.run({ onEvent: show });
}

async function talk(client: ThreadsClient): Promise<void> {
  const question = "What is left to do? Ask me before you tick it off, and print a label.";
  write(`> ${question}`);
  const thread = await AgentThread.start(question, { client, clientTools: clientTools(write) });
  await thread.run({ onEvent: show });
  const last = thread.messages.length - 1;
  write(`\nforked at message ${last}`);
  const fork = await thread.fork(last);
  await say(thread, "Thank you.");
  await say(fork, "Say it as a poem.");
  for (const [name, one] of Object.entries({ thread, fork })) {
    // As somebody else finds it.
    const { messages, record } = await AgentThread.fromId(one.threadId, { client });
    const origin = record.forked_from_message_sequence_num;
    const begin = origin === null ? "" : `, the same up to message ${origin}`;
    write(`\nthe ${name} has ${messages.length} messages${begin}:`);
    for (const [index, message] of messages.entries()) write(outlineOf(index, message));
  }
}

async function serve(folder: DeskFolder): Promise<void> {
  const store = await sqliteThreadStore(folder.database);
  const server = await createThreadServer({ store, agents: { standard: deskDefinition(folder.path) } });
  try {
    const { url } = await server.listen();
    const { token } = await store.write((transaction) =>
      createToken(transaction, { userId: "us_ada", orgs: ["og_office"] }),
    );
    await talk(new ThreadsClient({ baseUrl: url, token }));
  } finally {
    await server.stop();
    await store.close();
  }
}

async function main(args: readonly string[]): Promise<void> {
  const [given] = args;
  if (given === "--help") {
    write(usage);
    return;
  }
  if (given !== undefined) {
    console.error(`Unknown option ${given}; --help says what the app does.`);
    process.exitCode = 2;
    return;
  }
  const folder = await deskFolder();
  try {
    await serve(folder);
  } catch (error) {
    console.error((error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, " "));
    process.exitCode = 1;
  } finally {
    await folder.remove();
  }
}

// Whoever reads no further, such as `head`, wants no more.
process.stdout.once("error", () => process.exit());
await main(process.argv.slice(2));
