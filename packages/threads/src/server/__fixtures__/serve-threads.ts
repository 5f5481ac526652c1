import { once } from "node:events";

import { contentObject, Empty, MockLLMEndpoint, stop, Str, tool, type MockRequest } from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel } from "@roboz/deployment";

import { sqliteThreadStore } from "../../sqlite/sqlite-store.ts";
import { createThreadServer } from "../thread-server.ts";

/** Works, asks the client, and answers: what comes next follows from what was said last. */
function reply({ messages }: MockRequest): object {
  const last = messages.at(-1);
  const rationale = "Because.";
  const caller = contentObject(last?.content ?? "")?.["caller"];
  if (caller === "work" || caller === "note") return { action: "remember", rationale, key: "k" };
  if (caller === "remember") return { action: "stop", rationale, value: `Answer ${"text ".repeat(200)}` };
  return { action: "work", rationale };
}

const work = tool({
  name: "work",
  description: "Work.",
  input: Empty,
  output: Str,
  run: () => Str({ value: "done" }),
});
const note = tool({
  name: "note",
  description: "",
  input: Str,
  output: Empty,
  chainedTo: work,
  run: () => Empty(),
});

// A process that stands by is started early, for loading takes longer than anything else.
await once(process.stdin, "data");
process.stdin.unref();
const [path = ""] = process.argv.slice(2);
const store = await sqliteThreadStore(path, { survives: "process" });
const agent = new DeployableAgent({
  name: "desk",
  systemPrompt: "You answer.",
  mode: "autonomous",
  agentEndpoint: new MockLLMEndpoint(reply),
  capabilities: [new Capability({ label: ToolLabel("tools"), build: () => [stop, work, note] })],
});
const server = await createThreadServer({
  store,
  agents: { standard: { agent, tasks: false } },
  verifier: (token) =>
    token === "secret" ? { principal: "user:us_1", userId: "us_1", orgs: ["og_1"], admin: false } : undefined,
  limits: { requests: null },
  // A turn may meet any number of kills here; how many it survives is another test's matter.
  lease: { attempts: 1_000_000 },
  title: () => null,
});
const { url } = await server.listen();
process.stdout.write(`${url}\n`);
