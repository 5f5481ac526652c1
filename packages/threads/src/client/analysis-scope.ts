import { checked } from "./checked.ts";
import {
  analysisScopeSchema,
  mergedScope,
  type AnalysisScope,
  type AnalysisScopeInput,
} from "../wire/scope.ts";

/**
 * Builds a scope: nanoseconds since 1970, both bounds inclusive; a bound that is left out is open.
 *
 * @throws {@link RobotoInvalidRequestException} when it ends before it starts, or a bound is a number that was rounded.
 */
export function analysisScope(bounds: AnalysisScopeInput): AnalysisScope {
  return checked(analysisScopeSchema, bounds, "The analysis scope");
}

/**
 * Lays one scope over another: a bound of the override wins, zero too.
 *
 * @throws {@link RobotoInvalidRequestException} when the result ends before it starts.
 */
export function mergeAnalysisScopes(base: AnalysisScopeInput, override: AnalysisScopeInput): AnalysisScope {
  return analysisScope(mergedScope(analysisScope(base), analysisScope(override)));
}
