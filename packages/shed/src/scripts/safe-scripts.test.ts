import { type Agent, MockLLMEndpoint, stop } from "@roboz/core";
import { Capability, DeployableAgent, ToolLabel } from "@roboz/deployment";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { Sandbox } from "../permissions/sandbox.ts";
import { scriptFolder, type ScriptFolder } from "./__fixtures__/script-folder.ts";
import { SafeScripts } from "./safe-scripts.ts";
import { scriptTool } from "./script-tool.ts";

let folder: ScriptFolder;
beforeEach(() => {
  folder = scriptFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

const ending = new Capability({ label: ToolLabel("stop"), value: stop });

describe("the capability SafeScripts", () => {
  it("runs scripts in the root of the agent's sandbox", async () => {
    folder.write("where.sh", "pwd");
    const assistant = new DeployableAgent({
      name: "assistant",
      systemPrompt: "Run scripts.",
      capabilities: [new SafeScripts({ scriptsDir: folder.scriptsDir }), ending],
      attributes: { sandbox: new Sandbox({ root: folder.root }) },
    });
    assistant.setAgentEndpoint(
      new MockLLMEndpoint([
        { action: "run_shell_script", rationale: "To know.", script: "where.sh" },
        { action: "stop", rationale: "Done.", value: "" },
      ]),
    );
    expect(assistant.externalDependencies()).toMatchObject([{ dependencyId: "executable:bash" }]);
    const { messages } = await assistant.build().root.complete();
    expect(messages.some(({ content }) => content.includes(`${folder.root}\\n`))).toBe(true);
  });

  it("lets one script run at a time in all that it builds", async () => {
    folder.write("a.sh", "sleep 0.3");
    const capability = new SafeScripts({ scriptsDir: folder.scriptsDir });
    const built = (name: string): Agent => {
      const agent = new DeployableAgent({
        name,
        systemPrompt: "Run scripts.",
        capabilities: [capability, ending],
        attributes: { sandbox: { root: folder.root } },
      });
      agent.setAgentEndpoint(
        new MockLLMEndpoint([
          { action: "run_shell_script", rationale: "Now.", script: "a.sh" },
          { action: "stop", rationale: "Done.", value: "" },
        ]),
      );
      return agent.build().root;
    };
    const runs = await Promise.all(["one", "two"].map((name) => built(name).complete()));
    const texts = runs.map(({ messages }) => messages.map(({ content }) => content).join("\n"));
    expect(texts.filter((text) => text.includes('"status":"success"'))).toHaveLength(1);
    expect(texts.filter((text) => text.includes('"status":"busy"'))).toHaveLength(1);
  });

  it("is a tool called safe_scripts, unless its label says otherwise", () => {
    expect(new SafeScripts({ scriptsDir: "x" }).label).toEqual(ToolLabel("safe_scripts"));
    const label = ToolLabel("scripts", { selectable: true });
    expect(new SafeScripts({ scriptsDir: "x", label }).label).toEqual(label);
  });

  it("requires a sandbox for scripts of this machine", () => {
    const agent: DeployableAgent = new DeployableAgent({ name: "assistant", systemPrompt: "x" });
    agent.addCapabilities(new SafeScripts({ scriptsDir: "x" }));
    expect(() => {
      agent.validate();
    }).toThrow(/sandbox/);
  });

  it.skipIf(process.platform !== "linux")(
    "requires nothing for scripts of a service, and needs its socket",
    () => {
      const socketPath = join(folder.root, "run/socket");
      const agent = new DeployableAgent({
        name: "assistant",
        systemPrompt: "x",
        capabilities: [new SafeScripts({ socketPath })],
      });
      agent.validate();
      expect(agent.externalDependencies()).toMatchObject([{ dependencyId: `script_socket:${socketPath}` }]);
    },
  );

  it.each([
    { why: "neither place", setting: "scriptsDir", given: {} },
    { why: "both places", setting: "scriptsDir", given: { scriptsDir: "x", socketPath: "y" } },
    { why: "an empty directory", setting: "scriptsDir", given: { scriptsDir: "" } },
    { why: "a directory that is no text", setting: "scriptsDir", given: { scriptsDir: 5 } },
    { why: "an empty socket", setting: "socketPath", given: { socketPath: "" } },
    { why: "a time for a service", setting: "timeoutMs", given: { socketPath: "y", timeoutMs: 5 } },
    { why: "bytes for a service", setting: "maxOutputBytes", given: { socketPath: "y", maxOutputBytes: 5 } },
    { why: "variables for a service", setting: "allowEnv", given: { socketPath: "y", allowEnv: [] } },
    { why: "no time at all", setting: "timeoutMs", given: { scriptsDir: "x", timeoutMs: 0 } },
    {
      why: "a variable that is never allowed",
      setting: "allowEnv",
      given: { scriptsDir: "x", allowEnv: ["ENV"] },
    },
  ])("refuses $why when it is made", ({ setting, given }) => {
    expect(() => void Reflect.construct(SafeScripts, [given])).toThrow(
      expect.objectContaining({ code: "shed/script-settings", setting }),
    );
  });
});

describe("the tool run_shell_script", () => {
  it("refuses a working directory that is no path", () => {
    expect(() => scriptTool({ scriptsDir: "x", cwd: "" })).toThrow(
      expect.objectContaining({ code: "shed/script-settings", setting: "cwd" }),
    );
  });

  it("needs bash", () => {
    expect(scriptTool({ scriptsDir: "x" }).externalDependencies()).toMatchObject([
      { dependencyId: "executable:bash" },
    ]);
  });
});
