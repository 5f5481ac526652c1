import {
  NO_MESSAGE,
  Str,
  Suspend,
  tool,
  value,
  when,
  type AnyTool,
  type Of,
  type Tool,
  type ToolContext,
} from "@roboz/core";
import * as z from "zod";

import { CommandRefusal } from "../commands/command.ts";
import { FileAccess } from "../files/access.ts";
import { systemSentence } from "../files/system-error.ts";
import { pathTokens } from "../language/path-tokens.ts";
import { labelOf } from "../language/report.ts";
import { LookDenied, Visibility } from "../language/visibility.ts";
import { preparePatch, type PreparedPatch } from "../patch/patch.ts";
import { exchangeText, type Judgement } from "../permissions/guard.ts";
import {
  approvalReply,
  auditDecision,
  permissionRequest,
  type GuardedCall,
  type GuardedToolOptions,
} from "./approval.ts";
import { confirm, fingerprintOf, guardPrepared, resumed, suspendFor, type Waited } from "./guarding.ts";
import { exchangeSchema } from "./payloads.ts";
import { PreparedStore, tellable } from "./preparation.ts";

const patchInput = z.strictObject({
  path: z.string().meta({ description: "One file, relative to the base or absolute; no pattern." }),
  old_string: z.string().meta({ description: "The exact text to replace; empty to write the whole file." }),
  new_string: z.string().meta({ description: "What takes its place, exactly; may be empty." }),
  replace_all: z
    .boolean()
    .default(false)
    .meta({ description: "Replace every occurrence instead of exactly one." }),
});

/** A patch whose file was looked at. */
const ResolvedPatch = value("resolved_patch", { ...patchInput.shape, id: z.string() });
type ResolvedPatch = Of<typeof ResolvedPatch>;

/** A patch that may be done. */
const GuardedPatch = ResolvedPatch.extend("guarded_patch", {
  exchanges: z.array(exchangeSchema),
  fingerprint: z.string().nullable(),
});
type GuardedPatch = Of<typeof GuardedPatch>;

/** How a patch ended; `value` is the report that the model reads. */
export const PatchReport = Str.extend("patch_report", {
  /**
   * `"refused"`: nothing was judged. `"failed"`: it was allowed, and the file is as it was. `"interrupted"`: the process
   * ended while it was done, so that it may have happened.
   */
  outcome: z.enum(["done", "failed", "denied", "refused", "interrupted"]),
});
export type PatchReport = Of<typeof PatchReport>;

/** The three tools of the patch. */
export interface PatchTools {
  /** What the model calls: `apply_patch`. */
  readonly entry: AnyTool;
  /** The last one, whose {@link PatchReport} can be chained on: `execute_apply_patch_replace`. */
  readonly execute: Tool<GuardedPatch, PatchReport, "execute_apply_patch_replace">;
  /** All three, for an agent or a skill. */
  readonly tools: readonly AnyTool[];
}

/**
 * The guarded patch of one file by its literal text, as a chain of three tools: `apply_patch`, which the model calls,
 * `operation_guard` and `execute_apply_patch_replace`.
 */
export function patchTools(options: GuardedToolOptions): PatchTools {
  const patcher = new Patcher(options);
  const entry = tool({
    name: "apply_patch",
    description: `Change one file by its literal text: \`old_string\` must stand in it exactly once, or set \`replace_all\`. An empty
      \`old_string\` writes the whole file, with its folders. Nothing in the texts has a special meaning.`,
    input: patchInput,
    output: [ResolvedPatch, PatchReport],
    run: (request, context) => patcher.resolve(request, context),
  });
  const guard = tool({
    name: "operation_guard",
    description: "Checks a patch against the permissions.",
    input: ResolvedPatch,
    output: [GuardedPatch, PatchReport, Suspend],
    chainedTo: when(entry, ResolvedPatch.is),
    suspends: {
      request: permissionRequest,
      reply: approvalReply,
      resume: (reply, state, context) => {
        const { payload, waited } = resumed(reply, state);
        return patcher.guard(ResolvedPatch(z.parse(ResolvedPatch.schema, payload)), context, waited);
      },
    },
    run: (resolved, context) => patcher.guard(resolved, context),
  });
  const execute = tool({
    name: "execute_apply_patch_replace",
    description: "Does a patch that was allowed.",
    input: GuardedPatch,
    output: PatchReport,
    chainedTo: when(guard, GuardedPatch.is),
    run: (guarded, context) => patcher.execute(guarded, context),
  });
  return { entry, execute, tools: [entry, guard, execute] };
}

type PatchInput = z.output<typeof patchInput>;

/** How a patch ended, as a journal keeps it. */
interface PatchEnding {
  readonly outcome: PatchReport["outcome"];
  readonly text: string;
}

const interrupted: PatchEnding = {
  outcome: "interrupted",
  text: "The process ended while the patch was done: read the file to see whether it was.",
};

/** A patch that is ready, and the way to its file. */
interface Ready {
  readonly patch: PreparedPatch;
  readonly access: FileAccess;
}

class Patcher {
  readonly #options: GuardedToolOptions;
  readonly #prepared = new PreparedStore<Ready>();

  constructor(options: GuardedToolOptions) {
    this.#options = options;
  }

  async resolve(request: PatchInput, context: ToolContext): Promise<ResolvedPatch | PatchReport> {
    const ready = await this.#prepare(request, context);
    return ready instanceof CommandRefusal
      ? this.#refused(request, ready, context)
      : ResolvedPatch({ ...inputOf(request), id: this.#prepared.put(ready) }, { truncation: NO_MESSAGE });
  }

  async guard(
    resolved: ResolvedPatch,
    context: ToolContext,
    waited?: Waited,
  ): Promise<GuardedPatch | PatchReport | Suspend> {
    const ready = this.#prepared.get(resolved.id) ?? (await this.#prepare(resolved, context));
    if (ready instanceof CommandRefusal) return this.#refused(resolved, ready, context);
    const judgement = await guardPrepared(this.#call(context), ready.patch, waited);
    switch (judgement.status) {
      case "waiting":
        return suspendFor(judgement, ready.patch, { payload: resolved, command: labelFor(resolved) });
      case "denied":
        return report(resolved, "denied", deniedText(judgement));
      case "allowed": {
        const exchanges = [...judgement.exchanges];
        const fingerprint = exchanges.length === 0 ? null : fingerprintOf(ready.patch);
        return GuardedPatch(
          { ...inputOf(resolved), id: resolved.id, exchanges, fingerprint },
          { truncation: NO_MESSAGE },
        );
      }
    }
  }

  async execute(guarded: GuardedPatch, context: ToolContext): Promise<PatchReport> {
    // A patch must not happen twice when a run is resumed, and the model is told when nobody knows whether it did.
    const { outcome, text } = await context.once(`patch:${guarded.id}`, () => this.#run(guarded, context), {
      verify: () => interrupted,
    });
    return report(guarded, outcome, text, guarded.exchanges.map(exchangeText));
  }

  async #run(guarded: GuardedPatch, context: ToolContext): Promise<PatchEnding> {
    let ready = this.#prepared.take(guarded.id);
    if (ready === undefined || guarded.fingerprint !== null) {
      const again = await this.#prepare(guarded, context);
      if (again instanceof CommandRefusal) return this.#refusal(again, context);
      const judgement = await confirm(this.#call(context), again.patch, guarded);
      if (judgement.status === "denied") return { outcome: "denied", text: judgement.message };
      ready = again;
    }
    try {
      const { isDone, text } = ready.patch.run();
      return { outcome: isDone ? "done" : "failed", text };
    } finally {
      ready.access.close();
    }
  }

  async #prepare(request: PatchInput, { signal }: ToolContext): Promise<Ready | CommandRefusal> {
    const { policy } = this.#options;
    const access = new FileAccess({ base: policy.base });
    const visibility = new Visibility(policy);
    const given = { name: "apply_patch", access, visibility, signal, checkBudget: () => undefined };
    const { path, old_string: oldText, new_string: newText, replace_all: replacesAll } = request;
    try {
      const { literal } = pathTokens(given);
      return {
        patch: await preparePatch({ path, oldText, newText, replacesAll }, { access, literal }),
        access,
      };
    } catch (error) {
      if (error instanceof CommandRefusal) return error;
      const sentence = systemSentence(error);
      if (sentence === undefined) throw error;
      return new CommandRefusal(`apply_patch: ${sentence}`);
    } finally {
      access.close();
    }
  }

  #refused(request: PatchInput, refusal: CommandRefusal, context: ToolContext): PatchReport {
    const { outcome, text } = this.#refusal(refusal, context);
    return report(request, outcome, text);
  }

  /** A refusal that would give away something about a place that may not be read is told as a denial. */
  #refusal(refusal: CommandRefusal, context: ToolContext): PatchEnding {
    const { policy } = this.#options;
    const { message, need } = refusal instanceof LookDenied ? refusal : tellable(refusal, policy);
    if (need === null) return { outcome: "refused", text: message };
    const { verdict, rule = null } = policy.decide(need.operation, need.location);
    auditDecision(this.#call(context), { ...need, verdict, rule, answeredBy: "policy" });
    return { outcome: "denied", text: message };
  }

  #call(context: ToolContext): GuardedCall {
    return { options: this.#options, context, toolName: "operation_guard", command: "apply_patch" };
  }
}

function inputOf({ path, old_string, new_string, replace_all }: PatchInput): PatchInput {
  return { path, old_string, new_string, replace_all };
}

function labelFor({ path }: Pick<PatchInput, "path">): string {
  return labelOf(["apply_patch", "string-replace", path]);
}

function deniedText({ exchanges, message }: Extract<Judgement, { status: "denied" }>): string {
  return [...exchanges.map(exchangeText), message].join("\n");
}

/** One frame, behind what was asked. */
function report(
  request: PatchInput,
  outcome: PatchReport["outcome"],
  text: string,
  said: readonly string[] = [],
): PatchReport {
  const label = labelFor(request);
  const frame = `--- begin: ${label} ---\n${text}\n--- end: ${label} ---`;
  return PatchReport({ value: [...said, frame].join("\n"), outcome });
}
