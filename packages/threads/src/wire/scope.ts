import { z } from "zod";
import { identifierSchema } from "./identifier.ts";
import { nanosecondsSchema } from "./nanoseconds.ts";

const ids = z
  .array(identifierSchema)
  .nullish()
  .transform((list) => list ?? []);

/** What the caller looks at while sending one message. It informs; it never authorises and is not kept. */
export const viewingContextSchema = z.object({
  dataset_ids: ids,
  file_ids: ids,
  collection_ids: ids,
  device_ids: ids,
  visualizer_state: z.unknown().optional(),
  misc_context: z.unknown().optional(),
});
export type ClientViewingContext = z.input<typeof viewingContextSchema>;

/**
 * The stretch of time that tools look at: nanoseconds since 1970, both bounds inclusive; null leaves a side open, and null
 * on both sides is no scope.
 */
export const analysisScopeSchema = z
  .object({
    start_time: nanosecondsSchema.nullable().default(null),
    end_time: nanosecondsSchema.nullable().default(null),
  })
  .refine(({ start_time, end_time }) => start_time === null || end_time === null || start_time <= end_time, {
    error: "`start_time` is after `end_time`",
    path: ["start_time"],
  });
export type AnalysisScopeInput = z.input<typeof analysisScopeSchema>;
export type AnalysisScope = z.output<typeof analysisScopeSchema>;

/** Lays one scope over another: each bound the override has wins, zero too. Unchecked; parse the result. */
export function mergedScope(base: AnalysisScope, override: AnalysisScope): AnalysisScope {
  return {
    start_time: override.start_time ?? base.start_time,
    end_time: override.end_time ?? base.end_time,
  };
}
