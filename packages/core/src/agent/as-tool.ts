import { randomUUID } from "node:crypto";
import * as z from "zod";

import { ToolOutputError } from "../errors.ts";
import { project } from "../tools/call.ts";
import type { ToolContext } from "../tools/context.ts";
import type { Input, InputType } from "../tools/link.ts";
import { makeTool, toolStateOf, type AnyTool, type Tool } from "../tools/tool.ts";
import { Stop, Str, Suspend } from "../values/builtin.ts";
import type { AnyValue, AnyValueType, Of } from "../values/value.ts";
import type { Agent, ResumeOptions } from "./agent.ts";
import { NestingError, SnapshotError } from "./errors.ts";
import { maxDepth, parentOf, type ParentRun } from "./nesting.ts";
import type { RunReport, RunResult } from "./outcome.ts";
import { openRun } from "./resume-run.ts";
import { dropFailedRun } from "./failed-run.ts";
import type { RunReplay } from "./run-replay.ts";
import type { Run } from "./run.ts";
import type { RunSnapshot } from "./snapshot.ts";

/** How an agent looks as a tool. */
export interface AsToolOptions<Name extends string, I extends InputType, O extends AnyValueType> {
  /** The agent's name by default. */
  readonly name?: Name;
  /** The agent's description by default. */
  readonly description?: string;
  /** What the agent is given: its text becomes the child's first user message. `Str` by default. */
  readonly input?: I;
  /** What the tool returns: made of the fields of the agent's Stop. `Str`, of its `value`, by default. */
  readonly output?: O;
}

/** What stands for the value of an agent that ended without one. */
const noMessage = "The agent finished without a message.";

/** What a suspended child needs to go on; kept in the parent's snapshot, and shown to nobody. */
const childState = z.object({
  runId: z.string(),
  /** None where a journal has it. */
  snapshot: z.custom<RunSnapshot>().nullable(),
  /** What the parent has already counted of it. */
  report: z.custom<RunReport>(),
});
type ChildState = z.output<typeof childState>;

/**
 * Makes an agent a tool of other agents. Its runs are the caller's children: they end and are interrupted with it, ask
 * where its host said, keep their journals beside its own, and may spend what it has left. Their events, deltas too,
 * reach its sinks under their own `runId`, and what they spend and skip is added to its report. A child that waits for a
 * reply suspends its caller with the same request.
 *
 * The tool throws {@link NestingError} (`core/nesting`) when agents call agents more than 8 deep.
 */
export function asTool<
  Output extends Stop,
  const Name extends string = string,
  I extends InputType = typeof Str,
  O extends AnyValueType = typeof Str,
>(agent: Agent<Output>, options?: AsToolOptions<Name, I, O>): Tool<Input<I, Name>, Of<O> | Suspend, Name>;
export function asTool(agent: Agent, options: AsToolOptions<string, InputType, AnyValueType> = {}): AnyTool {
  const { name = agent.name, description = agent.description, input = Str, output = Str } = options;
  return makeTool(
    toolStateOf(
      {
        name,
        description,
        input,
        output: [output, Suspend],
        suspends: {
          request: z.unknown(),
          reply: output,
          resume: (reply, state, context) =>
            resumeChild({ agent, name, output, context }, reply, childState.parse(state)),
        },
        run: (task: AnyValue, context: ToolContext) => runChild({ agent, name, output, context }, task),
      },
      randomUUID(),
      // What the agent needs from outside, the tool needs.
      { context: agent },
    ),
  );
}

/** One call of an agent by another. */
interface Call {
  readonly agent: Agent;
  readonly name: string;
  readonly output: AnyValueType;
  readonly context: ToolContext;
}

async function runChild(call: Call, task: AnyValue): Promise<AnyValue> {
  const { context } = call;
  const parent = parentOf(context);
  const runId = parent?.nextChildId();
  const replay = runId === undefined ? undefined : await parent?.replay?.child(runId, call.agent);
  const agent = replay?.agent ?? call.agent;
  const options = {
    ...within(context, parent, undefined, replay),
    ...(runId === undefined ? {} : { runId }),
  };
  const isKnown = runId !== undefined && (await parent?.journal?.read(runId)) !== undefined;
  // A child that the journal knows was under way when the step was cut off: it goes on.
  const run =
    isKnown && parent?.journal !== undefined
      ? await openRun(parent.journal, runId, agent, options)
      : replay === undefined
        ? agent.start(task, options)
        : agent.restore(replay.opening(task), undefined, options);
  return outcome(call, parent, run, undefined);
}

async function resumeChild(
  call: Call,
  reply: unknown,
  { runId, snapshot, report }: ChildState,
): Promise<AnyValue> {
  const { context } = call;
  const parent = parentOf(context);
  const replay = await parent?.replay?.child(runId, call.agent);
  const agent = replay?.agent ?? call.agent;
  const options = within(context, parent, report, replay);
  const journal = parent?.journal;
  if (snapshot !== null) {
    const known = replay?.withEffects(snapshot) ?? snapshot;
    return outcome(call, parent, agent.restore(known, reply, { ...options, runId }), report);
  }
  if (journal === undefined)
    throw new SnapshotError(
      `the run \`${runId}\` of \`${agent.name}\` is in a journal; resume with that journal`,
    );
  return outcome(call, parent, await openRun(journal, runId, agent, { ...options, reply }), report);
}

/** What a child shares with its parent. */
function within(
  context: ToolContext,
  parent: ParentRun | undefined,
  counted: RunReport | undefined,
  replay: RunReplay | undefined,
): ResumeOptions {
  if (parent !== undefined && parent.depth >= maxDepth)
    throw new NestingError({ agentName: parent.agentName, maxDepth });
  const { signal, io } = context;
  if (parent === undefined) return { signal, io };
  const ceiling = parent.left(counted);
  const { io: hostIo, journal, allowChanged } = parent;
  const sinks = [parent.forward];
  return { signal, io: replay?.io ?? hostIo, journal, sinks, parent, ceiling, allowChanged, replay };
}

/** What a child's result is for the agent that called it. */
async function outcome(
  { agent, name, output }: Call,
  parent: ParentRun | undefined,
  run: Run,
  counted: RunReport | undefined,
): Promise<AnyValue> {
  let result: RunResult<Stop>;
  const stopCounting = parent?.count(run, counted);
  const stopPassing = parent?.passInterrupts(() => {
    run.interrupt();
  });
  try {
    result = await run.finish();
  } catch (error) {
    dropFailedRun(error);
    throw error;
  } finally {
    stopPassing?.();
    stopCounting?.();
  }
  const { report } = result;
  switch (result.status) {
    case "completed":
      return asOutput(name, output, result.output);
    case "suspended": {
      const snapshot = parent?.journal === undefined ? result.snapshot : null;
      return Suspend({ request: result.request, state: { runId: run.runId, snapshot, report } });
    }
    case "cancelled":
      return asOutput(name, output, Stop({ value: `\`${agent.name}\` was cancelled.` }));
  }
}

function asOutput(name: string, output: AnyValueType, stop: AnyValue): AnyValue {
  const fitted = project(output === Str ? textOf(stop) : { ...stop }, output);
  if ("value" in fitted) return fitted.value;
  throw new ToolOutputError({
    toolName: name,
    returned: "an agent whose Stop does not fit",
    declared: [output.kind],
  });
}

function textOf(stop: AnyValue): { readonly value: unknown } {
  const text: unknown = Reflect.get(stop, "value");
  return { value: text ?? noMessage };
}
