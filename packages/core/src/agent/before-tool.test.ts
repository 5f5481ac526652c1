import { describe, expect, it } from "vitest";

import { MockLLMEndpoint } from "../llm/mock.ts";
import { stop } from "../tools/builtin/stop.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Str } from "../values/builtin.ts";
import { Agent } from "./agent.ts";
import { call } from "./__fixtures__/runs.ts";
import type { RunOptions, ToolStart } from "./settings.ts";

const done: string[] = [];
const sweep = tool({
  name: "sweep",
  description: "Sweep.",
  input: Empty,
  output: Str,
  run: () => {
    done.push("sweep");
    return Str({ value: "swept" });
  },
});
const lock = tool({
  name: "lock",
  description: "Lock.",
  input: Str,
  output: Empty,
  chainedTo: sweep,
  run: () => Empty(),
});

const agent = (): Agent =>
  new Agent({
    name: "a",
    mode: "autonomous",
    systemPrompt: "Go.",
    endpoint: new MockLLMEndpoint([call("sweep"), call("stop", { value: "bye" })]),
    tools: [sweep, lock, stop],
  });

describe("what a host does before a tool runs", () => {
  it("is done before each tool's body, and says who chose it", async () => {
    done.length = 0;
    const seen: (ToolStart & { readonly before: number })[] = [];
    const beforeTool = async (start: ToolStart): Promise<void> => {
      await Promise.resolve();
      seen.push({ ...start, before: done.length });
    };
    await agent().complete(undefined, { beforeTool });
    expect(seen).toEqual([
      { toolName: "sweep", chosenBy: "model", input: {}, before: 0 },
      { toolName: "lock", chosenBy: "chain", input: { value: "swept" }, before: 1 },
      { toolName: "stop", chosenBy: "model", input: { value: "bye" }, before: 1 },
    ]);
  });

  it("keeps the body from running when it fails, and fails the run", async () => {
    done.length = 0;
    const beforeTool = (): Promise<void> => Promise.reject(new Error("the host lost its lease"));
    await expect(agent().invoke(undefined, { beforeTool })).rejects.toThrow("lost its lease");
    expect(done).toEqual([]);
  });

  it("is not gone on after when the run was cancelled meanwhile", async () => {
    done.length = 0;
    const controller = new AbortController();
    const beforeTool = (): void => {
      controller.abort("enough");
    };
    const result = await agent().invoke(undefined, { beforeTool, signal: controller.signal });
    expect(result).toMatchObject({ status: "cancelled", reason: "enough" });
    expect(done).toEqual([]);
  });

  it("is refused when it is no function", () => {
    const options: unknown = { beforeTool: "soon" };
    const start: unknown = Reflect.get(agent(), "start");
    expect(() => {
      if (typeof start === "function") Reflect.apply(start, agent(), [undefined, options]);
    }).toThrow(expect.objectContaining({ code: "core/agent-definition" }));
  });

  it("may be left out", async () => {
    const options: RunOptions = { beforeTool: undefined };
    expect((await agent().complete(undefined, options)).output.value).toBe("bye");
  });
});
