import type { EnvFileWarning, EnvStatus } from "@roboz/endpoints/env";

import { choiceOption, command, group, listOption, textOption } from "../command.ts";
import { EnvNamesError, PromptError, UsageError } from "../errors.ts";
import { askHidden } from "../hidden-prompt.ts";
import type { Terminal } from "../terminal.ts";

const passwordVariable = "ROBOZ_ENV_PASSWORD";

const encrypt = command({
  usage: "encrypt",
  describe: "Write an encrypted copy of an environment file beside it",
  options: (yargs) =>
    yargs
      .option("path", { ...textOption("path", "The plaintext source"), default: ".env" })
      .option("secret", {
        ...listOption("secret", "Name of a value to encrypt; give it once for each"),
        demandOption: true,
      })
      .option(
        "format",
        choiceOption("format", "v2 binds each value to its name; v1 is what the Python release reads", [
          "v2",
          "v1",
        ]),
      ),
  run: async ({ path, secret, format }, { terminal, interrupts }) => {
    const secretNames = checkedNames("secret", secret);
    const password = await newPassword(terminal);
    const { encryptEnv } = await import("@roboz/endpoints/env");
    const onWarning = warningsTo(terminal);
    const { signal } = interrupts;
    const written = await encryptEnv({ path, secretNames, format, password, onWarning, signal });
    terminal.output.write(`Wrote the encrypted environment: ${written}\n`);
  },
});

const check = command({
  usage: "check",
  describe: "Say which names are present, missing or locked, never a value",
  options: (yargs) =>
    yargs
      .option("path", textOption("path", "The encrypted file; by default .env.encrypt, overlaid by .env"))
      .option("name", listOption("name", "Name to look for; by default all that are found"))
      .option("json", { type: "boolean", describe: "Print the result as JSON" }),
  run: async ({ path, name, json }, { terminal }) => {
    const names = name === undefined ? undefined : checkedNames("name", name);
    const { checkEnv } = await import("@roboz/endpoints/env");
    const found = await checkEnv({ path, names, onWarning: warningsTo(terminal) });
    terminal.output.write(json === true ? `${JSON.stringify(found, null, 2)}\n` : table(found));
    const unusable = found.filter((status) => isUnusable(status, names !== undefined));
    if (unusable.length > 0) {
      throw new EnvNamesError({ envNames: unusable.map((status) => status.name), checked: found.length });
    }
  },
});

/** `env`: environment files. */
export const env = group("env", "Encrypt and check environment files", [encrypt, check]);

/** Asks for a password twice; undefined when the process has one, which encrypting then takes from there. */
async function newPassword(terminal: Terminal): Promise<string | undefined> {
  if (Object.hasOwn(process.env, passwordVariable)) return undefined;
  const [password, again] = await askHidden(terminal, ["Encryption password: ", "The same again: "]);
  if (password !== again) throw new PromptError({ fault: "no-match" });
  return password;
}

/** Refuses what is no name at all without showing it: `--secret NAME=VALUE` is an easy slip. */
function checkedNames(option: string, names: readonly string[]): readonly string[] {
  if (names.every((name) => /^[\w.-]+$/.test(name))) return names;
  throw new UsageError(`\`--${option}\` takes a name: letters, digits and underscores, and never a value`);
}

function warningsTo({ errors }: Terminal): (warning: EnvFileWarning) => void {
  return ({ path, line, fault }) => {
    errors.write(`Warning: line ${line} of \`${path}\` was skipped: ${lineFaults[fault]}\n`);
  };
}

const lineFaults: Readonly<Record<EnvFileWarning["fault"], string>> = {
  "unclosed-quote": "a quote is never closed",
  "after-quote": "something stands behind the closing quote",
  name: "its name has characters that no name has",
  syntax: "it is no setting",
};

/** A missing name and one that cannot be opened; an empty value only where somebody asked for the name. */
function isUnusable({ status, problem }: EnvStatus, isAskedFor: boolean): boolean {
  if (status === "missing") return true;
  return problem !== null && (problem !== "empty" || isAskedFor);
}

const sources: Readonly<Record<NonNullable<EnvStatus["source"]>, string>> = {
  process: "process",
  "encrypted-file": "encrypted file",
  overlay: ".env",
};

const problems: Readonly<Record<NonNullable<EnvStatus["problem"]>, string>> = {
  empty: "its value is empty",
  unreadable: "its ciphertext has a form that no password opens",
  "not-unlocked": "it holds ciphertext under its plain name",
  collision: "it is there twice, plain and encrypted",
};

function table(found: readonly EnvStatus[]): string {
  if (found.length === 0) return "No names were found.\n";
  const width = Math.max(...found.map(({ name }) => name.length));
  const lines = found.map(({ name, status, source, problem }) => {
    const where = source === null ? "" : sources[source];
    const note = problem === null ? "" : `  (${problems[problem]})`;
    return `${name.padEnd(width)}  ${status.padEnd(7)}  ${where}${note}`.trimEnd();
  });
  return `${lines.join("\n")}\n`;
}
