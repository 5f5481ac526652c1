import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

import { expect, it } from "vitest";
import * as z from "zod";

import { colourAgent } from "./__fixtures__/colour-agent.ts";
import type { RunSnapshot } from "./snapshot.ts";

const ends = z.array(
  z.object({ status: z.string(), messages: z.array(z.unknown()), report: z.looseObject({}) }),
);

it("a snapshot of any step, resumed in a fresh process, gives the messages of an uninterrupted run", async () => {
  const snapshots: RunSnapshot[] = [];
  let run = colourAgent().start(undefined, { runId: "colours" });
  let end = await run.step();
  snapshots.push(run.snapshot());
  while (end === undefined || end.status === "suspended") {
    if (end !== undefined) run = colourAgent().restore(end.snapshot, "blue");
    end = await run.step();
    snapshots.push(run.snapshot());
  }
  const { messages, report } = end;
  expect(end).toMatchObject({ status: "completed", output: { value: "done" } });
  expect(messages.filter(({ role }) => role === "error")).toHaveLength(1);
  expect(snapshots.length).toBeGreaterThan(20);
  expect(snapshots.some(({ pending }) => pending !== null)).toBe(true);

  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      "--conditions=@roboz/source",
      "--import",
      "tsx",
      fileURLToPath(new URL("__fixtures__/resume-all.ts", import.meta.url)),
    ],
    { encoding: "utf8", input: JSON.stringify(snapshots) },
  );
  expect(stderr).toBe("");
  const resumed = ends.parse(JSON.parse(stdout));
  const counted = ({ toolMs: _, ...counts }: Readonly<Record<string, unknown>>): unknown => counts;
  expect(resumed).toHaveLength(snapshots.length);
  for (const one of resumed) {
    expect(one.messages).toEqual(JSON.parse(JSON.stringify(messages)));
    expect(counted(one.report)).toEqual(counted({ ...report }));
  }
});
