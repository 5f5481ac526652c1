import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";

import { newspaperAgent } from "./__fixtures__/newspaper-agent.ts";
import { noUserIo } from "../runtime/user-io.ts";
import type { RunSnapshot } from "./snapshot.ts";

const results = z.looseObject({
  status: z.string(),
  toolName: z.string().optional(),
  request: z.unknown().optional(),
  output: z.object({ value: z.string().nullable() }).optional(),
  snapshot: z.custom<RunSnapshot>().optional(),
  messages: z.array(z.unknown()),
  report: z.looseObject({}),
});
type Result = z.output<typeof results>;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "roboz-people-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** A stretch of the run, in a process of its own that has to end by itself. */
function stretch(given: object): Result {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      "--conditions=@roboz/source",
      "--import",
      "tsx",
      fileURLToPath(new URL("__fixtures__/newspaper-process.ts", import.meta.url)),
    ],
    { encoding: "utf8", input: JSON.stringify({ folder, ...given }), timeout: 60_000 },
  );
  expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
  return results.parse(JSON.parse(stdout));
}

const replies: readonly unknown[] = ["Weather", { isApproved: true }, "No, thanks."];

it.each(["journal", "snapshot"] as const)(
  "an approval and two questions, each answered in a process of its own by a %s, come to the same as in one",
  async (by) => {
    const requests: unknown[] = [];
    let result = stretch({ by });
    for (const reply of replies) {
      expect(result.status).toBe("suspended");
      requests.push([result.toolName, result.request]);
      result = stretch({ by, reply, snapshot: result.snapshot });
    }
    expect(requests).toEqual([
      ["writer", { type: "user-question", question: "Which title?" }],
      ["review", { draft: "The draft." }],
      ["prompt_user", { type: "user-question", question: "Anything else?", timeoutSeconds: 60 }],
    ]);
    expect(result).toMatchObject({ status: "completed", output: { value: "No, thanks." } });

    const here = newspaperAgent(join(folder, "other-ledger"));
    let undisturbed = await here.invoke("A paper, please.", { runId: "paper", io: noUserIo });
    for (const reply of replies) {
      if (undisturbed.status !== "suspended") throw new Error("did not wait");
      undisturbed = await here.resume(undisturbed.snapshot, reply, { io: noUserIo });
    }
    expect(result.messages).toEqual(JSON.parse(JSON.stringify(undisturbed.messages)));
    const counted = ({ toolMs: _, ...counts }: Readonly<Record<string, unknown>>): unknown => counts;
    expect(counted(result.report)).toEqual(counted({ ...undisturbed.report }));
    const published = (name: string): string => readFileSync(join(folder, name), "utf8");
    expect(published("ledger")).toBe(published("other-ledger"));
    expect(published("ledger").trim().split("\n")).toHaveLength(1);
  },
);
