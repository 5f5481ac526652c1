import * as z from "zod";

import { ValueError } from "../../errors.ts";
import { describeIssues, type AnyValueType } from "../../values/value.ts";

/** What a prompt for one structured reply is made of. */
export interface StructuredOutputParts {
  /** What the model is to do. */
  readonly prompt: string;
  /** The type of the reply: a value type or a zod schema. */
  readonly output: AnyValueType | z.ZodType;
  /** A reply as it should look; checked against `output`. */
  readonly example?: unknown;
}

/**
 * A system prompt for a model that replies with one JSON object of a type, rather than with a tool call.
 *
 * @throws {@link ValueError} (`core/value`) when the example does not fit the type. `cause` is the `ZodError`.
 */
export function structuredOutputPrompt({ prompt, output, example }: StructuredOutputParts): string {
  const schema = output instanceof z.ZodType ? output : output.schema;
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io: "input" });
  return [
    prompt.trim(),
    [
      "Reply with a single JSON object that fits this JSON schema. It is parsed strictly: no prose, no code fence, no second object.",
      String.raw`Escape quotes, backslashes and line breaks in strings: "He said \"no\"\nin C:\\tmp".`,
      "```json",
      JSON.stringify(json),
      "```",
      ...(example === undefined ? [] : [`Example: ${checkedExample(schema, output, example)}`]),
      "Check last: one object, every required field, strings escaped.",
    ].join("\n"),
  ]
    .filter((section) => section !== "")
    .join("\n\n");
}

function checkedExample(
  schema: z.ZodType,
  output: StructuredOutputParts["output"],
  example: unknown,
): string {
  const parsed = schema.safeParse(example);
  if (!parsed.success) {
    throw new ValueError({
      kind: output instanceof z.ZodType ? "output" : output.kind,
      problem: `an example that does not fit: ${describeIssues(parsed.error)}`,
      cause: parsed.error,
    });
  }
  return JSON.stringify(example);
}
