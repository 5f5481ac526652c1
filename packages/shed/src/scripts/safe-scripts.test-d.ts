import type { Capability } from "@roboz/deployment";
import { DeployableAgent } from "@roboz/deployment";
import { describe, expectTypeOf, it } from "vitest";

import type { Sandbox } from "../permissions/sandbox.ts";
import { SafeScripts, type NeedsSandboxRoot, type SafeScriptsSettings } from "./safe-scripts.ts";

declare const sandbox: Sandbox;

describe("SafeScripts", () => {
  it("require a sandbox when they are local, and nothing when a service runs them", () => {
    const local = new SafeScripts({ scriptsDir: "x", timeoutMs: 5 });
    const remote = new SafeScripts({ socketPath: "x" });
    expectTypeOf(local).toExtend<Capability<NeedsSandboxRoot>>();
    expectTypeOf(remote).toExtend<Capability>();
    const systemPrompt = "x";
    new DeployableAgent({ name: "a", systemPrompt, capabilities: [local], attributes: { sandbox } });
    new DeployableAgent({ name: "a", systemPrompt, capabilities: [remote], attributes: {} });
    // @ts-expect-error -- local scripts run in the root of a sandbox, which is not there
    new DeployableAgent({ name: "a", systemPrompt, capabilities: [local], attributes: {} });
  });

  it("take one place, and limits for scripts of this machine only", () => {
    expectTypeOf<object>().not.toExtend<SafeScriptsSettings>();
    expectTypeOf<{ scriptsDir: string; socketPath: string }>().not.toExtend<SafeScriptsSettings>();
    // @ts-expect-error -- neither place is given
    new SafeScripts({});
    // @ts-expect-error -- both places are given
    new SafeScripts({ scriptsDir: "x", socketPath: "y" });
    // @ts-expect-error -- a service has limits of its own
    new SafeScripts({ socketPath: "y", timeoutMs: 5 });
  });
});
