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

import { preparePatch, type PreparedPatch } from "../patch/patch.ts";
import type { Exchange } from "../permissions/guard.ts";
import { approvalReply, permissionRequest, type GuardedToolOptions } from "./approval.ts";
import { checkGuardedOptions } from "./guard-settings.ts";
import { GuardedWork } from "./guarded-work.ts";
import { resumed, type Waited } from "./guarding.ts";
import { exchangeSchema } from "./payloads.ts";

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
 *
 * @throws {@link GuardSettingsError} (`shed/guard-settings`) for options that are not known or cannot be.
 */
export function patchTools(options: GuardedToolOptions): PatchTools {
  checkGuardedOptions("patchTools", options);
  const work = new GuardedWork<PatchInput, PreparedPatch>(
    {
      name: "apply_patch",
      guardName: "operation_guard",
      words: ({ path }) => ["apply_patch", "string-replace", path],
      prepare: ({ path, old_string: oldText, new_string: newText, replace_all: replacesAll }, paths) =>
        preparePatch({ path, oldText, newText, replacesAll }, paths),
    },
    options,
  );
  const report = (
    request: PatchInput,
    { outcome, text }: PatchEnding,
    exchanges: readonly Exchange[] = [],
  ): PatchReport => PatchReport({ value: work.frame(request, text, exchanges), outcome });
  const entry = tool({
    name: "apply_patch",
    description: `Change one file by its literal text: \`old_string\` must stand in it exactly once, or set \`replace_all\`. An empty
      \`old_string\` writes the whole file, with its folders. Nothing in the texts has a special meaning.`,
    input: patchInput,
    output: [ResolvedPatch, PatchReport],
    run: async (request, context) => {
      const resolved = await work.resolve(request, context);
      if ("outcome" in resolved) return report(request, resolved);
      return ResolvedPatch({ ...inputOf(request), ...resolved }, { truncation: NO_MESSAGE });
    },
  });
  const judge = async (
    resolved: ResolvedPatch,
    ...rest: [ToolContext, Waited?]
  ): Promise<GuardedPatch | PatchReport | Suspend> => {
    const { id } = resolved;
    const judged = await work.guard({ request: resolved, id, payload: resolved }, ...rest);
    if ("outcome" in judged) {
      const { exchanges, ...denied } = judged;
      return report(resolved, denied, exchanges);
    }
    if ("request" in judged) return judged;
    const exchanges = [...judged.exchanges];
    return GuardedPatch({ ...inputOf(resolved), ...judged, id, exchanges }, { truncation: NO_MESSAGE });
  };
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
        const { payload, waited } = resumed(reply, state, ResolvedPatch.schema);
        return judge(ResolvedPatch(payload), context, waited);
      },
    },
    run: (resolved, context) => judge(resolved, context),
  });
  const execute = tool({
    name: "execute_apply_patch_replace",
    description: "Does a patch that was allowed.",
    input: GuardedPatch,
    output: PatchReport,
    chainedTo: when(guard, GuardedPatch.is),
    run: async (guarded, context) => {
      const { id, exchanges, fingerprint } = guarded;
      const given = { request: guarded, id, exchanges, fingerprint };
      const run = async (patch: PreparedPatch): Promise<PatchEnding> => {
        const { isDone, text } = await patch.run(context.signal);
        return { outcome: isDone ? "done" : "failed", text };
      };
      // A patch must not happen twice when a run is resumed, and the model is told when nobody knows whether it did.
      const ending = await context.once<PatchEnding>(`patch:${id}`, () => work.execute(given, context, run), {
        verify: () => interrupted,
      });
      return report(guarded, ending, exchanges);
    },
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

function inputOf({ path, old_string, new_string, replace_all }: PatchInput): PatchInput {
  return { path, old_string, new_string, replace_all };
}
