import { z } from "zod";

import {
  forkRequestSchema,
  pinRequestSchema,
  searchThreadsRequestSchema,
  startThreadRequestSchema,
  visibilityRequestSchema,
} from "../wire/requests.ts";
import { pageOf as pageSchemaOf } from "../wire/envelope.ts";
import {
  modelProfileSchema,
  threadDeltaSchema,
  threadRecordSchema,
  toolDetailSchema,
} from "../wire/thread.ts";
import { invalid, notFound } from "../store/errors.ts";
import { readDelta } from "../store/delta.ts";
import { forkThread } from "../store/fork.ts";
import { listThreads, setPinned } from "../store/listing.ts";
import { threadRecord } from "../store/records.ts";
import { skillFor } from "../store/skills.ts";
import { copySkills } from "../store/skills.ts";
import { deleteThread, lockThreadFor, startThread, threadFor } from "../store/threads.ts";
import type { ThreadRow } from "../store/thread-row.ts";
import type { ThreadTransaction } from "../store/thread-store.ts";
import { blockOf } from "../store/transcript.ts";
import { skillCopiesOf, type SkillCopy } from "../store/trigger.ts";
import type { Caller } from "../store/caller.ts";
import { flagOf, pageOf, type Call } from "./call.ts";
import type { Route, ServerParts } from "./route.ts";
import { checkClientTools, checkGoals, keptScope, triggerOf } from "./trigger-checks.ts";

type StartBody = z.output<typeof startThreadRequestSchema>;

/** Where a thread comes from that a server starts itself. */
export interface ThreadSource {
  readonly orgId: string;
  readonly agentId?: string | undefined;
  readonly triggerId?: string | undefined;
}

/** Starts a thread by what a request says. */
export async function startFrom(
  transaction: ThreadTransaction,
  caller: Caller,
  body: StartBody,
  { orgId, agentId, triggerId }: ThreadSource,
  { agents, limits }: ServerParts,
): Promise<z.output<typeof threadRecordSchema>> {
  const agentKey = agents.keyOf(body.model_profile);
  if ((body.system_prompt ?? "").length > limits.systemPromptChars)
    throw invalid(`A system prompt has at most ${limits.systemPromptChars} characters`);
  const clientTools = checkClientTools(body.client_tools ?? [], [], agents.namesOf(agentKey), limits);
  const available = body.available_skills ?? null;
  const skills = available === null ? null : await copySkills(transaction, caller, available);
  const names = skills?.map(({ name }) => name) ?? [];
  if (new Set(names).size < names.length) throw invalid("Two of the available skills have the same name");
  const trigger = await triggerOf(transaction, caller, body, {
    messages: body.messages,
    clientTools,
    limits,
  });
  return startThread(
    transaction,
    {
      caller,
      orgId,
      agentKey,
      modelProfile: body.model_profile ?? null,
      systemPrompt: body.system_prompt ?? null,
      visibility: body.visibility,
      origin: "api",
      analysisScope: keptScope(body.analysis_scope),
      availableSkills: skills,
      createdFromAgentId: agentId,
      createdFromTriggerId: triggerId,
    },
    trigger,
  );
}

function filtersOf(
  call: Call,
  given: z.output<typeof searchThreadsRequestSchema>,
): Parameters<typeof listThreads>[2] {
  return {
    orgId: call.namedOrg,
    status: given.status ?? undefined,
    createdBy: given.created_by ?? undefined,
    visibility: given.visibility ?? undefined,
    agentId: given.agent_id ?? undefined,
    triggerId: given.trigger_id ?? undefined,
    subjectId: given.subject_id ?? undefined,
    text: given.text ?? undefined,
    pinned: given.pinned ?? undefined,
  };
}

/** The available skills of a thread that another caller may see too. */
async function visibleSkills(
  transaction: ThreadTransaction,
  { availableSkills, createdBy }: ThreadRow,
  caller: Caller,
): Promise<SkillCopy[] | null> {
  if (availableSkills === null) return null;
  const skills = skillCopiesOf(availableSkills);
  if (createdBy === caller.userId) return skills;
  const seen: SkillCopy[] = [];
  for (const skill of skills) {
    const isVisible = await skillFor(transaction, skill.skill_id, caller).then(
      () => true,
      () => false,
    );
    if (isVisible) seen.push(skill);
  }
  return seen;
}

const record = threadRecordSchema;
const thread = "/v1/ai/threads/{thread_id}";

/** Threads as a whole: starting, reading, listing, copying, and who sees them. */
export const threadRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/ai/threads",
    summary: "Start a thread",
    body: startThreadRequestSchema,
    status: 201,
    data: record,
    prepare: async (call, { goals }) => {
      const body = call.body(startThreadRequestSchema);
      call.orgId();
      await checkGoals(body.goals, call.caller, goals);
    },
    write: (transaction, call, server) => {
      const body = call.body(startThreadRequestSchema);
      return startFrom(transaction, call.caller, body, { orgId: call.orgId() }, server);
    },
  },
  {
    method: "GET",
    path: "/v1/ai/threads",
    summary: "List threads: pinned ones first, then by last activity",
    query: ["page_token", "page_size"],
    data: pageSchemaOf(record),
    read: (view, call) => listThreads(view, call.caller, { orgId: call.namedOrg }, pageOf(call)),
  },
  {
    method: "POST",
    path: "/v1/ai/threads/search",
    summary: "Find threads",
    body: searchThreadsRequestSchema,
    data: pageSchemaOf(record),
    read: (view, call) => {
      const given = call.body(searchThreadsRequestSchema);
      const page = { limit: given.page_size ?? 50, pageToken: given.page_token ?? undefined };
      return listThreads(view, call.caller, filtersOf(call, given), page);
    },
  },
  {
    method: "GET",
    path: thread,
    summary: "Read a thread",
    query: ["load_messages"],
    data: record,
    read: async (view, call) => {
      const row = await threadFor(view, call.parameter("thread_id"), call.caller, "read");
      return threadRecord(view, row, { messages: flagOf(call, "load_messages") ?? true, details: true });
    },
  },
  {
    method: "GET",
    path: `${thread}/delta`,
    summary: "Read what happened after a position",
    query: ["next_token"],
    data: threadDeltaSchema,
    read: async (view, call, { limits }) => {
      const row = await threadFor(view, call.parameter("thread_id"), call.caller, "read");
      return readDelta(view, row, call.query.get("next_token") ?? "", limits.delta);
    },
  },
  {
    method: "POST",
    path: `${thread}/fork`,
    summary: "Copy a thread up to a message",
    body: forkRequestSchema,
    status: 201,
    data: record,
    write: async (transaction, call) => {
      const row = await threadFor(transaction, call.parameter("thread_id"), call.caller, "read");
      const { message_sequence_num: seq } = call.body(forkRequestSchema);
      const skills = await visibleSkills(transaction, row, call.caller);
      return forkThread(transaction, row, { caller: call.caller, seq, skills });
    },
  },
  {
    method: "PUT",
    path: `${thread}/pin`,
    summary: "Pin a thread for oneself, or take the pin away",
    body: pinRequestSchema,
    data: record,
    write: async (transaction, call) => {
      const row = await threadFor(transaction, call.parameter("thread_id"), call.caller, "pin");
      const { pinned } = call.body(pinRequestSchema);
      await setPinned(transaction, row.threadId, call.caller.userId, pinned);
      return threadRecord(transaction, row, { messages: false, details: false });
    },
  },
  {
    method: "PUT",
    path: `${thread}/visibility`,
    summary: "Say who may read a thread",
    body: visibilityRequestSchema,
    data: record,
    write: async (transaction, call) => {
      const writer = await lockThreadFor(transaction, call.parameter("thread_id"), call.caller, "own");
      const { visibility } = call.body(visibilityRequestSchema);
      await writer.setVisibility(visibility);
      await writer.save();
      const row = await threadFor(transaction, writer.threadId, call.caller, "read");
      return threadRecord(transaction, row, { messages: false, details: false });
    },
  },
  {
    method: "DELETE",
    path: thread,
    summary: "Delete a thread for everybody",
    status: 204,
    write: async (transaction, call) => {
      const writer = await lockThreadFor(transaction, call.parameter("thread_id"), call.caller, "own");
      await deleteThread(transaction, writer);
      return undefined;
    },
  },
  {
    method: "GET",
    path: `${thread}/tool-uses/{tool_use_id}`,
    summary: "Read a call of a tool with its result",
    data: toolDetailSchema,
    read: async (view, call) => {
      const row = await threadFor(view, call.parameter("thread_id"), call.caller, "read");
      const rows = await view.queries.rows(
        "SELECT type, data FROM blocks WHERE thread_id = $1 AND tool_use_id = $2",
        row.threadId,
        call.parameter("tool_use_id"),
      );
      const blocks = rows.map(blockOf);
      const toolUse = blocks.find(({ content_type }) => content_type === "tool_use");
      if (toolUse === undefined) throw notFound("call of this id in the thread");
      const result = blocks.find(({ content_type }) => content_type === "tool_result");
      return { tool_use: toolUse, tool_result: result ?? null };
    },
  },
  {
    method: "GET",
    path: "/v1/ai/model-profiles",
    summary: "List the agents that a thread can be started with",
    data: z.array(modelProfileSchema),
    read: (_view, _call, { agents }) =>
      Promise.resolve(
        agents.entries.map(([id, { label, description, agent }], index) => ({
          id,
          label: label ?? id,
          description: description ?? agent.description,
          is_default: index === 0,
        })),
      ),
  },
];
