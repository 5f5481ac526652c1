import * as z from "zod";

import { commandNames, type CommandName, type CommandToken } from "../commands/command.ts";

/** What joins two commands. */
export const operators = Object.freeze(["&&", "||", ";", "|"] as const);
export type Operator = (typeof operators)[number];

/** The most one input may hold; more is refused as a whole. */
export const inputLimits = Object.freeze({ commands: 100, tokens: 5_000, characters: 1_000_000 });

export const tags = ["CMD", "FLG", "ARG", "PTH", "CTL"] as const;
type Tag = (typeof tags)[number];

const token = z.tuple([z.string(), z.enum(tags)]);
/** A token as the model writes it: its text and its tag. */
export type WrittenToken = readonly [text: string, tag: Tag];

/** One command of an input. */
export interface Step {
  readonly name: CommandName;
  readonly tokens: readonly CommandToken[];
  /** What stands before it; undefined for the first. */
  readonly operator: Operator | undefined;
}

/**
 * The input of the file commands: `{ value: [[text, tag], …] }`. Whatever is no sequence of commands is refused here,
 * before any of them is looked at.
 */
export const commandInput = z.strictObject({
  value: z
    .array(z.unknown())
    .min(1)
    .max(inputLimits.tokens)
    .meta({
      description:
        "Ordered [text, tag] pairs. Tags: CMD a command, FLG an option, ARG a plain argument, PTH a path, CTL an operator.",
      items: {
        type: "array",
        prefixItems: [{ type: "string" }, { type: "string", enum: [...tags] }],
        minItems: 2,
        maxItems: 2,
      },
    })
    .pipe(z.array(token))
    .superRefine((tokens, context) => {
      const problem = structureProblem(tokens);
      if (problem !== undefined)
        context.addIssue({ code: "custom", message: problem.why, path: [problem.at] });
    }),
});

/** The commands of an input that {@link commandInput} accepted. */
export function stepsOf(tokens: readonly WrittenToken[]): readonly Step[] {
  const steps: { name: CommandName; tokens: CommandToken[]; operator: Operator | undefined }[] = [];
  let operator: Operator | undefined;
  for (const [text, tag] of tokens) {
    if (tag === "CTL") operator = operators.find((known) => known === text);
    else if (tag !== "CMD") steps.at(-1)?.tokens.push({ text, tag });
    else {
      const name = commandNames.find((known) => known === text);
      if (name !== undefined) steps.push({ name, tokens: [], operator });
    }
  }
  return steps;
}

/** The first thing that makes tokens no sequence of commands, and where it stands. */
function structureProblem(tokens: readonly WrittenToken[]): { at: number; why: string } | undefined {
  const characters = tokens.reduce((sum, [text]) => sum + text.length, 0);
  if (characters > inputLimits.characters)
    return { at: 0, why: `all texts together are longer than ${inputLimits.characters} characters` };
  let commands = 0;
  let needsCommand = true;
  for (const [at, [text, tag]] of tokens.entries()) {
    if (tag === "CMD") commands += 1;
    const why = tokenProblem(text, tag, needsCommand);
    if (why !== undefined) return { at, why };
    needsCommand = tag === "CTL";
  }
  if (needsCommand) return { at: tokens.length - 1, why: "an operator needs a command after it" };
  if (commands > inputLimits.commands)
    return { at: 0, why: `there are more than ${inputLimits.commands} commands; send them in several calls` };
  return undefined;
}

function tokenProblem(text: string, tag: Tag, needsCommand: boolean): string | undefined {
  if (text.includes("\0")) return "a NUL character cannot be part of a token";
  if (/\p{Surrogate}/u.test(text)) return "half a surrogate pair cannot be part of a token";
  if (needsCommand !== (tag === "CMD")) {
    return needsCommand
      ? "a command must begin with a CMD token"
      : "two commands must be joined by a CTL token: &&, ||, ; or |";
  }
  if (tag === "CMD" && !commandNames.some((name) => name === text))
    return `not a supported command; supported: ${commandNames.join(", ")}`;
  if (tag === "CTL" && !operators.some((operator) => operator === text))
    return `not an operator; operators: ${operators.join(" ")}`;
  return undefined;
}

/**
 * The step to run after one that ended, or undefined when none is reached. `&&` and `||` are equal and go from left to
 * right, `|` binds tighter, `;` always goes on.
 *
 * @param endsPipeline - The rest of the step's pipeline is left out: it was refused or denied, or ran out of time.
 */
export function nextStep(
  steps: readonly Step[],
  { at, status, endsPipeline }: { at: number; status: number; endsPipeline: boolean },
): number | undefined {
  let isReached = !endsPipeline;
  let isSkippingPipeline = endsPipeline;
  for (let index = at + 1; index < steps.length; index++) {
    const operator = steps[index]?.operator;
    if (operator === "|" && isSkippingPipeline) continue;
    isSkippingPipeline = false;
    if (operator === "&&") isReached = status === 0;
    else if (operator === "||") isReached = status !== 0;
    else if (operator === ";") isReached = true;
    if (isReached) return index;
  }
  return undefined;
}
