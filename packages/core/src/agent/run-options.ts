import type { AgentProblem } from "../errors.ts";
import { isFields } from "../values/parse.ts";
import { limitProblems } from "./limits.ts";
import type { RunOptions } from "./settings.ts";

/** What is wrong with what a run is given beside its input. */
export function optionProblems(given: RunOptions): AgentProblem[] {
  const options: unknown = given;
  if (!isFields(options)) return [problem("the options of a run are no object; leave them out for none")];
  const { runId, signal, sinks, io, journal, limits, beforeTool } = options;
  const problems: AgentProblem[] = [];
  if (runId !== undefined && (typeof runId !== "string" || runId === ""))
    problems.push(problem("`runId` is no text, or an empty one; leave it out for a new UUID"));
  if (signal !== undefined && !(signal instanceof AbortSignal))
    problems.push(problem("`signal` is no AbortSignal"));
  if (sinks !== undefined && !isListOfFunctions(sinks))
    problems.push(problem("`sinks` is no list of functions"));
  if (io !== undefined && !hasFunctions(io, "ask", "notify"))
    problems.push(problem("`io` is no channel to a user; make one with cliUserIo or apiUserIo"));
  if (beforeTool !== undefined && typeof beforeTool !== "function")
    problems.push(problem("`beforeTool` is no function"));
  if (journal !== undefined && !hasFunctions(journal, "open", "read"))
    problems.push(
      problem("`journal` is no journal store; make one with fileJournalStore or memoryJournalStore"),
    );
  return limits === undefined ? problems : [...problems, ...limitProblems(limits)];
}

/** Whether something is a list of sinks. */
export function isListOfFunctions(given: unknown): boolean {
  return Array.isArray(given) && given.every((one) => typeof one === "function");
}

function hasFunctions(given: unknown, ...names: readonly string[]): boolean {
  return isFields(given) && names.every((name) => typeof given[name] === "function");
}

function problem(message: string): AgentProblem {
  return { code: "settings", toolNames: [], message };
}
