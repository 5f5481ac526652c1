import { Str } from "@roboz/core";
import { setImmediate } from "node:timers";
import { afterEach, describe, expect, it, vi } from "vitest";

import {
  exchangeText,
  isApproval,
  judge,
  Unavailable,
  type AuditEntry,
  type Exchange,
  type Judgement,
} from "./guard.ts";
import type { RequiredPermission } from "./operation.ts";
import { PermissionPolicy } from "./policy.ts";

const policy = new PermissionPolicy({
  base: "/base",
  allow: [{ pattern: "**", operations: ["read", "create", "delete"] }],
  ask: [
    { pattern: "shared/**", operations: ["create", "delete"] },
    { pattern: "shared/*", operations: ["create"] },
  ],
  deny: [{ pattern: "secret/**", operations: ["read", "create", "delete"] }],
});

const create = (path: string): RequiredPermission => ({ operation: "create", location: `/base/${path}` });
const read = (path: string): RequiredPermission => ({ operation: "read", location: `/base/${path}` });

async function judged(
  needs: readonly RequiredPermission[],
  replies: readonly (string | null | Error)[] | "later" = [],
  answered: readonly Exchange[] = [],
  signal = new AbortController().signal,
): Promise<{ judgement: Judgement; prompts: string[]; audit: AuditEntry[] }> {
  const prompts: string[] = [];
  const audit: AuditEntry[] = [];
  const judgement = await judge({
    policy,
    needs,
    answered,
    signal,
    audit: (entry) => {
      audit.push(entry);
    },
    ask:
      replies === "later"
        ? replies
        : (prompt) => {
            const reply = replies[prompts.length];
            prompts.push(prompt);
            if (reply === undefined) return Promise.reject(new Error("nobody may be asked here"));
            if (reply instanceof Error) return Promise.reject(reply);
            return Promise.resolve(reply === null ? null : Str({ value: reply }));
          },
  });
  return { judgement, prompts, audit };
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a judgement", () => {
  it("asks nobody about what the rules allow, and notes each decision", async () => {
    const { judgement, audit } = await judged([read("a"), create("b"), read("a")]);
    expect(judgement).toEqual({ status: "allowed", exchanges: [] });
    const rule = { list: "allow", pattern: "**" };
    expect(audit).toEqual([
      { ...read("a"), verdict: "allow", rule, answeredBy: "policy" },
      { ...create("b"), verdict: "allow", rule, answeredBy: "policy" },
    ]);
  });

  it("lets others work meanwhile, and ends when the run is cancelled by one of them", async () => {
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 5));
    const cancelling = new AbortController();
    let turns = 0;
    const turn = () => {
      if (++turns === 10) cancelling.abort(new Error("enough"));
      else setImmediate(turn);
    };
    setImmediate(turn);
    const needs = Array.from({ length: 1_000 }, (_, index) => read(`f${index}`));
    await expect(judged(needs, [], [], cancelling.signal)).rejects.toThrow("enough");
    expect(turns).toBe(10);
  });

  it("prompts nobody when a later need is denied (shed 13, PR-07)", async () => {
    const { judgement, prompts, audit } = await judged([
      create("shared/a"),
      read("secret/x"),
      read("secret/y"),
    ]);
    expect(prompts).toEqual([]);
    expect(judgement).toEqual({
      status: "denied",
      reason: "policy_denied",
      message: "Denied read: '/base/secret/x'",
      exchanges: [],
    });
    expect(audit).toEqual([
      {
        ...read("secret/x"),
        verdict: "deny",
        rule: { list: "deny", pattern: "secret/**" },
        answeredBy: "policy",
      },
    ]);
  });

  it("asks once for each need, in order, however many rules want it (PR-01)", async () => {
    const needs = [create("shared/a"), read("shared/a"), create("shared/b"), create("shared/a")];
    const { judgement, prompts, audit } = await judged(needs, ["yes", "y"]);
    expect(prompts).toEqual([
      "Allow create for '/base/shared/a'? (yes/no)",
      "Allow create for '/base/shared/b'? (yes/no)",
    ]);
    expect(judgement.status).toBe("allowed");
    expect(audit.map(({ answeredBy }) => answeredBy)).toEqual(["policy", "user", "user"]);
  });

  it("stops asking at the first no (shed 14)", async () => {
    const needs = [create("shared/a"), create("shared/b"), create("shared/c")];
    const { judgement, prompts } = await judged(needs, ["yes", "no", "yes"]);
    expect(prompts).toHaveLength(2);
    expect(judgement).toMatchObject({
      status: "denied",
      reason: "user_declined",
      message: "The user declined create: '/base/shared/b'",
      exchanges: [{ reply: "yes" }, { reply: "no" }],
    });
  });

  it("tells no reply from a no", async () => {
    const { judgement, audit } = await judged([create("shared/a")], [null]);
    expect(judgement).toMatchObject({ status: "denied", reason: "user_declined" });
    expect(judgement).toHaveProperty("message", expect.stringMatching(/^No reply came/));
    expect(audit).toMatchObject([{ verdict: "deny", answeredBy: "nobody", rule: { list: "ask" } }]);
  });

  it("denies when nobody can be asked (PR-03)", async () => {
    const { judgement, audit } = await judged([create("shared/a")], [new Unavailable("no channel")]);
    expect(judgement).toMatchObject({
      status: "denied",
      reason: "policy_denied",
      message:
        "Permission prompt: Allow create for '/base/shared/a'? (yes/no)\nApproval unavailable: no channel",
    });
    expect(audit).toMatchObject([{ verdict: "deny", answeredBy: "nobody" }]);
  });

  it("lets other failures of asking through, such as that the run was cancelled", async () => {
    await expect(judged([create("shared/a")], [new Error("cancelled")])).rejects.toThrow("cancelled");
  });

  it("waits for one reply after the other when they come from outside", async () => {
    const needs = [create("shared/a"), create("shared/b")];
    const answered: Exchange[] = [];
    for (const need of needs) {
      const { judgement } = await judged(needs, "later", answered);
      expect(judgement).toMatchObject({ status: "waiting", need });
      if (judgement.status === "waiting") answered.push({ prompt: judgement.prompt, reply: "yes" });
    }
    expect((await judged(needs, "later", answered)).judgement).toEqual({
      status: "allowed",
      exchanges: answered,
    });
  });

  it("takes an answer for no other question than its own", async () => {
    const answered = [{ prompt: "Allow create for '/base/shared/a'? (yes/no)", reply: "yes" }];
    const { judgement } = await judged([create("shared/other")], "later", answered);
    expect(judgement).toMatchObject({ status: "waiting", need: create("shared/other") });
  });
});

describe("a reply", () => {
  it.each(["y", "yes", "Y", " YES\n", "\tyes "])("of %j is a yes (shed 10)", (reply) => {
    expect(isApproval(reply)).toBe(true);
  });

  it.each([
    null,
    "",
    " ",
    "yikes",
    "ok",
    "yes please",
    "да",
    "yes\nno",
    "yes\nyes",
    "ye",
    "yeſ",
    "no",
    "true",
    "1",
  ])("of %j is a no (shed 11, PR-02)", (reply) => {
    expect(isApproval(reply)).toBe(false);
  });

  it("is reported as one JSON string, letters as they are (shed 18)", () => {
    expect(exchangeText({ prompt: "Allow?", reply: 'a "é"\nb' })).toBe(
      'Permission prompt: Allow?\nUser reply: "a \\"é\\"\\nb"\nDecision: denied',
    );
    expect(exchangeText({ prompt: "Allow?", reply: null })).toBe(
      "Permission prompt: Allow?\nUser reply: (no reply received)\nDecision: denied",
    );
    expect(exchangeText({ prompt: "Allow?", reply: "yes" })).toMatch(/Decision: allowed$/);
  });
});
