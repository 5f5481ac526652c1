import { Agent, apiUserIo, MockLLMEndpoint, stop, Str } from "@roboz/core";
import { Capability, DeployableAgent, SkillLabel, ToolLabel } from "@roboz/deployment";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";

import { commandNames } from "../commands/command.ts";
import { programPath, type ProgramName } from "../commands/programs.ts";
import { PermissionPolicy } from "../permissions/policy.ts";
import { Sandbox } from "../permissions/sandbox.ts";
import { filesystemSkill } from "./filesystem-skill.ts";
import { Filesystem } from "./filesystem.ts";
import { filesystemInstructions } from "./instructions.ts";

let base = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "roboz-filesystem-")));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true });
});

const done = { action: "stop", rationale: "Done.", value: "done" };
const inputs = z
  .array(z.union([z.looseObject({ value: z.array(z.unknown()) }), z.looseObject({ path: z.string() })]))
  .parse(
    filesystemInstructions
      .split("\n")
      .flatMap((line): unknown[] => (line.startsWith("{") ? [JSON.parse(line)] : [])),
  );

describe("the instructions of the filesystem skill", () => {
  it("can be followed word by word: every input in them works, in their order", async () => {
    mkdirSync(join(base, "notes/sub"), { recursive: true });
    writeFileSync(join(base, "notes/today.md"), "Buy milk\nTODO: rest\nTODO: write\n");
    writeFileSync(join(base, "notes/plan.md"), "A plan. TODO\n");
    writeFileSync(join(base, "notes/sub/deep.md"), "deep\n");
    vi.stubEnv("XDG_DATA_HOME", join(base, "data"));
    const skill = filesystemSkill({ policy: PermissionPolicy.local(base) });
    const calls = inputs.map((input) => ({
      action: "value" in input ? "run_file_command" : "apply_patch",
      rationale: "As the instructions say.",
      ...input,
    }));
    const endpoint = new MockLLMEndpoint([...calls, done]);
    const agent = new Agent({
      name: "filing",
      systemPrompt: "Work.",
      endpoint,
      tools: [stop],
      autoLoadedSkills: [skill],
    });
    const { messages } = await agent.complete();
    const reports = messages.flatMap(({ content }) => {
      const fields = z.object({
        value: z.string(),
        outcome: z.string().optional(),
        ending: z.string().optional(),
      });
      const parsed = fields.safeParse(content.startsWith("{") ? JSON.parse(content) : undefined).data;
      return parsed?.outcome === undefined && parsed?.ending === undefined ? [] : [parsed];
    });
    expect(inputs.length).toBeGreaterThan(15);
    expect(reports).toHaveLength(inputs.length);
    expect(
      reports.filter(({ value, outcome }) => !value.startsWith("Overall: success") && outcome !== "done"),
    ).toEqual([]);
    expect(readFileSync(join(base, "notes/today.md"), "utf8")).toBe(
      "Buy oat milk\nDONE: rest\nDONE: write\nA line.\n",
    );
    expect(readFileSync(join(base, "site/index.html"), "utf8")).toBe("<p>Hello</p>\n");
    expect(readFileSync(join(base, "drafts/old/new.md"), "utf8")).toBe("A new file.\n");
    expect(readFileSync(join(base, "data/Trash/files/plan.md"), "utf8")).toBe("A plan. TODO\n");
    expect(readdirSync(join(base, "drafts"))).toEqual(["old"]);
  });

  it("show every command by an input, and name only tools that the skill has", () => {
    const shown = new Set<unknown>();
    for (const { value } of z
      .array(z.looseObject({ value: z.array(z.array(z.string())).optional() }))
      .parse(inputs))
      for (const [text, tag] of value ?? []) if (tag === "CMD") shown.add(text);
    expect([...shown].sort()).toEqual([...commandNames].sort());
    expect(filesystemInstructions).toContain(`: ${commandNames.join(" ")}.`);
    const skill = filesystemSkill({ policy: PermissionPolicy.local(base) });
    expect(skill.tools.map(({ name }) => name)).toEqual([
      "run_file_command",
      "guard_file_command",
      "execute_file_command",
      "continue_file_command",
      "apply_patch",
      "operation_guard",
      "execute_apply_patch_replace",
    ]);
    const named = filesystemInstructions.match(/\b[a-z]+(?:_[a-z]+)+\b/g);
    expect(new Set(named)).toEqual(
      new Set(["run_file_command", "apply_patch", "old_string", "new_string", "replace_all"]),
    );
    expect(skill.name).toBe("filesystem");
  });
});

describe("the capability Filesystem", () => {
  it("works in the project of the agent's sandbox, and asks before it writes to the shared area", async () => {
    const write = (path: string): object => ({
      action: "apply_patch",
      rationale: "A file.",
      path,
      old_string: "",
      new_string: "x",
    });
    const prompts: string[] = [];
    const ending = new Capability({ label: ToolLabel("stop"), value: stop });
    const sandbox = new Sandbox({ root: base, scope: "mine" });
    const assistant = new DeployableAgent({
      name: "assistant",
      systemPrompt: "Work on files.",
      capabilities: [new Filesystem(), ending],
      attributes: { sandbox },
    });
    assistant.setAgentEndpoint(
      new MockLLMEndpoint([
        write("projects/mine/a"),
        write("shared/b"),
        write("projects/other/c"),
        { action: "stop", rationale: "Done.", value: "" },
      ]),
    );
    const { root } = assistant.build();
    const io = apiUserIo({
      requestInput: (question) => {
        prompts.push(question);
        return Promise.resolve(Str({ value: "yes" }));
      },
      notify: () => undefined,
    });
    const { messages } = await root.complete(undefined, { io });
    expect(prompts).toEqual([`Allow create for '${base}/shared/b'? (yes/no)`]);
    expect(readFileSync(join(base, "projects/mine/a"), "utf8")).toBe("x");
    expect(readFileSync(join(base, "shared/b"), "utf8")).toBe("x");
    expect(
      messages.some(({ content }) => content.includes(`Denied create: '${base}/projects/other/c'`)),
    ).toBe(true);
  });

  it("is a skill called filesystem, loaded when a run starts, unless its label says otherwise", () => {
    expect(new Filesystem().label).toMatchObject({ kind: "skill", name: "filesystem", loading: "automatic" });
    const label = SkillLabel("files", { selectable: true });
    expect(new Filesystem({ label }).label).toEqual(label);
  });

  it("says which programs it needs, and looks for them where searches do", async () => {
    const agent = new DeployableAgent({
      name: "clerk",
      capabilities: [new Filesystem()],
      attributes: { sandbox: new Sandbox({ root: base, scope: "desk" }) },
    });
    const needed = agent.externalDependencies();
    expect(needed.map(({ dependencyId }) => dependencyId)).toEqual(["executable:rg", "executable:grep"]);
    vi.stubEnv("PATH", base);
    const failures = await Promise.all(needed.map((dependency) => dependency.check()));
    const names: readonly ProgramName[] = ["rg", "grep"];
    expect(failures.map((failure) => failure === null)).toEqual(
      names.map((name) => programPath(name, base) !== undefined),
    );
  });

  it("requires a sandbox", () => {
    const agent: DeployableAgent = new DeployableAgent({ name: "assistant", systemPrompt: "x" });
    agent.addCapabilities(new Filesystem());
    expect(() => {
      agent.validate();
    }).toThrow(/sandbox/);
  });
});
