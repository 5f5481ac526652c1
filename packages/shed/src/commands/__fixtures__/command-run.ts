import { FileAccess } from "../../files/access.ts";
import type { Containment } from "../../files/access.ts";
import { systemSentence } from "../../files/system-error.ts";
import { readCommand } from "../../language/options.ts";
import { pathTokens } from "../../language/path-tokens.ts";
import { Visibility } from "../../language/visibility.ts";
import type { RequiredPermission } from "../../permissions/operation.ts";
import type { PermissionPolicy } from "../../permissions/policy.ts";
import { CommandRefusal, commandNames } from "../command.ts";
import type { CommandToken, PreparedCommand } from "../command.ts";
import { commandDefinitions } from "../definitions.ts";

/** `-x` and operators of find are options, `'…'` is an argument, everything else a path. */
function tokensOf(line: string): readonly CommandToken[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, argument, word = ""]) => {
    if (argument !== undefined) return { text: argument, tag: "ARG" };
    return { text: word, tag: /^(?:-.|[!()]$)/.test(word) ? "FLG" : "PTH" };
  });
}

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Set when nothing was run: what a refusal or a denial said. */
  readonly refused: string | undefined;
  readonly needs: readonly string[];
  readonly leftOut: number;
}

interface RunOptions {
  readonly policy: PermissionPolicy;
  readonly stdin?: Uint8Array | undefined;
  readonly signal?: AbortSignal;
  readonly containment?: Containment;
  /** Called between the decision and the effect. */
  readonly between?: (prepared: PreparedCommand) => void;
}

/** Prepares, judges and runs one command the way the tools do, without a person to ask. */
export async function runTokens(
  name: string,
  tokens: readonly CommandToken[],
  { policy, stdin, signal = new AbortController().signal, containment, between }: RunOptions,
): Promise<CommandResult> {
  const access = new FileAccess({ base: policy.base, ...(containment === undefined ? {} : { containment }) });
  const known = commandNames.find((candidate) => candidate === name);
  const definition = known === undefined ? undefined : commandDefinitions[known];
  if (definition === undefined) throw new Error(`No such command: ${name}`);
  const refused = (text: string) => ({
    status: 1,
    stdout: "",
    stderr: "",
    refused: text,
    needs: [],
    leftOut: 0,
  });
  let prepared: PreparedCommand | undefined;
  try {
    const paths = pathTokens({
      name,
      access,
      visibility: new Visibility(policy),
      signal,
      checkBudget: () => undefined,
    });
    const given = readCommand(definition, tokens);
    prepared = await definition.prepare(given, {
      access,
      paths,
      signal,
      checkBudget: () => undefined,
      mayAsk: policy.ask.length > 0,
    });
    const denied = [...prepared.needs].find((need) => !policy.permits(need.operation, need.location));
    if (denied !== undefined) return refused(`Denied ${needText(denied)}`);
    between?.(prepared);
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    let leftOut = 0;
    const status = await prepared.run({
      stdin: stdin === undefined ? null : chunks(stdin),
      stdout: { write: (bytes) => void out.push(Buffer.from(bytes)) },
      stderr: { write: (bytes) => void err.push(Buffer.from(bytes)) },
      signal,
      mayRead: (location) => policy.permits("read", location),
      leftOut: (count) => (leftOut += count),
    });
    return {
      status,
      stdout: Buffer.concat(out).toString("latin1"),
      stderr: Buffer.concat(err).toString("utf8"),
      refused: undefined,
      needs: [...new Set(Array.from(prepared.needs, needText))],
      leftOut,
    };
  } catch (error) {
    const sentence = systemSentence(error);
    if (!(error instanceof CommandRefusal)) {
      if (sentence === undefined || prepared !== undefined) throw error;
      return refused(`${name}: ${sentence}`);
    }
    const denied = error.needs.find((need) => !policy.permits(need.operation, need.location));
    return refused(denied === undefined ? error.message : `Denied ${needText(denied)}`);
  } finally {
    access.close();
  }
}

async function* chunks(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  await Promise.resolve();
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

function needText({ operation, location }: RequiredPermission): string {
  return `${operation} ${location}`;
}

/** Runs a command written as one line; see {@link tokensOf}. */
export function runLine(line: string, options: RunOptions): Promise<CommandResult> {
  const [name = "", rest = ""] = line.split(/ (.*)/s);
  return runTokens(name, tokensOf(rest), options);
}
