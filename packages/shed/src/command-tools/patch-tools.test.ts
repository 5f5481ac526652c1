import {
  Agent,
  apiUserIo,
  MockLLMEndpoint,
  stop,
  Str,
  type RunEvent,
  type RunResult,
  type Stop,
} from "@roboz/core";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { PermissionPolicy, type PermissionPolicySettings } from "../permissions/policy.ts";
import { patchTools } from "./patch-tools.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "roboz-patch-")));
  mkdirSync(join(base, "notes"));
  writeFileSync(join(base, "notes/a"), "one two one\r\n");
  symlinkSync("a", join(base, "notes/l"));
});
afterEach(() => {
  rmSync(base, { recursive: true });
});

type Rules = Omit<PermissionPolicySettings, "base">;
const all: Rules = { allow: [{ pattern: "**", operations: ["read", "create", "delete"] }] };
const asking: Rules = { ...all, ask: [{ pattern: "notes/**", operations: ["delete", "create"] }] };

function agentFor(given: object, rules: Rules): Agent {
  const { tools } = patchTools({ policy: new PermissionPolicy({ base, ...rules }) });
  return new Agent({
    name: "patching",
    systemPrompt: "Patch.",
    endpoint: new MockLLMEndpoint([
      { action: "apply_patch", rationale: "A patch.", ...given },
      { action: "stop", rationale: "Done.", value: "done" },
    ]),
    tools: [...tools, stop],
  });
}

/** The patch's report, by the tool it came from. */
function reportOf(result: RunResult<Stop>): { caller: string; value: string; outcome: string } {
  const reports = result.messages.flatMap(({ content }) => {
    const fields: unknown = content.startsWith("{") ? JSON.parse(content) : undefined;
    if (typeof fields !== "object" || fields === null || !("outcome" in fields)) return [];
    const { caller, value, outcome } = { caller: "", value: "", ...fields };
    return [{ caller, value, outcome: String(outcome) }];
  });
  const [report] = reports;
  if (report === undefined || reports.length > 1) throw new Error(`${reports.length} reports`);
  return report;
}

async function patch(
  given: object,
  {
    rules = all,
    replies,
    events = [],
  }: { rules?: Rules; replies?: readonly string[]; events?: RunEvent[] } = {},
): Promise<{ caller: string; value: string; outcome: string; prompts: string[] }> {
  const prompts: string[] = [];
  const io = apiUserIo({
    requestInput: (question) => {
      prompts.push(question);
      return Promise.resolve(Str({ value: replies?.[prompts.length - 1] ?? "no" }));
    },
    notify: () => undefined,
  });
  const sinks = [(event: RunEvent) => void events.push(event)];
  const result = await agentFor(given, rules).invoke(
    undefined,
    replies === undefined ? { sinks } : { io, sinks },
  );
  return { ...reportOf(result), prompts };
}

const content = (path: string): string => readFileSync(join(base, path), "utf8");

describe("a patch", () => {
  it.each([
    {
      why: "replaces one text",
      given: { path: "notes/a", old_string: "two", new_string: "$& 2" },
      after: "one $& 2 one\r\n",
    },
    {
      why: "replaces every text when asked to",
      given: { path: "notes/a", old_string: "one", new_string: "", replace_all: true },
      after: " two \r\n",
    },
    {
      why: "writes a whole file (shed 105)",
      given: { path: "new/deep/f", old_string: "", new_string: "x\n" },
      after: "x\n",
    },
  ])("$why", async ({ given, after }) => {
    const { caller, outcome, value } = await patch(given);
    expect([caller, outcome]).toEqual(["execute_apply_patch_replace", "done"]);
    expect(value).toMatch(new RegExp(`^--- begin: apply_patch string-replace ${given.path} ---\n`));
    expect(content(given.path)).toBe(after);
  });

  it.each([
    {
      case: "shed 103",
      given: { path: "notes/a", old_string: "one", new_string: "x" },
      outcome: "failed",
      says: /2 times/,
    },
    {
      case: "shed 104",
      given: { path: "notes/a", old_string: "none", new_string: "x", replace_all: true },
      outcome: "failed",
      says: /notes\/a/,
    },
    {
      case: "shed 106",
      given: { path: "notes/*", old_string: "", new_string: "x" },
      outcome: "refused",
      says: /pattern|part of a path/,
    },
    {
      case: "shed 106",
      given: { path: "notes/a/", old_string: "", new_string: "x" },
      outcome: "refused",
      says: /apply_patch/,
    },
    {
      case: "shed 106, SL-01",
      given: { path: "notes/l", old_string: "", new_string: "x" },
      outcome: "refused",
      says: /[Ss]ymbolic/,
    },
    {
      case: "SP-05",
      given: { path: "notes", old_string: "", new_string: "x" },
      outcome: "refused",
      says: /directory/,
    },
    {
      case: "PB-01",
      given: { path: "../x", old_string: "", new_string: "x" },
      outcome: "denied",
      says: /Denied read: /,
    },
  ])("leaves the file as it is, and says why: $given ($case)", async ({ given, outcome, says }) => {
    const { value, prompts, ...report } = await patch(given, { rules: asking, replies: ["yes", "yes"] });
    expect(report.outcome).toBe(outcome);
    expect(value).toMatch(says);
    if (outcome !== "failed") expect(prompts).toEqual([]);
    expect(content("notes/a")).toBe("one two one\r\n");
  });

  it("needs to read and delete a file that it rewrites, and shows the guard's denial (shed 107, spec 1.6)", async () => {
    const rules: Rules = { ...all, deny: [{ pattern: "notes/a", operations: ["delete"] }] };
    const events: RunEvent[] = [];
    const report = await patch({ path: "notes/a", old_string: "", new_string: "x" }, { rules, events });
    expect(report).toMatchObject({ caller: "operation_guard", outcome: "denied" });
    expect(report.value).toContain(`Denied delete: '${base}/notes/a'`);
    expect(content("notes/a")).toBe("one two one\r\n");
    const audits = events.flatMap((event) =>
      event.type === "runtime" && "audit" in event.data ? [event.data["verdict"]] : [],
    );
    expect(audits).toEqual(["allow", "allow", "deny"]);
  });

  it("says no more than that it is denied about a file that may not be read (PB-01, PA-11)", async () => {
    linkSync(join(base, "notes/a"), join(base, "notes/second"));
    const rules: Rules = { ...all, deny: [{ pattern: "notes/second", operations: ["read"] }] };
    const given = { old_string: "", new_string: "x" };
    const told = await patch({ path: "notes/second", ...given });
    expect(told).toMatchObject({ outcome: "refused" });
    expect(told.value).toContain("Has more than one hard link");
    const events: RunEvent[] = [];
    const denied = await patch({ path: "notes/second", ...given }, { rules, events });
    expect(denied).toMatchObject({ outcome: "denied" });
    expect(denied.value).toContain(`Denied read: '${base}/notes/second'`);
    expect(denied.value).not.toContain("hard link");
    expect(events.some((event) => event.type === "runtime" && event.data["verdict"] === "deny")).toBe(true);
  });

  it("asks for each need, keeps the exchange in its report, and does nothing after a no", async () => {
    const given = { path: "notes/a", old_string: "two", new_string: "2" };
    const declined = await patch(given, { rules: asking, replies: ["yes", "no"] });
    expect(declined.prompts).toEqual(
      ["create", "delete"].map((what) => `Allow ${what} for '${base}/notes/a'? (yes/no)`),
    );
    expect(declined).toMatchObject({ caller: "operation_guard", outcome: "denied" });
    expect(declined.value).toMatch(
      /^Permission prompt: [^]*Decision: allowed\nPermission prompt: [^]*Decision: denied\n--- begin: apply_patch string-replace notes\/a ---\nThe user declined/,
    );
    expect(content("notes/a")).toBe("one two one\r\n");
    const allowed = await patch(given, { rules: asking, replies: ["yes", "y"] });
    expect(allowed.value).toMatch(/^Permission prompt: [^]*Decision: allowed\n--- begin: apply_patch/);
    expect(content("notes/a")).toBe("one 2 one\r\n");
  });

  it("waits for a yes that comes in another process", async () => {
    const given = { path: "notes/new", old_string: "", new_string: "x" };
    const waiting = await agentFor(given, asking).invoke();
    if (waiting.status !== "suspended") throw new Error(waiting.status);
    expect(waiting.request).toMatchObject({
      type: "permission-request",
      command: "apply_patch string-replace notes/new",
    });
    expect(existsSync(join(base, "notes/new"))).toBe(false);
    const endpoint = new MockLLMEndpoint([{ action: "stop", rationale: "Done.", value: "done" }]);
    const other = agentFor(given, asking).copy({ endpoint });
    const result = await other.resume(structuredClone(waiting.snapshot), "yes");
    expect(reportOf(result)).toMatchObject({ caller: "execute_apply_patch_replace", outcome: "done" });
    expect(content("notes/new")).toBe("x");
  });

  it("is not done when another file stands there by the time of the yes (RC-04)", async () => {
    const given = { path: "notes/a", old_string: "two", new_string: "2" };
    const rules: Rules = { ...all, ask: [{ pattern: "notes/**", operations: ["delete"] }] };
    const agent = agentFor(given, rules);
    const waiting = await agent.invoke();
    if (waiting.status !== "suspended") throw new Error(waiting.status);
    rmSync(join(base, "notes/a"));
    writeFileSync(join(base, "notes/a"), "two others\n");
    expect(reportOf(await agent.resume(waiting.snapshot, "yes")).value).toContain("void");
    expect(content("notes/a")).toBe("two others\n");
  });
});
