import { spawnSync } from "node:child_process";

import { expect, it } from "vitest";

const core = new URL("../index.ts", import.meta.url).href;

/** A background agent whose run has a time limit, a model that is retried, and a tool that waits for an hour. */
const program = `
import { Agent, BackgroundAgent, Empty, MockLLMEndpoint, Stop, tool } from ${JSON.stringify(core)};

const wait = tool({
  name: "wait", description: "Wait.", input: Empty, output: Empty, timeoutMs: 3_600_000,
  run: (_input, { signal }) => new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 3_600_000, Empty());
    signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); });
  }),
});
const worker = new Agent({
  name: "worker", mode: "autonomous", systemPrompt: "Wait.", tools: [wait], limits: { wallMs: 7_200_000 },
  endpoint: new MockLLMEndpoint(() => ({ action: "wait", rationale: "Nothing to do." })),
});
const failing = new Agent({
  name: "failing", mode: "deterministic",
  defaultTools: [tool({ name: "fail", description: "", input: Empty, output: Empty, run: () => Promise.reject(new TypeError("no")) })],
});
const controller = new AbortController();
const backgrounds = [
  new BackgroundAgent(worker),
  new BackgroundAgent(worker, { signal: controller.signal }),
  new BackgroundAgent(failing),
];
const turn = () => new Promise(setImmediate);
const parent = new Agent({
  name: "parent", mode: "deterministic", 
  defaultTools: [
    ...backgrounds.map((background, index) => background.asTool({ name: "look_" + "abc"[index] })),
    tool({ name: "linger", description: "", input: Empty, output: Empty, run: async () => { await turn(); return Empty(); } }),
  ],
});
const parentController = new AbortController();
const running = parent.invoke(undefined, { signal: parentController.signal });
for (let turns = 0; turns < 50; turns += 1) await turn();
parentController.abort();
const { status } = await running;
controller.abort();
await Promise.all(backgrounds.map((background) => background.stop()));
console.log(status, backgrounds.map(({ isRunning }) => isRunning).join());
`;

it("nothing of stopped background agents keeps a process alive, and nothing they fail with ends it", () => {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ["--conditions=@roboz/source", "--import", "tsx", "--input-type=module", "--eval", program],
    { encoding: "utf8", timeout: 60_000 },
  );
  expect({ stdout, stderr, status }).toEqual({
    stdout: "cancelled false,false,false\n",
    stderr: "",
    status: 0,
  });
});
