import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import type { InstalledRoboz } from "../installed-roboz.ts";

const ordersModule = `
import { Agent, Empty, MockLLMEndpoint, Stop, Str, Suspend, tool, when } from "@roboz/core";
import * as z from "zod";
const review = tool({
  name: "review", description: "Have it approved.", input: Empty, output: [Str, Suspend],
  suspends: { request: z.string(), reply: Str },
  run: () => Suspend({ request: "Order chairs?" }),
});
const place = tool({
  name: "place", description: "Order.", input: Str, output: Stop, chainedTo: when(review, Str.is),
  run: ({ value }) => Stop({ value: "answered " + value }),
});
export const agent = new Agent({
  name: "orders", mode: "autonomous", systemPrompt: "Order.", tools: [review, place],
  endpoint: new MockLLMEndpoint(() => ({ action: "review", rationale: "Ask." })),
});
`;

/** Runs that a store keeps, from their first command to their replay. */
export function runsCases(roboz: () => InstalledRoboz): void {
  it("keeps a run, answers it in another process, and shows, forks, exports and replays it", async () => {
    const cwd = await roboz().emptyFolder();
    await writeFile(join(cwd, "orders.mjs"), ordersModule);
    const call = async (...args: readonly string[]) => roboz().run([...args, "--store", "kept"], { cwd });
    const begun = await call("run", "orders.mjs");
    expect(begun.code).toBe(1);
    const [, id = ""] =
      /answer with: roboz runs resume (\S+) orders\.mjs --store kept --reply REPLY\n$/.exec(begun.stderr) ??
      [];
    expect((await call("runs", "list")).stdout).toContain(`${id}  orders  suspended`);
    const resumed = await call("runs", "resume", id, "orders.mjs", "--reply", "yes");
    expect(resumed).toMatchObject({ code: 0, stderr: "" });
    expect(resumed.stdout).toContain("answered yes");
    expect((await call("runs", "show", id)).stdout).toMatch(/\n {13}answered yes\n/);
    expect(await call("runs", "replay", id, "orders.mjs")).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse((await call("runs", "export", id)).stdout)).toMatchObject({
      schema_version: 3,
      status: "completed",
    });
    expect(await call("runs", "fork", id, "--at", "1")).toMatchObject({ code: 0, stderr: "" });
    await writeFile(join(cwd, "orders.mjs"), ordersModule.replace("answered", "heard"));
    const differs = await call("runs", "replay", id, "orders.mjs");
    expect(differs.code).toBe(1);
    expect(differs.stdout).toContain("answered yes");
    expect(differs.stderr).toMatch(/^Error: The replay of the run [^\n]*\n$/);
  });

  it("says in one line which package a database needs", async () => {
    const cwd = await roboz().emptyFolder();
    await writeFile(join(cwd, "orders.mjs"), ordersModule);
    const { code, stdout, stderr } = await roboz().run(["run", "orders.mjs", "--store", "kept.db"], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^Error: the store `kept\.db` is a database[^\n]*`npm install @roboz\/sqlite`\n$/);
  });
}
