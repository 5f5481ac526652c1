import { Str, UserInputUnavailableError, type UserIo } from "@roboz/core";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { commandDefinitions } from "../commands/definitions.ts";
import { scriptedCommands } from "./__fixtures__/scripted-commands.ts";
import {
  allowAll,
  reportOf,
  session,
  throughJson,
  words,
  type SessionSettings,
} from "./__fixtures__/session.ts";

let base = "";
beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "roboz-chain-")));
  for (const file of ["a", "b", "secret/x", "shared/one", "shared/two", "shared/three"]) {
    mkdirSync(dirname(join(base, file)), { recursive: true });
    writeFileSync(join(base, file), file);
  }
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => {
  rmSync(base, { recursive: true });
});

function report(line: string, settings: Omit<SessionSettings, "base"> = {}): Promise<string> {
  return session({ base, ...settings }).report(words(line));
}

const asking: SessionSettings["policy"] = {
  allow: allowAll,
  ask: [{ pattern: "shared/**", operations: ["create"] }],
  deny: [{ pattern: "secret/**", operations: ["read"] }],
};

it("a file command that needs very much lets others work while its decisions are told", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 5));
  const needs = Array.from({ length: 500 }, (_, index) => ` -read f${index}`);
  const { events, invoke } = session({ base }, words(`tee${needs.join("")}`));
  const decisions = () =>
    events.filter((event) => event.type === "runtime" && event.data["audit"] === "permission");
  const cancelling = new AbortController();
  const turn = () => {
    if (decisions().length > 0) cancelling.abort();
    else setImmediate(turn);
  };
  setImmediate(turn);
  expect(await invoke(cancelling.signal)).toMatchObject({ status: "cancelled" });
  expect(decisions().length).toBeGreaterThan(0);
  expect(decisions().length).toBeLessThan(500);
});

describe("a file command that needs a person's yes", () => {
  const line = "tee -create shared/one -create shared/two -read a =out:done";
  const prompt = (name: string): string => `Allow create for '${base}/shared/${name}'? (yes/no)`;

  it("asks for each need on a live channel, and reports the exchange (PR-01, shed 17)", async () => {
    const { report: send, prompts } = session({ base, policy: asking, replies: ["yes", " Y\n"] });
    const text = await send(words(`${line} =exit:4`));
    expect(prompts).toEqual([prompt("one"), prompt("two")]);
    expect(text.split("\n").slice(0, 7)).toEqual([
      "Overall: failure (exit 4)",
      `Permission prompt: ${prompt("one")}`,
      'User reply: "yes"',
      "Decision: allowed",
      `Permission prompt: ${prompt("two")}`,
      'User reply: " Y\\n"',
      "Decision: allowed",
    ]);
  });

  it("does nothing after a no, and the sequence goes on (shed 14, shed 44)", async () => {
    const log: string[] = [];
    const { report: send, prompts } = session({ base, policy: asking, replies: ["yes", "ok"], log });
    const text = await send(
      words(`ls ; ${line} ; pwd -create shared/three`.replace(" -create shared/three", "")),
    );
    expect(prompts).toHaveLength(2);
    expect(log.filter((entry) => entry.endsWith("ran"))).toEqual(["ls: ran", "pwd: ran"]);
    expect(text).toContain(`The user declined create: '${base}/shared/two'`);
  });

  it("asks again for the same command (shed 20, PR-04)", async () => {
    const { report: send, prompts } = session({ base, policy: asking, replies: ["no", "yes"] });
    expect(await send(words("tee -create shared/one"))).toMatch(/^Overall: failure/);
    expect(await send(words("tee -create shared/one"))).toMatch(/^Overall: success/);
    expect(prompts).toEqual([prompt("one"), prompt("one")]);
  });

  it("is denied when nobody is there and it is not to wait (shed 12, PR-03)", async () => {
    const log: string[] = [];
    const text = await report(`${line} || ls`, { policy: asking, whenAway: "deny", log });
    expect(text).toContain("Approval unavailable");
    expect(log.filter((entry) => entry.endsWith("ran"))).toEqual(["ls: ran"]);
  });

  it("is denied when the question fails (PR-03)", async () => {
    expect(await report(line, { policy: asking, replies: [] })).toContain("Approval unavailable: Error");
  });

  it("waits when the person goes away while being asked, as a terminal whose input ends, or is denied", async () => {
    for (const whenAway of ["suspend", "deny"] as const) {
      const replies = ["yes"];
      const io: UserIo = {
        get isLive() {
          return replies.length > 0;
        },
        ask: () => {
          const reply = replies.pop();
          if (reply !== undefined) replies.push(reply.slice(1));
          if (reply === "yes") return Promise.resolve(Str({ value: reply }));
          replies.length = 0;
          return Promise.reject(new UserInputUnavailableError());
        },
        notify: () => Promise.resolve(),
      };
      const log: string[] = [];
      const { agent, invoke } = session({ base, policy: asking, io, whenAway, log }, words(line));
      const first = await invoke();
      if (whenAway === "deny") {
        expect(reportOf(first)).toContain("Approval unavailable");
        continue;
      }
      if (first.status !== "suspended") throw new Error(`the run is ${first.status}`);
      expect(first.request).toMatchObject({ question: prompt("two") });
      const text = reportOf(await agent.resume(throughJson(first.snapshot), "yes"));
      expect(text.match(/Decision: allowed/g)).toHaveLength(2);
      expect(log.filter((entry) => entry === "tee: ran")).toHaveLength(1);
    }
  });

  it("suspends the run where nobody is there, and goes on with each reply, in another process too (design 3)", async () => {
    const log: string[] = [];
    const { agent, invoke } = session(
      { base, policy: asking, log },
      words(`cat =out:piped | ${line} =copy ; pwd`),
    );
    let result = await invoke();
    for (const name of ["one", "two"]) {
      if (result.status !== "suspended") throw new Error(`the run is ${result.status}`);
      expect(result.toolName).toBe("guard_file_command");
      expect(result.request).toEqual({
        type: "permission-request",
        question: prompt(name),
        operation: "create",
        location: join(base, "shared", name),
        command: "tee shared/one shared/two a",
      });
      expect(log).not.toContain("tee: ran");
      // Another process has the snapshot's JSON and tools of its own.
      const other = session({ base, policy: asking, log }, [["pwd", "CMD"]]);
      const next = name === "two" ? agent : other.agent;
      result = await next.resume(throughJson(result.snapshot), "yes");
    }
    expect(result.status).toBe("completed");
    const text = reportOf(result);
    expect(text).toContain("donepiped");
    expect(text).toContain(`Permission prompt: ${prompt("two")}\nUser reply: "yes"\nDecision: allowed`);
    expect(log.filter((entry) => entry === "tee: ran")).toHaveLength(1);
  });

  it("is not run when the reply to a suspended run is no", async () => {
    const log: string[] = [];
    const { agent, invoke } = session({ base, policy: asking, log }, words("tee -create shared/one || ls"));
    const waiting = await invoke();
    if (waiting.status !== "suspended") throw new Error(waiting.status);
    const result = await agent.resume(waiting.snapshot, "yes please");
    expect(reportOf(result)).toContain("The user declined");
    expect(log.filter((entry) => entry.endsWith("ran"))).toEqual(["ls: ran"]);
  });

  it("refuses a reply without a text, and still waits", async () => {
    const { agent, invoke } = session({ base, policy: asking }, words("tee -create shared/one"));
    const waiting = await invoke();
    if (waiting.status !== "suspended") throw new Error(waiting.status);
    await expect(agent.resume(waiting.snapshot, { isApproved: true })).rejects.toMatchObject({
      code: "core/reply",
    });
    expect(reportOf(await agent.resume(waiting.snapshot, { value: "yes" }))).toMatch(/^Overall: success/);
  });

  it("is not run when something else stands there by the time of the yes (RC-04)", async () => {
    for (const isLive of [true, false]) {
      const log: string[] = [];
      let seen = 0;
      const definitions = scriptedCommands({ log, fingerprint: () => String(seen++) });
      const settings = { base, policy: asking, log, changes: { definitions } };
      const { agent, invoke } = session(
        isLive ? { ...settings, replies: ["yes"] } : settings,
        words("tee -create shared/one"),
      );
      const first = await invoke();
      const result = first.status === "suspended" ? await agent.resume(first.snapshot, "yes") : first;
      expect(reportOf(result)).toContain("the approval is void");
      expect(log).not.toContain("tee: ran");
    }
  });

  it("says that entries left out may need a yes of their own, where reading is asked for (design 18)", async () => {
    const read = ["read" as const];
    const policy = { allow: allowAll, ask: [{ pattern: "shared/**", operations: read }] };
    const changes = { definitions: commandDefinitions };
    const { report: send } = session({ base, policy, replies: ["yes"], changes });
    expect(await send(words("ls shared"))).toContain(
      "[3 entries left out: reading them is not allowed, or needs a person's yes that was not asked for]",
    );
  });

  it("keeps the exchange in a report that is cut (shed 19)", async () => {
    const text = await report(`tee -create shared/one =bytes:60000 =out:END`, {
      policy: asking,
      replies: ["yes"],
    });
    expect(text.length).toBeLessThanOrEqual(40_000);
    expect(text.split("\n").slice(0, 5)).toEqual([
      "Overall: success (exit 0)",
      `Permission prompt: ${prompt("one")}`,
      'User reply: "yes"',
      "Decision: allowed",
      "[earlier command output omitted]",
    ]);
    expect(text).toContain("END\n--- end: tee shared/one ---");
  });
});

describe("the decisions of the guard", () => {
  it("are events that name operation, place, rule, verdict and who answered, and hold no content", async () => {
    const { report: send, events } = session({ base, policy: asking, replies: ["no"] });
    await send(
      words("cat -read a =out:CONTENT ; cat -read secret/x ; tee -create shared/one ; ls -read ../elsewhere"),
    );
    const audits = events.flatMap((event) =>
      event.type === "runtime" && event.data["audit"] === "permission" ? [event] : [],
    );
    const common = { audit: "permission", tool: "guard_file_command" };
    expect(audits.map(({ data }) => data)).toEqual([
      {
        ...common,
        command: "cat",
        operation: "read",
        location: join(base, "a"),
        verdict: "allow",
        rule_list: "allow",
        rule_pattern: "**",
        answered_by: "policy",
      },
      {
        ...common,
        command: "cat",
        operation: "read",
        location: join(base, "secret/x"),
        verdict: "deny",
        rule_list: "deny",
        rule_pattern: "secret/**",
        answered_by: "policy",
      },
      {
        ...common,
        command: "tee",
        operation: "create",
        location: join(base, "shared/one"),
        verdict: "deny",
        rule_list: "ask",
        rule_pattern: "shared/**",
        answered_by: "user",
      },
      {
        ...common,
        command: "ls",
        operation: "read",
        location: join(dirname(base), "elsewhere"),
        verdict: "deny",
        rule_list: "default",
        rule_pattern: null,
        answered_by: "policy",
      },
    ]);
    expect(JSON.stringify(audits)).not.toContain("CONTENT");
  });

  it("are made anew for each command of a sequence (PR-10, shed 7)", async () => {
    let area = "a";
    const policy = { allow: [{ pattern: () => area, operations: ["read" as const] }] };
    const log: string[] = [];
    const definitions = scriptedCommands({ log });
    const { report: send } = session({ base, policy, log, changes: { definitions } });
    const text = send(words("cat -read a ; cat -read b ; ls"));
    expect(await text).toContain(`Denied read: '${base}/b'`);
    area = "b";
    expect(await send(words("cat -read b"))).toMatch(/^Overall: success/);
  });
});
