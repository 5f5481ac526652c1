import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ExecutableDependency } from "../dependencies/executable.ts";
import { MockLLMEndpoint } from "../llm/mock.ts";
import type { RunEvent } from "../runtime/events.ts";
import { factory } from "../tools/factory.ts";
import { when } from "../tools/link.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Int, Stop, Str } from "../values/builtin.ts";
import { Agent } from "./agent.ts";
import { describeTable } from "./describe.ts";

const askNumber = tool({
  name: "ask_number",
  description: "Ask for a number.",
  input: Empty,
  output: Int,
  run: () => Int({ value: 1 }),
});
const praise = tool({
  name: "praise",
  description: "Praise\n an odd \u001b[31mchoice.",
  input: Int,
  output: Str,
  chainedTo: when(askNumber, ({ value }) => value % 2 === 1),
  run: ({ value }) => Str({ value: `${value}` }),
});
const publish = factory<unknown>()({
  name: "publish",
  description: "Publish it, and then do a number of other things that nobody wants to read of.",
  input: Str,
  output: Stop,
  chainedTo: praise,
  run: ({ value }) => Stop({ value }),
});
const clock = tool({ name: "clock", description: "", input: Empty, output: Empty, run: () => Empty() });

const press = new ExecutableDependency("press");
const paper = {
  dependencyId: "paper",
  kind: "network_service",
  redactedMetadata: () => ({}),
  check: () => Promise.resolve(null),
};

function numbers(context: unknown = { externalDependencies: () => [press, paper, press] }) {
  const endpoint = new MockLLMEndpoint([]);
  const events: RunEvent[] = [];
  const agent = new Agent({
    name: "numbers",
    description: "Plays with numbers.",
    mode: "autonomous",
    systemPrompt: "Play.",
    automaticToolPrompt: false,
    endpoint,
    tools: [publish(context), praise, askNumber],
    defaultTools: [clock],
    initialMessages: ["Be quick."],
    sinks: [(event) => void events.push(event)],
  });
  return { agent, endpoint, events };
}

describe("agent.describe", () => {
  it("lists tools by type, with their links and needs, and the messages at the start", async () => {
    const { agent } = numbers();
    expect(await agent.describe()).toEqual({
      name: "numbers",
      description: "Plays with numbers.",
      mode: "autonomous",
      model: { apiName: "mock", modelName: "mock" },
      tools: [
        expect.objectContaining({ type: "Prompter", name: "prompt_llm", parents: [], dependencies: [] }),
        expect.objectContaining({ type: "Active", name: "ask_number", description: "Ask for a number." }),
        expect.objectContaining({
          type: "Passive",
          name: "publish",
          parents: [{ name: "praise", isConditional: false }],
          dependencies: ["executable:press", "paper"],
        }),
        expect.objectContaining({
          type: "Passive",
          name: "praise",
          parents: [{ name: "ask_number", isConditional: true }],
          dependencies: [],
        }),
        expect.objectContaining({ type: "Default", name: "clock" }),
      ],
      messages: [
        expect.objectContaining({ role: "system", content: "Play.", messageKind: "system_message" }),
        expect.objectContaining({ role: "user", content: "Be quick.", messageKind: "startup_context" }),
      ],
    });
  });

  it("names a context that is itself a dependency", async () => {
    const { tools } = await numbers(press).agent.describe();
    expect(tools.find(({ name }) => name === "publish")?.dependencies).toEqual(["executable:press"]);
  });

  it.each([
    { why: "no list", given: () => press },
    { why: "a list with something else in it", given: () => [press, { name: "paper" }] },
    { why: "a list with a null in it", given: () => [null] },
    { why: "a list of what has no name", given: () => [{ dependencyId: 1 }] },
  ])("refuses needs that are $why", async ({ given }) => {
    await expect(numbers({ externalDependencies: given }).agent.describe()).rejects.toMatchObject({
      code: "core/tool-definition",
      toolName: "publish",
    });
  });

  it("describes a deterministic agent without a prompt", async () => {
    const agent = new Agent({ name: "ticker", mode: "deterministic", defaultTools: [clock] });
    expect(await agent.describe()).toMatchObject({ mode: "deterministic", model: null, messages: [] });
  });

  describe("with a file among the initial messages", () => {
    let folder = "";
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), "describe-"));
      await writeFile(join(folder, "notes.md"), "Remember.");
    });
    afterEach(async () => {
      await rm(folder, { recursive: true });
    });

    it("core 71, and instead of core 98 (`agent.describe()`, issue 2): sends no event, asks no model and creates no file", async () => {
      const { agent, endpoint, events } = numbers();
      const reading = agent.copy({ initialMessages: [{ path: folder }] });
      const { messages } = await reading.describe();
      expect(messages.at(-1)?.content).toBe('{"value":"Remember."}');
      expect(events).toEqual([]);
      expect(endpoint.requests).toEqual([]);
      expect(await readdir(folder)).toEqual(["notes.md"]);
    });
  });
});

describe("describeTable", () => {
  it("prints an agent as aligned plain text", async () => {
    expect(describeTable(await numbers().agent.describe())).toBe(`numbers: autonomous, asks mock at mock
Plays with numbers.

Type      Name        Description                                                   Chained to         Needs
--------  ----------  ------------------------------------------------------------  -----------------  -----------------------
Prompter  prompt_llm  Asks the model for the next action.
Active    ask_number  Ask for a number.
Passive   publish     Publish it, and then do a number of other things that nobod…  praise             executable:press, paper
Passive   praise      Praise an odd ␛[31mchoice.                                    ask_number (when)
Default   clock

Role    Kind             Content
------  ---------------  ---------
system  system_message   Play.
user    startup_context  Be quick.
`);
  });

  it("leaves out what there is nothing of", async () => {
    const agent = new Agent({ name: "ticker", mode: "deterministic", defaultTools: [clock] });
    const text = describeTable(await agent.describe());
    expect(text).not.toMatch(/Chained to|Needs|Role|asks/);
    expect(text).toContain("Default  clock\n");
  });
});
