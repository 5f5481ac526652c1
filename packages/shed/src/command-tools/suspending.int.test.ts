import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

import { commandDefinitions } from "../commands/definitions.ts";
import { permissionRequest } from "./approval.ts";
import { reportOf, session, throughJson, words } from "./__fixtures__/session.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "roboz-suspend-")));
  mkdirSync(join(base, "tree", "below"), { recursive: true });
  for (const name of ["a", "b", "tree/c", "tree/below/d"]) writeFileSync(join(base, name), "needle\n");
});
afterEach(() => {
  rmSync(base, { recursive: true });
});

const everything = [{ pattern: "**", operations: ["read", "create", "delete"] as const }];
const policy = { allow: everything, ask: everything };

it.each([
  "cat a b",
  "head a",
  "tail a",
  "wc a",
  "tee =new a",
  "touch a c",
  "mkdir d",
  "grep =needle a b",
  "grep -r =needle tree",
  "rg =needle a",
  "rg =needle tree",
  "rg --hidden =needle tree a",
  "diff a b",
  "cp a c",
  "cp -r tree copy",
  "mv a c",
  "rm a",
  "rm -r tree",
])("`%s` waits for each yes, asked for in plain data (design 3)", async (line) => {
  const changes = { definitions: commandDefinitions };
  const { agent, invoke } = session({ base, policy, changes }, words(line));
  let result = await invoke();
  let asked = 0;
  while (result.status === "suspended") {
    asked += 1;
    const request = permissionRequest.parse(result.request);
    expect(request.question).toBe(`Allow ${request.operation} for '${request.location}'? (yes/no)`);
    expect(request.command).toMatch(new RegExp(`^${line.split(" ")[0] ?? ""} `));
    result = await agent.resume(throughJson(result.snapshot), "yes");
  }
  expect(asked).toBeGreaterThan(0);
  expect(reportOf(result)).toMatch(/^Overall: success/);
});
