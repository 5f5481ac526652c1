import {
  Agent,
  apiUserIo,
  memoryJournalStore,
  MockLLMEndpoint,
  replayRun,
  resumeRun,
  stop,
  Str,
} from "@roboz/core";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { filesystemSkill } from "../filesystem/filesystem-skill.ts";
import { pdfSkill } from "../pdf/pdf-skill.ts";
import { PermissionPolicy } from "../permissions/policy.ts";
import { allowAll, words } from "./__fixtures__/session.ts";

let base: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "shed-replay-")));
  mkdirSync(join(base, "shared"));
  writeFileSync(join(base, "note"), "one\n");
  writeFileSync(join(base, "big"), "a line\n".repeat(20_000));
});

afterEach(() => {
  rmSync(base, { recursive: true });
});

/** An agent on files; without a script, its model answers nothing. */
function agentOf(script: readonly Record<string, unknown>[] = []): Agent {
  const policy = new PermissionPolicy({
    base,
    allow: allowAll,
    ask: [{ pattern: "shared/**", operations: ["create", "read", "delete"] }],
  });
  return new Agent({
    name: "filing",
    systemPrompt: "Work on files.",
    endpoint: new MockLLMEndpoint(script.map((call) => ({ rationale: "Files.", ...call }))),
    tools: [stop],
    autoLoadedSkills: [filesystemSkill({ policy }), pdfSkill({ policy })],
  });
}

const yes = apiUserIo({
  requestInput: () => Promise.resolve(Str({ value: "yes" })),
  notify: () => undefined,
});

const command = (line: string) => ({ action: "run_file_command", value: words(line) });

describe("a recorded run that worked on files", () => {
  it.each([
    { why: "reading and a pipe", call: command("cat note | wc -l && ls") },
    { why: "a pipe that is too large to be carried along", call: command("cat big | wc -c") },
    { why: "a refusal", call: command("cat nothing ; rm /etc/passwd") },
    { why: "a change", call: command("tee =text made"), made: "made" },
    { why: "a change that was asked for", call: command("tee =text shared/made"), made: "shared/made" },
    {
      why: "a patch",
      call: { action: "apply_patch", path: "made", old_string: "", new_string: "x" },
      made: "made",
    },
  ])("is replayed, and changes nothing again: $why", async ({ call, made }) => {
    const journal = memoryJournalStore();
    const recorded = agentOf([call, { action: "stop", value: "done" }]);
    await recorded.complete(undefined, { journal, runId: "r", io: yes });
    if (made !== undefined) rmSync(join(base, made));
    expect(await replayRun(journal, "r", agentOf())).toMatchObject({ result: { status: "completed" } });
    if (made !== undefined) expect(existsSync(join(base, made))).toBe(false);
  });

  it.each(
    [
      { why: "a removal", call: command("rm shared/old") },
      { why: "a reading", call: command("cat shared/old") },
      { why: "a reading of no PDF", call: { action: "process_pdf", path: "shared/old" } },
      {
        why: "a patch",
        call: { action: "apply_patch", path: "shared/old", old_string: "old", new_string: "new" },
      },
    ].flatMap((row) => [
      { ...row, how: "at once" },
      { ...row, how: "after a wait" },
    ]),
  )("is replayed on files that were put back, where a person answered $how: $why", async ({ call, how }) => {
    const file = join(base, "shared/old");
    writeFileSync(file, "old\n");
    const journal = memoryJournalStore();
    const script = [call, { action: "stop", value: "done" }];
    const agent = agentOf(script);
    const waits = how === "after a wait";
    let result = await agent.invoke(undefined, { journal, runId: "r", ...(waits ? {} : { io: yes }) });
    for (; result.status === "suspended"; result = await resumeRun(journal, "r", agent, { reply: "yes" }));
    expect(result.status).toBe("completed");
    rmSync(file, { force: true });
    writeFileSync(join(base, "taken"), "the place on disk of the old one");
    writeFileSync(file, "old\n");
    expect(await replayRun(journal, "r", agentOf())).toMatchObject({ result: { status: "completed" } });
    expect(readFileSync(file, "utf8")).toBe("old\n");
  });

  it("tells two calls of one request apart", async () => {
    const calls = [command("tee -a =x note"), command("tee -a =x note"), { action: "stop", value: "done" }];
    const journal = memoryJournalStore();
    await agentOf(calls).complete(undefined, { journal, runId: "r" });
    const { result } = await replayRun(journal, "r", agentOf());
    expect(result?.status).toBe("completed");
    const lines = (await journal.read("r")) ?? [];
    expect(new Set(lines.join("\n").match(/file-command:[0-9a-f]+/g)).size).toBe(2);
  });
});
