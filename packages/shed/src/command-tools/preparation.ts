import type { ToolContext } from "@roboz/core";
import { hash, randomUUID } from "node:crypto";

import {
  CommandRefusal,
  type CommandDefinition,
  type CommandName,
  type PreparedCommand,
} from "../commands/command.ts";
import { FileAccess, type Containment } from "../files/access.ts";
import { parentLocation } from "../files/file-name.ts";
import { systemSentence } from "../files/system-error.ts";
import type { Step } from "../language/grammar.ts";
import { readCommand } from "../language/options.ts";
import { pathTokens } from "../language/path-tokens.ts";
import { labelOf } from "../language/report.ts";
import { LookDenied, Visibility } from "../language/visibility.ts";
import type { RequiredPermission } from "../permissions/operation.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";
import { quoted } from "../permissions/quote.ts";

/** What file commands work with. */
export interface CommandSetting {
  readonly policy: PermissionPolicy;
  readonly definitions: Readonly<Partial<Record<CommandName, CommandDefinition>>>;
  readonly containment: Containment | undefined;
  /** Milliseconds since some start. */
  readonly now: () => number;
}

/** A command that may run, or the reason why it cannot. */
export type Preparation =
  | { readonly prepared: PreparedCommand; readonly access: FileAccess; readonly label: string }
  | { readonly refusal: { readonly message: string; readonly need: RequiredPermission | null } };

/** How long the looks of one command may take together. */
const budgetMs = 60_000;

const walking: Readonly<Partial<Record<CommandName, string>>> = {
  grep: "Search",
  rg: "Search",
  rm: "Deletion",
  gio: "Deletion",
  cp: "Copy",
  mv: "Move",
};

/**
 * Looks into a command with the file system as it is now. What the command holds open is given back unless it runs at once.
 *
 * @throws The signal's reason; and what is neither a refusal nor an error of the operating system.
 */
export async function prepare(
  { name, tokens }: Step,
  { policy, definitions, containment, now }: CommandSetting,
  signal: AbortSignal,
): Promise<Preparation> {
  const definition = definitions[name];
  if (definition === undefined) return { refusal: { message: `${name}: not available here`, need: null } };
  const access = new FileAccess({ base: policy.base, ...(containment === undefined ? {} : { containment }) });
  const startedAt = now();
  const checkBudget = (work: string): void => {
    if (now() - startedAt >= budgetMs)
      throw new CommandRefusal(`${name}: ${work} preparation took more than 60 seconds; narrow it`);
    signal.throwIfAborted();
  };
  const work = walking[name] ?? "Pattern";
  const paths = pathTokens({
    name,
    access,
    visibility: new Visibility(policy),
    signal,
    checkBudget: () => {
      checkBudget(work);
    },
  });
  try {
    const prepared = await definition.prepare(readCommand(definition, tokens), {
      access,
      paths,
      signal,
      checkBudget,
      mayAsk: policy.ask.length > 0,
    });
    return { prepared, access, label: labelOf([name, ...prepared.shown]) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CommandRefusal) return { refusal: tellable(error, policy) };
    const sentence = systemSentence(error);
    if (sentence === undefined) throw error;
    return { refusal: { message: `${name}: ${sentence}`, need: null } };
  } finally {
    access.closeSoon();
  }
}

/**
 * Names a request within its run. A run that is resumed or replayed gives the same one the same name, and two requests never
 * share one.
 */
export function requestId(request: unknown, { runId = randomUUID(), step }: ToolContext): string {
  return hash("sha256", JSON.stringify([runId, step, request])).slice(0, 32);
}

/** What was prepared in this process, until it is used. */
export class PreparedStore<Kept> {
  readonly #kept = new Map<string, Kept>();
  readonly #most: number;

  /** @param most - How many are kept; the oldest makes room, and is prepared again when its turn comes. */
  constructor(most = 64) {
    this.#most = most;
  }

  put(id: string, preparation: Kept): void {
    this.#kept.set(id, preparation);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.#most) break;
      this.#kept.delete(oldest);
    }
  }

  take(id: string): Kept | undefined {
    const preparation = this.#kept.get(id);
    this.#kept.delete(id);
    return preparation;
  }
}

/** A refusal as it may be told: what gives away something that nobody may see is only denied. */
export function tellable(
  refusal: CommandRefusal,
  policy: PermissionPolicy,
): { readonly message: string; readonly need: RequiredPermission | null } {
  const { message, needs } = refusal;
  if (refusal instanceof LookDenied) return { message, need: refusal.need };
  const denied = needs.find(
    ({ operation, location }) => policy.decide(operation, location).verdict === "deny",
  );
  if (denied === undefined) return { message, need: null };
  const need = denied.operation === "read" ? nameable(denied, new Visibility(policy)) : denied;
  return { message: `Denied ${need.operation}: ${quoted(need.location)}`, need };
}

/** A denied read whose place may be named: what a walk met in a folder that may not be read is told of the folder. */
function nameable({ operation, location }: RequiredPermission, visibility: Visibility): RequiredPermission {
  let shown = location;
  while (shown !== "/" && !visibility.isVisible(shown)) shown = parentLocation(shown);
  return { operation, location: shown };
}
