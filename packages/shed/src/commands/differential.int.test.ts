import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { FileAccess } from "../files/access.ts";
import { treeBelow } from "../files/tree.ts";
import { PermissionPolicy } from "../permissions/policy.ts";
import { runTokens } from "./__fixtures__/command-run.ts";
import { changingCommands, generateCommand } from "./__fixtures__/generated-command.ts";
import type { GeneratedCommand } from "./__fixtures__/generated-command.ts";
import { Random } from "./__fixtures__/random.ts";
import { addLinks, makeSampleTree } from "./__fixtures__/sample-tree.ts";

const count = process.env["ROBOZ_LONG"] === "1" ? 2000 : 300;
const seed = Number(process.env["ROBOZ_SEED"] ?? "20261130");
const environment = { PATH: "/usr/bin:/bin", LC_ALL: "C.UTF-8", TZ: "UTC" };

/** What our tools always say to the real programs. */
const extraArguments: Readonly<Record<string, readonly string[]>> = {
  rg: ["--no-config", "--no-ignore-global", "--no-ignore-exclude"],
};

let top: string;

beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "shed-same-")));
});

afterAll(() => {
  rmSync(top, { recursive: true, force: true });
});

function freshTree(): string {
  // Both sides work in a folder of the same name, one after the other, so that what is printed can be the same.
  const base = join(top, "work");
  rmSync(base, { recursive: true, force: true });
  makeSampleTreeIn(base);
  return base;
}

function makeSampleTreeIn(base: string): void {
  makeSampleTree(base);
  addLinks(base);
}

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly tree: string;
}

function treeText(base: string): string {
  const access = new FileAccess({ base });
  const lines = [...treeBelow(access, base)].map(({ location, kind, stats }) => {
    const content =
      kind === "file" ? readFileSync(location, "latin1") : kind === "link" ? readlinkSync(location) : "";
    const isOld = stats.mtimeNs < 1_780_000_000n * 1_000_000_000n;
    const time = isOld && kind === "file" ? String(stats.mtimeNs / 1_000_000_000n) : "new";
    return `${location.slice(base.length)} ${kind} ${(stats.mode & 0o7777n).toString(8)} ${time} ${JSON.stringify(content)}`;
  });
  access.close();
  return lines.join("\n");
}

function native({ name, tokens, stdin = "" }: GeneratedCommand, base: string): Outcome {
  const words = tokens.map(({ text }) => text);
  const { status, stdout } = spawnSync(
    name,
    extraArguments[name] === undefined ? words : [...extraArguments[name], ...words],
    {
      cwd: base,
      env: environment,
      input: Buffer.from(stdin),
      encoding: "latin1",
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return { status, stdout, tree: changingCommands.has(name) ? treeText(base) : "" };
}

async function ours({ name, tokens, stdin }: GeneratedCommand, base: string): Promise<Outcome> {
  const policy = new PermissionPolicy({
    base,
    allow: [{ pattern: "/**", operations: ["read", "create", "delete"] }],
  });
  const input = stdin === undefined ? undefined : Buffer.from(stdin);
  const { status, stdout } = await runTokens(name, tokens, { policy, stdin: input });
  return { status, stdout, tree: changingCommands.has(name) ? treeText(base) : "" };
}

function sorted(text: string): string {
  return text
    .split(/(?<=[\n\0])/)
    .sort()
    .join("");
}

function isSame({ isUnordered = false }: GeneratedCommand, one: Outcome, other: Outcome): boolean {
  const form = isUnordered ? sorted : (text: string) => text;
  return one.status === other.status && form(one.stdout) === form(other.stdout) && one.tree === other.tree;
}

it(`does what the programs of Debian do, in ${count} generated commands`, { timeout: 900_000 }, async () => {
  const random = new Random(seed);
  const differing: string[] = [];
  let base = freshTree();
  for (let index = 0; index < count; index++) {
    const command = generateCommand(random);
    const theirs = native(command, base);
    if (changingCommands.has(command.name)) base = freshTree();
    const own = await ours(command, base);
    if (changingCommands.has(command.name)) base = freshTree();
    if (isSame(command, theirs, own)) continue;
    const words = command.tokens.map(({ text, tag }) => `${tag}:${text}`).join(" ");
    const shown = (outcome: Outcome) => ({
      ...outcome,
      tree: theirs.tree === own.tree ? "same" : outcome.tree,
    });
    const stdin = command.stdin;
    differing.push(
      JSON.stringify({ command: `${command.name} ${words}`, stdin, theirs: shown(theirs), own: shown(own) }),
    );
  }
  if (process.env["ROBOZ_SHOW"] === "1") console.log(differing.join("\n\n"), differing.length);
  expect(differing.length / count, differing.slice(0, 20).join("\n")).toBeLessThanOrEqual(0.005);
});
