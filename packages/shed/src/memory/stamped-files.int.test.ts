import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

import { called, log, makeProject, noon, row, stampAt, summariser, usual } from "./__fixtures__/project.ts";
import { snapshotTool } from "./snapshot-tool.ts";

const program = fileURLToPath(new URL("__fixtures__/add-and-die.ts", import.meta.url));

it("leaves nothing that counts when it is killed between the write and the name, and the next pass makes good for it", async () => {
  const project = makeProject();
  const { snapshotsDir } = project.sandbox;
  project.put("logs/clerk/c1.json", log("c1", [row(1, "One.")], { status: "completed" }));
  const args = ["--conditions=@roboz/source", "--import", "tsx", program, snapshotsDir];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  await once(child, "close");
  expect(child.signalCode).toBe("SIGKILL");
  expect(await project.list("snapshots")).toEqual([expect.stringMatching(/^c1\/\.roboz-unfinished-/)]);
  const { endpoint } = summariser({ value: "One." });
  const made = snapshotTool({
    records: project.records,
    watchedAgentNames: new Set(["clerk"]),
    growthThresholdTokens: 20_000,
    endpoint,
    ...usual,
    now: () => noon,
  });
  expect((await called(made)).fields).toMatchObject({ created: 1 });
  expect(project.read(join("snapshots/c1", `${stampAt(0)}.md`))).toContain("sequence=1 ");
});
