import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ClientTool, clientTool, type DescribedToolDefinition } from "./client-tool.ts";
import { parseDocComment } from "./doc-comment.ts";
import { nanosecondsSchema } from "../../wire/nanoseconds.ts";

const execute = (): undefined => undefined;
const nap = (): undefined => undefined;
const base = { name: "t", description: "T.", execute };
const broken: unknown = expect.objectContaining({
  code: "threads/client-tool-definition",
  name: "ClientToolDefinitionError",
});

describe("a tool that cannot be built", () => {
  it.each<{ why: string; given: DescribedToolDefinition }>([
    { why: "a blank description", given: { ...base, description: " " } },
    { why: "no description", given: { name: "t", execute } },
    { why: "a function without a name of its own", given: { description: "T.", execute: () => undefined } },
    { why: "an empty name", given: { ...base, name: "" } },
    { why: "a name with a dash", given: { ...base, name: "a-b" } },
    { why: "a name with two underscores in a row", given: { ...base, name: "a__b" } },
    { why: "a name that is too long", given: { ...base, name: "a".repeat(65) } },
    { why: "a name without the prefix that is asked for", given: { ...base, strictClientPrefix: true } },
    { why: "a schema of a list", given: { ...base, input: { type: "array" } } },
    { why: "a schema without a type", given: { ...base, input: {} } },
    {
      why: "a schema that is no data",
      given: { ...base, input: { type: "object", properties: { a: () => 1 } } },
    },
  ])("threads 86: $why", ({ given }) => {
    expect(() => clientTool(given)).toThrow(broken);
  });

  it.each<{ why: string; input: z.ZodType }>([
    { why: "an array", input: z.array(z.string()) },
    { why: "a string", input: z.string() },
    { why: "a record", input: z.record(z.string(), z.string()) },
    { why: "a choice that is no object", input: z.union([z.object({ a: z.string() }), z.string()]) },
  ])("threads 86: one that takes $why", ({ input }) => {
    expect(() => clientTool({ ...base, input })).toThrow(broken);
  });

  it("threads 86: one of a function with parameters and no schema", () => {
    const takes = (args: Record<string, unknown>): unknown => args;
    const rest = (...args: unknown[]): unknown => args;
    expect(() => ClientTool.fromFunction(takes, { description: "T." })).toThrow(broken);
    expect(() => ClientTool.fromFunction(rest, { description: "T." })).toThrow(broken);
    expect(ClientTool.fromFunction(nap, { description: "T." }).name).toBe("nap");
    const described = { description: "T.", inputSchema: { type: "object" } };
    expect(ClientTool.fromFunction(takes, described).spec.name).toBe("takes");
  });
});

describe("what the model is told of a tool", () => {
  it("threads 87: its fields, which are required, their defaults and descriptions", () => {
    const input = z.object({
      query: z.string().describe("What to look for."),
      limit: z.int().min(1).max(9).default(3),
      note: z.string().optional(),
      place: z.string().nullable().describe("Where."),
      mode: z.enum(["fast", "slow"]),
      kind: z.literal("x"),
      inner: z.object({ a: z.number() }),
    });
    expect(clientTool({ ...base, input }).spec.input_schema).toEqual({
      type: "object",
      properties: {
        query: { type: "string", description: "What to look for." },
        limit: { type: "integer", minimum: 1, maximum: 9, default: 3 },
        note: { type: "string" },
        place: { anyOf: [{ type: "string" }, { type: "null" }], description: "Where." },
        mode: { type: "string", enum: ["fast", "slow"] },
        kind: { type: "string", const: "x" },
        inner: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      },
      required: ["query", "place", "mode", "kind", "inner"],
    });
  });

  it("threads 87: the side that is given, where the schema transforms", async () => {
    const input = z.object({ at: nanosecondsSchema, list: z.string().transform((text) => text.split(",")) });
    const tool = clientTool({ ...base, input, execute: (args) => args });
    expect(tool.spec.input_schema).toMatchObject({
      properties: { at: { type: "integer" }, list: { type: "string" } },
    });
    const context = { threadId: "", toolUseId: "", toolName: "", signal: new AbortController().signal };
    expect(await tool.answer({ at: 5, list: "a,b" }, context)).toEqual({
      kind: "done",
      value: { at: 5n, list: ["a", "b"] },
    });
  });

  it("a choice of objects as an object", () => {
    const input = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a") }),
      z.object({ kind: z.literal("b") }),
    ]);
    expect(clientTool({ ...base, input }).spec.input_schema).toMatchObject({ type: "object" });
    expect(clientTool({ ...base, input: z.looseObject({}) }).spec.input_schema).toMatchObject({
      properties: {},
    });
  });

  it("that it takes nothing when it says nothing", () => {
    expect(clientTool(base).spec.input_schema).toEqual({
      type: "object",
      properties: {},
      additionalProperties: false,
    });
  });

  it("what its input says when there is no description, and what its doc text says of the rest", () => {
    const input = z.object({ a: z.string(), b: z.string().describe("Own.") }).describe("From the input.");
    const doc = "From the doc.\n\nArgs:\n    a: A.\n    b: Other.\n    c: Unknown.";
    expect(clientTool({ name: "t", input, execute }).spec.description).toBe("From the input.");
    const documented = clientTool({ name: "t", input: z.object(input.shape), doc, execute });
    expect(documented.spec).toMatchObject({
      description: "From the doc.",
      input_schema: { properties: { a: { description: "A." }, b: { description: "Own." } } },
    });
  });

  it("the name of its function when it was given one elsewhere, and one with the prefix", () => {
    function remember(): void {
      // Nothing to do.
    }
    expect(clientTool({ description: "R.", execute: remember }).name).toBe("remember");
    expect(clientTool({ ...base, name: "client_t", strictClientPrefix: true }).name).toBe("client_t");
  });
});

describe("a doc text", () => {
  it("threads 88: has a summary and descriptions, wherever its sections stand", () => {
    const doc = `Look something up.

      It may take a while.

      Returns:
          What was found.

      Args:
          query: What to look
              for, in words.
          limit (int): How many
              at most.

          mode: How.
      Raises:
          error: Never.
      `;
    expect(parseDocComment(doc)).toEqual({
      summary: "Look something up.\n\nIt may take a while.",
      descriptions: { query: "What to look for, in words.", limit: "How many at most.", mode: "How." },
    });
  });

  it.each([
    { why: "begins with a section", doc: "Args:\n  a: A.", summary: "", descriptions: { a: "A." } },
    { why: "has no section", doc: "Just text.", summary: "Just text.", descriptions: {} },
    { why: "is empty", doc: "", summary: "", descriptions: {} },
    {
      why: "has a header within a line",
      doc: "See Args: here.",
      summary: "See Args: here.",
      descriptions: {},
    },
    { why: "calls it otherwise", doc: "T.\nArguments:\n  a: A.", summary: "T.", descriptions: {} },
    {
      why: "has a line that is no entry",
      doc: "T.\nArgs:\n  a: A.\n  no entry\n  b: B.",
      summary: "T.",
      descriptions: { a: "A." },
    },
    {
      why: "has a line above the entries' own",
      doc: "T.\nArgs:\n    a: A.\n  b: B.\n    c: C.",
      summary: "T.",
      descriptions: { a: "A." },
    },
  ])("that $why is read as far as it goes", ({ doc, summary, descriptions }) => {
    expect(parseDocComment(doc)).toEqual({ summary, descriptions });
  });
});
