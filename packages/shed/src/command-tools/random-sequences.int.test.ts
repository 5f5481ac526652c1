import fc from "fast-check";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { commandDefinitions } from "../commands/definitions.ts";
import { commandNames } from "../commands/command.ts";
import { operators, type WrittenToken } from "../language/grammar.ts";
import { session } from "./__fixtures__/session.ts";

let root = "";
let base = "";
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "roboz-random-")));
  base = join(root, "app");
  mkdirSync(join(root, "seed/notes/sub"), { recursive: true });
  mkdirSync(join(root, "seed/secret"));
  mkdirSync(join(root, "out"));
  writeFileSync(join(root, "out/canary"), "OUTSIDE");
  writeFileSync(join(root, "seed/notes/a"), "alpha\n");
  writeFileSync(join(root, "seed/notes/sub/b.py"), "beta\n");
  writeFileSync(join(root, "seed/secret/s"), "HIDDEN");
  symlinkSync(join(root, "out"), join(root, "seed/notes/l"));
  symlinkSync(join(root, "out/canary"), join(root, "seed/f"));
});
afterAll(() => {
  rmSync(root, { recursive: true });
});

const path = fc.oneof(
  fc.constantFrom(
    "notes",
    "notes/a",
    "notes/*",
    "notes/**/*.py",
    "notes/l",
    "notes/l/canary",
    "f",
    "secret",
    "secret/s",
  ),
  fc.constantFrom(
    "secret/*",
    "../out/canary",
    "../out/*",
    "/etc/passwd",
    ".",
    "..",
    "new",
    "notes/new/x",
    "-",
    "",
    "*",
    "*/*",
  ),
);
const word = fc.oneof(
  path.map((text): WrittenToken => [text, "PTH"]),
  fc.constantFrom("trash", "a", "-", "1", "*.py", "f").map((text): WrittenToken => [text, "ARG"]),
  fc
    .constantFrom("-r", "-n", "-c", "-t", "-a", "-p", "-f", "-l", "-R", "-name", "--", "-v")
    .map((text): WrittenToken => [text, "FLG"]),
);
// Trash would be that of whoever runs the tests.
const names = commandNames.filter((name) => name !== "gio");
const command = fc
  .tuple(fc.constantFrom(...names), fc.array(word, { maxLength: 4 }))
  .map(([name, words]): WrittenToken[] => [[name, "CMD"], ...words]);
const sequence = fc
  .array(fc.tuple(command, fc.constantFrom(...operators)), { minLength: 1, maxLength: 4 })
  .map((parts) =>
    parts.flatMap(([words, operator], index): WrittenToken[] =>
      index === 0 ? words : [[operator, "CTL"], ...words],
    ),
  );

it(
  "random sequences end in one report, and neither show nor touch what the rules deny",
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (value) => {
        rmSync(base, { recursive: true, force: true });
        cpSync(join(root, "seed"), base, { recursive: true, verbatimSymlinks: true });
        const policy = {
          allow: [{ pattern: "**", operations: ["read", "create", "delete"] as const }],
          deny: [{ pattern: "secret/**", operations: ["read", "create", "delete"] as const }],
        };
        const changes = { definitions: commandDefinitions };
        const text = await session({ base, policy, changes }).report(value);
        expect(text).toMatch(/^Overall: (success|failure) \(/);
        expect(text).not.toMatch(/OUTSIDE|HIDDEN/);
        expect(readdirSync(join(root, "out"))).toEqual(["canary"]);
        expect(readFileSync(join(root, "out/canary"), "utf8")).toBe("OUTSIDE");
        expect(readFileSync(join(base, "secret/s"), "utf8")).toBe("HIDDEN");
        expect(readdirSync(join(base, "secret"))).toEqual(["s"]);
      }),
      { numRuns: 300 },
    );
  },
);
