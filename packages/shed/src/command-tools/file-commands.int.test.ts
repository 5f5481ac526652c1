import { Agent, apiUserIo, MockLLMEndpoint, stop, Str } from "@roboz/core";
import {
  existsSync,
  linkSync,
  lstatSync,
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
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Operation } from "../permissions/operation.ts";
import { PermissionPolicy, type PermissionPolicySettings } from "../permissions/policy.ts";
import { reportOf, words } from "./__fixtures__/session.ts";
import { fileCommandTools } from "./file-commands.ts";

let root = "";
let base = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "roboz-files-")));
  base = join(root, "app");
  const files = [
    "notes/a",
    "notes/b",
    "notes/sub/c.py",
    "notes/private/f",
    "top.txt",
    "-rf",
    "|",
    "../out/secret.txt",
  ];
  for (const file of files) {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), file === "../out/secret.txt" ? "OUTSIDE\n" : `${file}\n`);
  }
  symlinkSync(join(root, "out/secret.txt"), join(base, "notes/l"));
  symlinkSync(join(root, "out"), join(base, "d"));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const every: readonly Operation[] = ["read", "create", "delete"];
const all: Rules = { allow: [{ pattern: "**", operations: every }] };
type Rules = Omit<PermissionPolicySettings, "base">;

/** The report on one input, under some rules and with the replies of a person. */
async function send(
  value: readonly unknown[],
  rules: Rules = all,
  replies: readonly string[] = [],
): Promise<{ text: string; prompts: string[] }> {
  const prompts: string[] = [];
  const { tools } = fileCommandTools({ policy: new PermissionPolicy({ base, ...rules }) });
  const agent = new Agent({
    name: "filing",
    systemPrompt: "Work on files.",
    endpoint: new MockLLMEndpoint([
      { action: "run_file_command", rationale: "Files.", value },
      { action: "stop", rationale: "Done.", value: "done" },
    ]),
    tools: [...tools, stop],
  });
  const io = apiUserIo({
    requestInput: (question) => {
      prompts.push(question);
      return Promise.resolve(Str({ value: replies[prompts.length - 1] ?? "no" }));
    },
    notify: () => undefined,
  });
  return { text: reportOf(await agent.invoke(undefined, { io })), prompts };
}

async function report(line: string, rules: Rules = all, replies: readonly string[] = []): Promise<string> {
  const { text } = await send(words(line), rules, replies);
  expect(text).not.toContain("OUTSIDE");
  return text;
}

/** What a file of the base holds; undefined when there is none. */
function content(path: string): string | undefined {
  return existsSync(join(base, path)) ? readFileSync(join(base, path), "utf8") : undefined;
}

const ok = /^Overall: success/;
const failed = /^Overall: failure/;

describe("the file commands", () => {
  it.each([
    { case: "shed 41", line: "touch x.txt && cat *.txt", says: "cat top.txt x.txt" },
    { case: "shed 50, SQ-08", line: "cat notes/a | tee g ; cat g", says: "cat g ---\nnotes/a\n" },
    { case: "SQ-09", line: "cat notes/a | tee notes/a ; cat notes/a", says: "cat notes/a ---\nnotes/a\n" },
    { case: "shed 54", line: "wc -l notes/s*/*.py", says: "1 notes/sub/c.py" },
    { case: "shed 71", line: "wc -l", says: "---\n0\n---" },
    { case: "shed 84", line: "tee =inline", says: "begin: tee ---\ninline\n---" },
    { case: "SQ-12", line: "grep =nothing notes/a || grep =a notes/a", says: "notes/a" },
    { case: "SQ-12", line: "diff notes/a notes/b || pwd", says: "[error] Command failed (exit 1)\n1c1" },
    { case: "FT-29, shed 73", line: "grep =--include=* notes/a || pwd", says: "Command failed (exit 1)" },
    { case: "FT-13", line: "tee =x | cat =-", says: "---\n[stdin: piped from previous command]\nx" },
    { case: "PB-02", line: "cat ./notes//./a", says: "notes/a" },
    { case: "shed 100", line: "rm -f", says: "[no output]" },
  ])("do $line ($case)", async ({ line, says }) => {
    const text = await report(line);
    expect(text).toMatch(ok);
    expect(text).toContain(says);
  });

  it.each([
    { case: "FT-08", line: "cp --recurs notes x" },
    { case: "FT-09, shed 65", line: "rm -rf notes" },
    { case: "FT-10", line: "head -n5 notes/a" },
    { case: "FT-12", line: "cp -s notes/a x" },
    { case: "FT-12", line: "mkdir -m =0777 x" },
    { case: "FT-13", line: "cat =/etc/passwd" },
    { case: "FT-05, shed 81", line: "find notes -delete" },
    { case: "FT-05, shed 81", line: "find notes -exec =rm" },
    { case: "FT-06", line: "rg --pre =sh =x notes" },
    { case: "FT-22", line: "tail -f notes/a" },
    { case: "FT-26", line: "gio =empty" },
    { case: "FT-15", line: "rm -- -rf" },
    { case: "shed 62", line: "cp -v --verbose notes/a x" },
    { case: "shed 70", line: "cat notes/a notes" },
    { case: "shed 91", line: "cp notes/sub x" },
    { case: "shed 94", line: "cp notes/a notes/a" },
    { case: "shed 96", line: "cp -R notes/sub notes/sub/x" },
    { case: "GL-03", line: "rm -f *.none" },
    { case: "GL-05", line: "tee =x n*" },
    { case: "SL-01", line: "cat notes/l" },
    { case: "SL-02", line: "cat d/secret.txt" },
    { case: "SL-02, shed 51", line: "cat d/../top.txt" },
    { case: "SL-11", line: "cat notes/*" },
    { case: "SL-03", line: "tee =x notes/l" },
    { case: "SL-06", line: "rm d/*" },
    { case: "PB-01", line: "cat ../out/secret.txt" },
    { case: "PB-02", line: "cat notes/../../out/secret.txt" },
    { case: "PB-16", line: "cat notes\\..\\..\\out\\secret.txt" },
    { case: "FT-27", line: "gio =trash trash:///x" },
    { case: "PB-19", line: `cat ${"n".repeat(300)}` },
  ])("refuse $line, and change nothing ($case)", async ({ line }) => {
    const before = readdirSync(root, { recursive: true }).sort();
    expect(await report(line)).toMatch(failed);
    expect(readdirSync(root, { recursive: true }).sort()).toEqual(before);
    expect(content("notes/a")).toBe("notes/a\n");
  });

  it("take odd names for what they are (FT-14, shed 36, shed 66, GL-07)", async () => {
    const given = [
      ["rm", "CMD"],
      ["-rf", "PTH"],
      ["|", "PTH"],
    ];
    expect((await send(given)).text).toMatch(ok);
    expect(readdirSync(base).sort()).toEqual(["d", "notes", "top.txt"]);
  });

  it("expand and run no words of a shell (FT-01, FT-02)", async () => {
    for (const text of [
      "$(touch pwned)",
      "`touch pwned`",
      "${HOME}",
      "~",
      "!!",
      "%PATH%",
      "notes/a; rm -r notes",
    ])
      expect(
        (
          await send([
            ["cat", "CMD"],
            [text, "PTH"],
          ])
        ).text,
      ).toMatch(failed);
    expect(content("pwned")).toBeUndefined();
    expect(content("notes/a")).toBe("notes/a\n");
  });

  it("start from the base, wherever the process is (PB-21)", async () => {
    const cwd = vi.spyOn(process, "cwd").mockReturnValue(join(root, "out"));
    expect(await report("cat top.txt ; cat secret.txt || pwd")).toContain(`---\n${base}\n---`);
    cwd.mockRestore();
  });

  it("say that the base is gone, and make nothing there (PB-18)", async () => {
    rmSync(base, { recursive: true });
    for (const line of ["cat a", "tee =x a", "mkdir -p a/b", "ls", "touch *"])
      expect(await report(line)).toMatch(failed);
    expect(existsSync(base)).toBe(false);
  });

  it("remove a link, and leave alone what it leads to (SL-06, shed 98)", async () => {
    expect(await report("rm d notes/l")).toMatch(ok);
    expect(lstatSync(join(base, "d"), { throwIfNoEntry: false })).toBeUndefined();
    expect(readFileSync(join(root, "out/secret.txt"), "utf8")).toBe("OUTSIDE\n");
  });

  it("refuse what has a second name (SL-10)", async () => {
    linkSync(join(root, "out/secret.txt"), join(base, "h"));
    for (const line of ["cat h", "tee =x h", "grep =x h", "cp h x"])
      expect(await report(line)).toMatch(failed);
    expect(await report("rm h")).toMatch(ok);
    expect(readFileSync(join(root, "out/secret.txt"), "utf8")).toBe("OUTSIDE\n");
  });

  it("hand on any bytes (shed 50)", async () => {
    writeFileSync(join(base, "bytes"), Buffer.from([0xff, 0, 0x0a, 0xc3]));
    expect(await report("cat bytes | tee f ; cat bytes")).toContain("\\xff\0\n\\xc3");
    expect(readFileSync(join(base, "f"))).toEqual(Buffer.from([0xff, 0, 0x0a, 0xc3]));
  });
});

describe("the file commands under rules", () => {
  const readAll = { pattern: "**", operations: ["read" as const] };
  const denied = (pattern: string, ...operations: Operation[]): Rules => ({
    ...all,
    deny: [{ pattern, operations }],
  });

  it.each([
    { case: "PB-07", line: "tee =x new", rules: { allow: [readAll] }, says: "Denied create: '{base}/new'" },
    { case: "PB-07", line: "touch new", rules: { allow: [readAll] }, says: "Denied create: '{base}/new'" },
    { case: "PB-07", line: "mkdir new", rules: { allow: [readAll] }, says: "Denied create: '{base}/new'" },
    {
      case: "PB-07",
      line: "rm top.txt",
      rules: { allow: [readAll] },
      says: "Denied delete: '{base}/top.txt'",
    },
    {
      case: "PB-07",
      line: "cp top.txt new",
      rules: { allow: [readAll] },
      says: "Denied create: '{base}/new'",
    },
    {
      case: "shed 15, PB-09",
      line: "cp notes/a notes/b",
      rules: denied("notes/b", "delete"),
      says: "Denied delete: '{base}/notes/b'",
    },
    {
      case: "PB-08",
      line: "cp notes/a x",
      rules: denied("notes/a", "read"),
      says: "Denied read: '{base}/notes/a'",
    },
    {
      case: "design 16",
      line: "mv notes/a x",
      rules: denied("notes/a", "read"),
      says: "Denied read: '{base}/notes/a'",
    },
    {
      case: "PB-10",
      line: "grep -r =private notes/sub notes/private",
      rules: denied("notes/private/f", "read"),
      says: "Denied read: '{base}/notes/private/f'",
    },
    {
      case: "PB-12",
      line: "rm -r notes",
      rules: denied("notes/private/f", "delete"),
      says: "Denied delete: '{base}/notes/private/f'",
    },
    {
      case: "PB-13, GL-06",
      line: "cat notes/a notes/b",
      rules: denied("notes/b", "read"),
      says: "Denied read: '{base}/notes/b'",
    },
    {
      case: "shed 5",
      line: "pwd",
      rules: { allow: [{ pattern: "*", operations: every }] },
      says: "Denied read: '{base}'",
    },
    {
      case: "shed 87",
      line: "touch -c missing",
      rules: denied("missing", "create"),
      says: "Denied create: '{base}/missing'",
    },
  ])("deny $line ($case)", async ({ line, rules, says }) => {
    const before = readdirSync(base, { recursive: true }).sort();
    const text = await report(line, rules);
    expect(text.split("\n").slice(0, 2)).toEqual(["Overall: failure (exit 1)", says.replace("{base}", base)]);
    expect(readdirSync(base, { recursive: true }).sort()).toEqual(before);
  });

  it("neither make nor empty a target that is denied (SQ-05)", async () => {
    const text = await report(
      "cat notes/a | tee notes/b ; cat notes/private/f | tee notes/b",
      denied("notes/b", "create"),
    );
    expect(text).toMatch(failed);
    expect(content("notes/b")).toBe("notes/b\n");
    expect(await report("cat notes/private/f | tee notes/b", denied("notes/private/**", "read"))).toMatch(
      failed,
    );
    expect(content("notes/b")).toBe("notes/b\n");
  });

  it("leave out of a listing what may not be read, and say how many (design 18, PB-11)", async () => {
    for (const line of ["ls notes", "find notes", "ls -R notes"]) {
      const text = await report(line, denied("notes/private/**", "read"));
      expect(text).toMatch(ok);
      expect(text).not.toContain("private");
      expect(text).toMatch(/entr(y|ies) left out/);
    }
  });

  it("say nothing of what is outside, not even whether it is there (PB-01)", async () => {
    const outside = await Promise.all(
      ["cat ../out/secret.txt", "cat ../out/none", "cat ../out/secret.txt/x"].map((line) => report(line)),
    );
    const same = outside.map((text) => text.replace(/Denied read: .*/, ""));
    expect(new Set(same).size).toBe(1);
    expect(await report("cat ../out/*")).toContain("nothing matches");
    expect(await report("cat ../none/*")).toContain("nothing matches");
  });

  it("ask once for each need of a command, and do nothing after a no (PR-01, shed 72, shed 101)", async () => {
    const asks: Rules = { ...all, ask: [{ pattern: "notes/**", operations: ["read", "delete"] }] };
    const cat = await send(words("cat notes/a notes/a notes/b"), asks, ["y", "yes"]);
    expect(cat.prompts).toHaveLength(2);
    expect(cat.text).toContain("notes/a\nnotes/a\nnotes/b");
    const rm = await send(words("rm -r notes/sub notes/sub"), asks, ["y", "no"]);
    expect(rm.prompts).toHaveLength(2);
    expect(content("notes/sub/c.py")).toBe("notes/sub/c.py\n");
  });

  it("void an approval when the object is another one by then (RC-04)", async () => {
    const rules: Rules = { ...all, ask: [{ pattern: "notes/a", operations: ["delete"] }] };
    const prompts: string[] = [];
    const { tools } = fileCommandTools({ policy: new PermissionPolicy({ base, ...rules }) });
    const agent = new Agent({
      name: "filing",
      systemPrompt: "Work on files.",
      endpoint: new MockLLMEndpoint([
        { action: "run_file_command", rationale: "Files.", value: words("rm notes/a") },
        { action: "stop", rationale: "Done.", value: "done" },
      ]),
      tools: [...tools, stop],
    });
    const io = apiUserIo({
      requestInput: (question) => {
        prompts.push(question);
        rmSync(join(base, "notes/a"));
        writeFileSync(join(base, "notes/a"), "another\n");
        return Promise.resolve(Str({ value: "yes" }));
      },
      notify: () => undefined,
    });
    expect(reportOf(await agent.invoke(undefined, { io }))).toContain("the approval is void");
    expect(content("notes/a")).toBe("another\n");
    expect(prompts).toHaveLength(1);
  });
});
