import { describe, expect, it } from "vitest";

import { systemPromptFor, type SystemPromptParts } from "./system-prompt.ts";
import type { PromptTool } from "./tool-list.ts";

function callOf(name: string, properties: object = {}, required = Object.keys(properties)): object {
  return {
    type: "object",
    properties: { action: { const: name }, rationale: { type: "string" }, ...properties },
    required: ["action", "rationale", ...required],
    additionalProperties: false,
  };
}

function toolOf(
  name: string,
  description: string,
  properties?: object,
  required?: readonly string[],
): PromptTool {
  return { name, description, callSchema: callOf(name, properties, required && [...required]) };
}

function parsed(json: string): object {
  const value: unknown = JSON.parse(json);
  return { ...(typeof value === "object" ? value : undefined) };
}

const text = { type: "string" };
const promptUser = toolOf("prompt_user", "Ask the user and wait for the reply.", { value: text });
const fiveTools = [
  toolOf("ask_bob", "Ask Bob whether he has time for lunch."),
  toolOf("find_restaurant", "Find a restaurant near the office.", { cuisine: text }),
  toolOf("book_table", "Book a table.", { restaurant: text, seats: { type: "integer" } }),
  toolOf("add_to_calendar", "Add the lunch to the calendar.", { title: text, time: text }),
  toolOf("notify", "Tell Bob when and where.", { value: text }),
];
const autonomous: SystemPromptParts = {
  prompt: "  Arrange lunch with Bob.\n",
  tools: fiveTools,
  skills: [],
  interactive: false,
  protocol: "json",
  automatic: true,
};
const interactive: SystemPromptParts = {
  ...autonomous,
  tools: [promptUser, ...fiveTools],
  interactive: true,
};
const skills = [
  { name: "travel", description: "Plans trips." },
  { name: "house_rules", description: "What is allowed.", isAutoLoaded: true },
];

describe("the JSON protocol's prompt says", () => {
  it.each([
    { why: "every turn is a tool call", says: /every reply, the first too, is one tool call/i },
    { why: "one object, parsed strictly", says: /single JSON object, parsed strictly/ },
    { why: "nothing around it", says: /without prose or code fence/ },
    { why: "thinking may precede it", says: /<think>/ },
    { why: "what two objects look like", says: /Bad, two objects: \{"action".*\}\{"action".*\}/ },
    { why: "what is mandatory", says: /`action`.*`rationale`.*mandatory, once each/ },
    { why: "whose the other fields are", says: /other fields are the tool's own/ },
    { why: "unlisted calls may be seen, not made", says: /Calls of unlisted tools may appear/ },
    { why: "what to check last", says: /Check last:/ },
    { why: "how a result comes back", says: /^user: \{"caller":/m },
  ])("$why", ({ says }) => {
    expect(systemPromptFor(autonomous)).toMatch(says);
    expect(systemPromptFor(interactive)).toMatch(says);
  });

  it("how strings are escaped, by an example that parses", () => {
    const [, good = ""] = /^Good.*?: (\{.*\})$/m.exec(systemPromptFor(autonomous)) ?? [];
    expect(JSON.parse(good)).toEqual({ action: "x", rationale: 'He said "no"\nin C:\\tmp' });
  });

  it("by examples that are JSON throughout", () => {
    const lines = systemPromptFor(interactive).matchAll(/^(assistant|user): (.*)$/gm);
    const roles = [...lines].map(([, role, line = ""]) => [role, Object.keys(parsed(line))[0]]);
    expect(roles).toEqual([
      ["assistant", "action"],
      ["user", "caller"],
      ["assistant", "action"],
      ["user", "caller"],
    ]);
  });

  it("first what is configured, then rules, tools, skills and the example, in the order given", () => {
    const prompt = systemPromptFor({ ...interactive, skills });
    const parts = [
      "Arrange lunch with Bob.\n\n# Replies",
      "# Tools",
      "`prompt_user`:",
      "`ask_bob`:",
      "`notify`:",
      "# Skills",
      "# Example",
    ];
    expect(
      parts.map((part) => prompt.indexOf(part)).every((at, place, all) => at > (all[place - 1] ?? -1)),
    ).toBe(true);
  });

  it("the schemas of a tool's own fields, and which are optional", () => {
    const tools = [
      toolOf("look_up", "Look up.\nTwice.", { q: text, limit: { type: "integer", minimum: 1 } }, ["q"]),
    ];
    expect(systemPromptFor({ ...autonomous, tools })).toContain(
      '- `look_up`: Look up.\n  Twice. Fields: {"q":{"type":"string"},"limit":{"type":"integer","minimum":1}}; optional: limit\n',
    );
  });

  it.each([
    { why: "has definitions", keywords: { $defs: { node: { type: "object" } } } },
    { why: "takes any further field", keywords: { additionalProperties: {} } },
  ])("a whole schema when it $why", ({ keywords }) => {
    const callSchema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...callOf("keep"),
      ...keywords,
    };
    const prompt = systemPromptFor({
      ...autonomous,
      tools: [{ name: "keep", description: "Keep.", callSchema }],
    });
    const [, call = ""] = /`keep`: Keep\. Call: (.*)/.exec(prompt) ?? [];
    expect(JSON.parse(call)).toEqual({ ...callSchema, $schema: undefined });
  });

  it("that a tool without a description is what its name says", () => {
    expect(systemPromptFor({ ...autonomous, tools: [toolOf("nap", " ")] })).toContain(
      "- `nap`: its name says what it does.\n",
    );
  });

  it("no tools where there are none", () => {
    expect(systemPromptFor({ ...autonomous, tools: [] })).not.toContain("# Tools");
  });
});

describe("the user's tool", () => {
  it.each([
    { protocol: "json", skills: [] },
    { protocol: "json", skills },
    { protocol: "tools", skills },
  ] as const)("is never mentioned to an autonomous agent ($protocol)", ({ protocol, skills }) => {
    const parts = { ...autonomous, protocol, skills };
    expect(systemPromptFor(parts)).not.toMatch(/prompt_user|text for the user/i);
    expect(systemPromptFor({ ...parts, interactive: true })).toContain("prompt_user");
  });

  it("goes by the agent's own name for it", () => {
    const prompt = systemPromptFor({ ...autonomous, interactive: true, userTool: "ask_human" });
    expect(prompt).toContain("Text for the user goes through `ask_human`.");
    expect(prompt).toContain('{"action":"ask_human",');
    expect(prompt).not.toContain("prompt_user");
  });
});

describe("skills", () => {
  it.each([
    { why: "what a skill is", says: /A skill is instructions/ },
    {
      why: "that it is loaded by its name, before use",
      says: /calling its name, without fields, before you use it/,
    },
    { why: "that loading counts for one run", says: /once in every run: one that is only mentioned/ },
    { why: "that its restrictions bind", says: /restrictions a skill sets/ },
  ])("are explained: $why", ({ says }) => {
    for (const protocol of ["json", "tools"] as const) {
      expect(systemPromptFor({ ...autonomous, protocol, skills })).toMatch(says);
      expect(systemPromptFor({ ...autonomous, protocol })).not.toMatch(says);
    }
  });

  it("core 34: an auto-loaded one is not listed", () => {
    const prompt = systemPromptFor({ ...autonomous, skills });
    expect(prompt).toContain("- `travel`: Plans trips.");
    expect(prompt).not.toContain("house_rules");
  });
});

describe("switches", () => {
  it("core 66: without the automatic part the prompt is exactly what is configured", () => {
    expect(systemPromptFor({ ...interactive, automatic: false })).toBe(interactive.prompt);
  });

  it("gives nothing for a blank prompt", () => {
    expect(systemPromptFor({ ...autonomous, prompt: " \n" })).toBe("");
  });

  it("leaves to the provider what its own protocol says", () => {
    const prompt = systemPromptFor({ ...autonomous, protocol: "tools" });
    expect(prompt).toMatch(/^Arrange lunch with Bob\.\n\nEvery reply is exactly one tool call\./);
    expect(prompt).not.toMatch(/JSON|ask_bob|Example/);
  });

  it.each([
    { why: "JSON, autonomous, five tools", parts: autonomous, tokens: 320 },
    { why: "JSON, interactive, six tools", parts: interactive, tokens: 400 },
    { why: "the provider's protocol", parts: { ...autonomous, protocol: "tools" as const }, tokens: 40 },
  ])("stays small: $why", ({ parts, tokens }) => {
    expect(Math.ceil(systemPromptFor(parts).length / 4)).toBeLessThanOrEqual(tokens);
  });
});
