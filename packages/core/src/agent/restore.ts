import { createHash } from "node:crypto";

import { AgentChangedError, ReplyError, SnapshotError } from "./errors.ts";
import type { GraphNode, ToolGraph } from "../chains/graph.ts";
import type { SkillParts } from "../chains/skill-rules.ts";
import { jsonSchemaOf } from "../values/json-schema.ts";
import { parseMessage } from "../values/message.ts";
import { Str, StrImage } from "../values/builtin.ts";
import { describeProblem, isFields } from "../values/parse.ts";
import { isValue, typeState, type AnyValue } from "../values/value.ts";
import type { ResumeOptions } from "./agent.ts";
import type { CompiledAgent } from "./compiled.ts";
import { RepeatWatch } from "./repeats.ts";
import { RunState } from "./run-state.ts";
import type { GraphFingerprint, RunSnapshot } from "./snapshot.ts";
import { restoreValue } from "./stored-value.ts";
import { checkForm } from "./snapshot-form.ts";
import { storePosition } from "./store-position.ts";
import { Tally } from "./tally.ts";

/** A run's state as JSON. */
export function takeSnapshot(agent: CompiledAgent, state: RunState): RunSnapshot {
  return {
    schemaVersion: 1,
    runId: state.runId,
    agentName: agent.name,
    fingerprint: agent.fingerprint(),
    isStarted: state.isStarted,
    skills: state.skills,
    messages: [...state.messages],
    showings: state.view.showings(),
    position: storePosition(state),
    pending: state.pending,
    counts: state.tally.counts(),
    repeats: state.repeats.state(),
    once: Object.fromEntries(state.once),
  };
}

/**
 * The state that a snapshot holds.
 *
 * @throws {@link AgentChangedError} (`core/agent-changed`) when the graph is another one, unless `allowChanged`;
 * {@link SnapshotError} (`core/snapshot`) for what is no snapshot, or of a tool that is gone; {@link MessageError}
 * (`core/message`) for what is no message.
 */
export function restoreState(
  agent: CompiledAgent,
  snapshot: RunSnapshot,
  { allowChanged = false, runId }: Pick<ResumeOptions, "allowChanged" | "runId">,
): RunState {
  const { counts, skills } = checkForm(agent.name, snapshot);
  if (!allowChanged) checkFingerprint(agent, snapshot.fingerprint);
  const { position, messages } = snapshot;
  const { types } = agent.graph;
  const state = new RunState(runId ?? snapshot.runId, agent, restoreValue(position.output, types));
  for (const message of messages) state.messages.push(parseMessage(message));
  state.view.reset(state.messages, snapshot.showings);
  state.isStarted = snapshot.isStarted;
  const known = new Set(agent.skills.map(({ name }) => name));
  state.load(skills.filter((name) => known.has(name)));
  state.last = position.lastTool === null ? undefined : nodeOf(agent.graph, position.lastTool);
  state.chosenBy = position.chosenBy;
  state.queue = position.queue.map((key) => nodeOf(agent.graph, key));
  state.calls = position.calls.map((call) => restoreValue(call, types));
  state.pending = snapshot.pending;
  if (snapshot.pending !== null) nodeOf(agent.graph, snapshot.pending.tool);
  state.tally = Tally.from(counts);
  state.repeats = RepeatWatch.from(snapshot.repeats);
  for (const [key, entry] of Object.entries(snapshot.once)) state.once.set(key, entry);
  return state;
}

function checkFingerprint(agent: CompiledAgent, then: GraphFingerprint): void {
  const now = agent.fingerprint();
  const differences = [...new Set([...Object.keys(then), ...Object.keys(now)])].flatMap((tool) => {
    if (now[tool] === then[tool]) return [];
    const change =
      now[tool] === undefined
        ? ("removed" as const)
        : then[tool] === undefined
          ? ("added" as const)
          : ("changed" as const);
    return [{ tool, change }];
  });
  if (differences.length > 0) throw new AgentChangedError({ agentName: agent.name, differences });
}

function nodeOf(graph: ToolGraph, key: string): GraphNode {
  const node = graph.byKey.get(key);
  if (node === undefined) throw new SnapshotError(`the tool \`${key}\`, which it stands at, is gone`);
  return node;
}

/** A digest of each tool's contract and links. Conditions are code, and only counted as there or not. */
export function fingerprintOf(graph: ToolGraph): GraphFingerprint {
  const keyOf = new Map(graph.nodes.map(({ key, tool }) => [tool.id, key]));
  return Object.fromEntries(
    graph.nodes.map(({ key, role, isCallable, tool, parents, loads, callableWith }) => {
      const contract = {
        role,
        isCallable,
        input: [tool.input.kind, jsonSchemaOf(tool.input)],
        outputs: tool.outputs.map((type) => [type.kind, jsonSchemaOf(type)]),
        reply: tool.suspends?.reply.kind,
        links: parents.map(({ parentId, condition }) => [keyOf.get(parentId), condition !== undefined]),
        ...(callableWith === null ? undefined : { skills: callableWith }),
        ...(loads === null ? undefined : { skill: skillContract(loads, keyOf) }),
      };
      return [key, createHash("sha256").update(JSON.stringify(contract)).digest("hex").slice(0, 16)];
    }),
  );
}

/** What a skill is to a run; its texts may change. */
function skillContract(
  { tools, dependsOn, isAutoLoaded }: SkillParts,
  keyOf: ReadonlyMap<string, string>,
): readonly unknown[] {
  return [tools.map(({ id }) => keyOf.get(id)), dependsOn?.name, isAutoLoaded];
}

/**
 * A reply as the value that becomes the asking tool's output.
 *
 * @throws {@link ReplyError} (`core/reply`) when it does not fit the reply type that the tool declares.
 */
export function replyFor(node: GraphNode, reply: unknown): AnyValue {
  const declared = node.tool.suspends?.reply;
  if (isValue(reply) && declared?.is(reply) === true) return reply;
  const given = typeof reply === "string" ? { value: reply } : reply;
  // A text may come with images.
  const type = declared?.kind === Str.kind && isFields(given) && "images" in given ? StrImage : declared;
  const state = typeState(type);
  if (state === undefined) throw new ReplyError(`\`${node.name}\` declares no reply that it could take`);
  const parsed = state.parse(given);
  if ("problem" in parsed) {
    throw new ReplyError(
      `The reply does not fit \`${state.kind}\`, which \`${node.name}\` waits for: ${describeProblem(parsed.problem)}`,
      { cause: parsed.problem },
    );
  }
  return state.adopt(parsed.fields, undefined);
}
