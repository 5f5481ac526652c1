import { Agent, MockLLMEndpoint, stop, type RunEvent, type RunResult, type Stop } from "@roboz/core";
import {
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { PermissionPolicy, type PermissionPolicySettings } from "../permissions/policy.ts";
import { fileCommandTools } from "./file-commands.ts";
import { patchTools } from "./patch-tools.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "roboz-late-")));
  writeFileSync(join(base, "a"), "as it was");
});
afterEach(() => {
  rmSync(base, { recursive: true });
});

const all = [{ pattern: "**", operations: ["read", "create", "delete"] as const }];
type Asked = NonNullable<PermissionPolicySettings["ask"]>;

/** A command on the file `a`. */
function command(name: string, ...given: readonly (readonly [string, string])[]): Call {
  return { action: "run_file_command", rationale: "Files.", value: [[name, "CMD"], ...given, ["a", "PTH"]] };
}
const patch: Call = {
  action: "apply_patch",
  rationale: "A patch.",
  path: "a",
  old_string: "",
  new_string: "new",
};

interface Call {
  readonly action: string;
  readonly rationale: string;
  readonly [field: string]: unknown;
}

/** What a process has that knows nothing of the one before. */
function agentFor(actions: readonly Call[], ask: Asked): Agent {
  const policy = new PermissionPolicy({ base, allow: all, ask });
  return new Agent({
    name: "late",
    systemPrompt: "Work on files.",
    endpoint: new MockLLMEndpoint([...actions, { action: "stop", rationale: "Done.", value: "done" }]),
    tools: [...fileCommandTools({ policy }).tools, ...patchTools({ policy }).tools, stop],
  });
}

/** What came of a call that waited for replies, each of which came to another process. */
interface Ending {
  readonly report: string;
  readonly questions: readonly string[];
  /** Operation, verdict and who answered, of each decision. */
  readonly audits: readonly string[];
}

/** @param meanwhile - Happens before the last of the replies comes. */
async function answer(
  call: Call,
  { replies, ask = all, later = ask, meanwhile = () => undefined }: Answers,
): Promise<Ending> {
  const audits: string[] = [];
  const sinks = [
    (event: RunEvent) => {
      if (event.type !== "runtime" || event.data["audit"] !== "permission") return;
      const { operation, verdict, answered_by: answeredBy } = event.data;
      audits.push([operation, verdict, answeredBy].join(" "));
    },
  ];
  let result: RunResult<Stop> = await agentFor([call], ask).invoke(undefined, { sinks });
  const questions: string[] = [];
  for (const [index, reply] of replies.entries()) {
    if (result.status !== "suspended") throw new Error(`the run is ${result.status}`);
    questions.push(questionOf(result.request));
    if (index === replies.length - 1) meanwhile();
    result = await agentFor([], later).resume(structuredClone(result.snapshot), reply, { sinks });
  }
  if (result.status === "suspended")
    return { report: "", questions: [...questions, questionOf(result.request)], audits };
  const report = result.messages.map(({ content }) => content).find((text) => text.includes("--- begin: "));
  return { report: JSON.stringify(report), questions, audits };
}

interface Answers {
  readonly replies: readonly string[];
  readonly ask?: Asked;
  /** What is asked for when the replies come. */
  readonly later?: Asked;
  readonly meanwhile?: () => void;
}

function questionOf(request: unknown): string {
  if (typeof request !== "object" || request === null || !("question" in request)) return "";
  return String(request.question);
}

const changes = (): void => {
  writeFileSync(join(base, "other"), "another file");
  renameSync(join(base, "other"), join(base, "a"));
};
const becomesLink = (): void => {
  rmSync(join(base, "a"));
  symlinkSync("elsewhere", join(base, "a"));
};

describe("a reply that comes when something else stands there (RC-04)", () => {
  it.each([
    { what: "a command", call: command("rm"), yes: [] },
    { what: "a command that had a yes", call: command("tee", ["new", "ARG"]), yes: ["create", "read"] },
    { what: "a patch that had a yes", call: patch, yes: ["create", "read"] },
  ])("is told and audited, and a no stays a no: $what", async ({ call, yes }) => {
    for (const { reply, verdict, says } of [
      { reply: "yes", verdict: "allow", says: "the approval is void" },
      { reply: "no", verdict: "deny", says: `The user declined delete: '${base}/a'` },
    ]) {
      writeFileSync(join(base, "a"), "as it was");
      const replies = [...yes.map(() => "yes"), reply];
      const { report, audits } = await answer(call, { replies, meanwhile: changes });
      expect(report).toContain(says);
      expect(report.includes("void")).toBe(reply === "yes");
      expect(report.match(/User reply/g)).toHaveLength(replies.length);
      const voided = reply === "yes" ? [...yes, "delete"].map((name) => `${name} deny policy`) : [];
      expect(audits).toEqual([
        ...yes.map((name) => `${name} allow user`),
        `delete ${verdict} user`,
        ...voided,
      ]);
      expect(readFileSync(join(base, "a"), "utf8")).toBe("another file");
    }
  });

  it.each([
    { what: "a command", call: command("cat"), operation: "read" },
    { what: "a patch", call: patch, operation: "create" },
  ])("is told and audited before what refuses $what now", async ({ call, operation }) => {
    for (const { reply, verdict, says } of [
      { reply: "yes", verdict: "allow", says: "Symbolic links are not followed" },
      { reply: "no", verdict: "deny", says: `The user declined ${operation}: '${base}/a'` },
    ]) {
      rmSync(join(base, "a"), { force: true });
      writeFileSync(join(base, "a"), "as it was");
      const { report, audits } = await answer(call, { replies: [reply], meanwhile: becomesLink });
      expect(report).toContain(says);
      expect(report.includes("Symbolic")).toBe(reply === "yes");
      expect(report).toContain(`Permission prompt: Allow ${operation} for '${base}/a'? (yes/no)`);
      expect(audits).toEqual([`${operation} ${verdict} user`]);
    }
  });
});

describe("a reply that comes when the rules ask for something else", () => {
  const only = (operation: "create" | "delete"): Asked => [{ pattern: "**", operations: [operation] }];

  it("counts for no other question than the one it was given to (PR-01)", async () => {
    for (const call of [command("tee", ["new", "ARG"]), patch]) {
      const { questions } = await answer(call, {
        replies: ["yes"],
        ask: only("create"),
        later: only("delete"),
      });
      expect(questions).toEqual(
        ["create", "delete"].map((name) => `Allow ${name} for '${base}/a'? (yes/no)`),
      );
      expect(readFileSync(join(base, "a"), "utf8")).toBe("as it was");
    }
  });

  it("counts where other questions are no longer asked", async () => {
    const ask = [...only("create"), ...only("delete")];
    const { questions } = await answer(patch, { replies: ["yes", "yes"], ask, later: only("delete") });
    expect(questions).toHaveLength(2);
    expect(readFileSync(join(base, "a"), "utf8")).toBe("new");
  });

  it("is a no still, though nobody would be asked now", async () => {
    for (const call of [command("rm"), patch]) {
      const [operation] = call === patch ? ["create"] : ["delete"];
      const { report, audits } = await answer(call, { replies: ["no"], later: [] });
      expect(report).toContain(`The user declined ${operation}: '${base}/a'`);
      expect(audits).toEqual([`${operation} deny user`]);
      expect(readFileSync(join(base, "a"), "utf8")).toBe("as it was");
    }
  });
});

it.each([
  { what: "a command", call: command("rm") },
  { what: "a patch", call: patch },
])("$what that another version suspended does nothing, and is to be repeated", async ({ call }) => {
  const suspended = await agentFor([call], all).invoke();
  if (suspended.status !== "suspended") throw new Error(`the run is ${suspended.status}`);
  const { pending } = suspended.snapshot;
  if (pending === null || typeof pending.state !== "object") throw new Error("the run keeps no state");
  for (const part of ["payload", "fingerprint"]) {
    const state = { ...pending.state, [part]: null };
    const snapshot = { ...suspended.snapshot, pending: { ...pending, state } };
    const { status, messages } = await agentFor([], all).resume(snapshot, "yes");
    expect(status).toBe("completed");
    expect(messages.filter(({ role }) => role === "error").map(({ content }) => content)).toEqual([
      expect.stringMatching(
        `ApprovalStateError: .*\\(\`state.${part}\` does not fit\\), so nothing was done\\. Repeat the call`,
      ),
    ]);
    expect(readFileSync(join(base, "a"), "utf8")).toBe("as it was");
  }
});
