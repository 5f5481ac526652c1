import { z } from "zod";

import {
  analysisScopeSchema,
  viewingContextSchema,
  type AnalysisScope,
  type ClientViewingContext,
} from "../wire/scope.ts";
import { parseJson, withDigitsAsText } from "../wire/json.ts";
import type { AgentTask } from "../wire/tasks.ts";
import { integer, text, textOrNull } from "../store/database.ts";
import { readModelMessages, type KeptMessage } from "../store/model-messages.ts";
import { objectOf, readTasks } from "../store/records.ts";
import { subscribedSkills } from "../store/skills.ts";
import type { ThreadRow } from "../store/thread-row.ts";
import type { ThreadView } from "../store/thread-store.ts";
import { openCalls, type OpenCall } from "../store/tool-calls.ts";
import { skillCopiesOf, type DeclaredTool, type SkillCopy } from "../store/trigger.ts";
import type { ClaimedTurn } from "../store/turns.ts";
import { turnGoals, type TurnGoal } from "./achieve-tools.ts";
import { parseLoopMemory, type LoopMemory } from "./loop-state.ts";
import type { ClientAnswer } from "./client-tool.ts";
import { blockOf } from "../store/transcript.ts";

/** What a turn begins with, all of one moment. */
export interface TurnFacts {
  readonly row: ThreadRow;
  readonly trigger: { readonly seq: number | null; readonly text: string | null };
  readonly conversation: readonly KeptMessage[];
  readonly memory: LoopMemory;
  readonly clientTools: readonly DeclaredTool[];
  readonly skills: readonly SkillCopy[];
  readonly goals: readonly TurnGoal[];
  readonly tasks: readonly AgentTask[];
  readonly openCalls: readonly OpenCall[];
  /** What clients answered calls of this turn. */
  readonly answers: ReadonlyMap<string, ClientAnswer>;
  readonly scope: AnalysisScope | null;
  readonly clientContext: ClientViewingContext | null;
}

const triggerSchema = z.object({ seq: z.number().nullable(), text: z.string().nullable() });

/** An object of plain JSON, which is all that a loop carries. */
function plainObject(json: unknown): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(json);
}

/** Reads what a turn begins with. */
export async function readTurnFacts(view: ThreadView, turn: ClaimedTurn, row: ThreadRow): Promise<TurnFacts> {
  const { queries } = view;
  const { threadId } = row;
  const tools = await queries.rows("SELECT * FROM thread_tools WHERE thread_id = $1 ORDER BY ord", threadId);
  const goals = await queries.rows("SELECT * FROM goals WHERE turn_id = $1 ORDER BY ord", turn.turnId);
  const results = await queries.rows(
    `SELECT b.tool_use_id, b.type, b.data FROM tool_calls c JOIN blocks b
      ON b.thread_id = c.thread_id AND b.tool_use_id = c.tool_use_id AND b.type = 'tool_result'
      WHERE c.turn_id = $1 AND c.kind = 'client'`,
    turn.turnId,
  );
  const answers = new Map<string, ClientAnswer>();
  for (const result of results) {
    const block = blockOf(result);
    if (block.content_type === "tool_result")
      answers.set(block.tool_use_id, {
        status: block.status,
        output: plainObject(withDigitsAsText(block.raw_response ?? {})),
      });
  }
  return {
    row,
    trigger: triggerSchema.parse(JSON.parse(turn.trigger)),
    conversation: await readModelMessages(view, threadId),
    memory: parseLoopMemory(row.memory),
    clientTools: tools.map((tool) => ({
      name: text(tool, "name"),
      description: text(tool, "description"),
      // A bound beyond 2^53 is as good rounded, and a schema takes no other one.
      input_schema: plainObject(JSON.parse(text(tool, "input_schema"))),
    })),
    skills:
      row.availableSkills === null
        ? await subscribedSkills(view, row.createdBy, row.orgId)
        : skillCopiesOf(row.availableSkills),
    goals: turnGoals(
      goals.map((goal) => ({
        ord: integer(goal, "ord"),
        data: { goal_type: text(goal, "goal_type"), ...objectOf(text(goal, "goal_data")) },
        status: text(goal, "status"),
        achieveToolUseId: textOrNull(goal, "achieve_tool_use_id"),
      })),
    ),
    tasks: await readTasks(view, threadId),
    openCalls: await openCalls(view, turn.turnId),
    answers,
    scope: row.analysisScope === null ? null : analysisScopeSchema.parse(parseJson(row.analysisScope)),
    clientContext:
      turn.clientContext === null ? null : viewingContextSchema.parse(parseJson(turn.clientContext)),
  };
}
