import { spawn } from "node:child_process";
import { once } from "node:events";

import { expect, it } from "vitest";

const sources = ["cli-sink", "../cli-io"].map((name) => new URL(`./${name}.ts`, import.meta.url).href);
const program = `
const [{ cliSink }, { cliUserIo }] = await Promise.all(${JSON.stringify(sources)}.map((source) => import(source)));
const sink = cliSink();
const stamp = { sequence: 1, runId: "1", agentName: "a" };
await new Promise((resolve) => process.stdin.once("data", resolve));
process.stdin.pause();
for (let turn = 0; turn < 3; turn += 1) {
  sink({ type: "script-output", content: "x\\n", ...stamp });
  await new Promise((resolve) => setTimeout(resolve, 1));
}
const answered = await cliUserIo().ask("?").catch(({ code }) => code);
process.stderr.write(answered);
`;

it("lets a process go on whose standard output nobody reads any more", async () => {
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program]);
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  child.stdout.destroy();
  child.stdin.write("go\n");
  await once(child, "close");
  expect({ code: child.exitCode, errors }).toEqual({ code: 0, errors: "core/user-input-unavailable" });
});
