import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";

import { commandDefinitions } from "../commands/definitions.ts";
import { allowAll, session, words } from "./__fixtures__/session.ts";

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "shed-hidden-")));
});

afterEach(() => {
  rmSync(base, { recursive: true });
});

/** What may stand at a place about which nobody may learn anything. */
const contents: readonly ((hidden: string) => void)[] = [
  () => undefined,
  (hidden) => {
    writeFileSync(hidden, "secret");
  },
  (hidden) => {
    mkdirSync(join(hidden, "sub"), { recursive: true });
  },
  (hidden) => {
    symlinkSync("/etc", hidden);
  },
  (hidden) => {
    writeFileSync(join(base, "other name"), "secret");
    linkSync(join(base, "other name"), hidden);
  },
];

it.each([
  { line: "cp -r notes copy", denied: "read" },
  { line: "mv notes moved", denied: "read" },
  { line: "cp -r -T drafts notes/private", denied: "create" },
  { line: "cp drafts/hidden notes/private", denied: "create" },
  { line: "mv -T drafts notes/private", denied: "create" },
  { line: "rm -r notes", denied: "delete" },
  { line: "gio =trash notes", denied: "delete" },
  { line: "grep -R =x notes", denied: "read" },
  { line: "grep -r =x notes", denied: "read" },
  { line: "rg =x notes", denied: "read" },
  { line: "cat notes/*/*", denied: undefined },
])("tells nothing of what stands in a folder that nobody may look into: $line", async ({ line, denied }) => {
  const reports = new Set<string>();
  for (const put of contents) {
    rmSync(base, { recursive: true });
    mkdirSync(join(base, "notes/private"), { recursive: true });
    mkdirSync(join(base, "drafts"));
    writeFileSync(join(base, "drafts/hidden"), "mine");
    put(join(base, "notes/private/hidden"));
    const { report } = session({
      base,
      policy: {
        allow: allowAll,
        deny: [{ pattern: "notes/private/**", operations: ["read", "create", "delete"] }],
      },
      changes: { definitions: commandDefinitions },
    });
    reports.add((await report(words(line))).split("\n").slice(0, 2).join("\n"));
  }
  expect(reports.size).toBe(1);
  const [only = ""] = reports;
  if (denied !== undefined) expect(only).toContain(`Denied ${denied}: '${base}/notes/private`);
});
