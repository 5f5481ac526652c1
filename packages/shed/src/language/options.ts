import {
  CommandRefusal,
  type CommandDefinition,
  type CommandName,
  type CommandToken,
  type GivenCommand,
  type OptionSpec,
  type OptionTable,
} from "../commands/command.ts";
import { quoted } from "../permissions/quote.ts";

/**
 * Reads a command's tokens with its option table: options first, each once and by itself, then operands. A command
 * without a table gets its tokens as they are.
 *
 * @throws {@link CommandRefusal} for anything else.
 */
export function readCommand(
  { name, options: table }: Pick<CommandDefinition, "name" | "options">,
  tokens: readonly CommandToken[],
): GivenCommand {
  if (table === null) return { options: new Map(), operands: [], tokens };
  const options = new Map<string, string | true>();
  let index = 0;
  let isEnded = false;
  for (; index < tokens.length; index++) {
    const token = tokens[index];
    if (token?.tag !== "FLG") break;
    if (isEnded) throw new CommandRefusal(`${name}: option after --: ${quoted(token.text)}`);
    if (token.text === "--" && table.hasNoEnd !== true) {
      isEnded = true;
      continue;
    }
    const option = optionOf(name, table, token.text);
    if (options.has(option.key))
      throw new CommandRefusal(`${name}: repeated option: ${quoted(token.text)}; give it once`);
    if (option.value === undefined) {
      options.set(option.key, true);
    } else {
      index += 1;
      options.set(option.key, valueOf(name, option, token.text, tokens[index]));
    }
  }
  checkConflicts(name, table, options);
  const operands = tokens.slice(index);
  const late = operands.find(({ tag }) => tag === "FLG");
  if (late !== undefined)
    throw new CommandRefusal(
      `${name}: option after an operand: ${quoted(late.text)}; options come before operands`,
    );
  return { options, operands, tokens };
}

function optionOf(name: CommandName, table: OptionTable, text: string): OptionSpec {
  const option = table.options.find(({ forms }) => forms.includes(text));
  if (option === undefined) throw new CommandRefusal(`${name}: ${whyNot(table, text)}`);
  return option;
}

/** What is wrong with an option that is not in the table. */
function whyNot(table: OptionTable, text: string): string {
  const attached = table.options.find(
    ({ forms, value }) =>
      value !== undefined && forms.some((form) => text.startsWith(form.startsWith("--") ? `${form}=` : form)),
  );
  if (attached !== undefined)
    return `unknown option: ${quoted(text)}; give the value in the next token, as ["${attached.forms[0] ?? ""}", "FLG"], ["…", "${attached.value ?? ""}"]`;
  const letters = /^-([^-].+)$/su.exec(text)?.[1];
  const isBundle =
    letters !== undefined &&
    Array.from(letters).every((letter) => table.options.some(({ forms }) => forms.includes(`-${letter}`)));
  if (isBundle) return `options in one token: ${quoted(text)}; give each its own token`;
  const known = table.options.flatMap(({ forms }) => forms);
  return `unknown option: ${quoted(text)}; ${known.length === 0 ? "it takes none" : `it takes ${known.join(", ")}`}`;
}

function valueOf(
  name: CommandName,
  { value: tag, isCount = false }: OptionSpec,
  spelled: string,
  token: CommandToken | undefined,
): string {
  if (token === undefined || token.tag !== tag)
    throw new CommandRefusal(
      `${name}: ${quoted(spelled)} needs a value: the next token must have the tag ${tag ?? "ARG"}`,
    );
  if (isCount && !/^[0-9]+$/.test(token.text))
    throw new CommandRefusal(
      `${name}: ${quoted(spelled)} needs an unsigned decimal number, not ${quoted(token.text)}`,
    );
  return token.text;
}

function checkConflicts(
  name: CommandName,
  { options: specs, conflicts = [] }: OptionTable,
  options: ReadonlyMap<string, unknown>,
): void {
  const found = conflicts.find(([one, other]) => options.has(one) && options.has(other));
  if (found === undefined) return;
  const spelled = found.map((key) => specs.find((spec) => spec.key === key)?.forms[0] ?? key);
  throw new CommandRefusal(`${name}: ${spelled.join(" and ")} exclude each other; give one of them`);
}
