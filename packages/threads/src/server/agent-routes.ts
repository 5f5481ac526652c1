import type { z } from "zod";

import {
  agentRecordSchema,
  createAgentRequestSchema,
  launchAgentRequestSchema,
  updateAgentRequestSchema,
  type AgentRecord,
} from "../wire/agents.ts";
import { pageOf as pageSchemaOf, threadHeaders } from "../wire/envelope.ts";
import { startThreadRequestSchema } from "../wire/requests.ts";
import { analysisScopeSchema, mergedScope } from "../wire/scope.ts";
import { threadRecordSchema } from "../wire/thread.ts";
import {
  agentByName,
  agentFor,
  createAgent,
  deleteAgent,
  listAgents,
  replaceAgent,
} from "../store/agents.ts";
import { denied, invalid } from "../store/errors.ts";
import type { ThreadView } from "../store/thread-store.ts";
import { pageOf, type Call } from "./call.ts";
import type { Route, ServerParts } from "./route.ts";
import { checkTemplate, filledIn, resolveValues } from "./template.ts";
import { startFrom } from "./thread-routes.ts";
import { checkGoals } from "./trigger-checks.ts";

const agentOf = (view: ThreadView, call: Call): Promise<AgentRecord> =>
  agentFor(view, call.parameter("agent_id"), call.caller);

async function memberAgent(view: ThreadView, call: Call): Promise<AgentRecord> {
  const found = await agentOf(view, call);
  if (!call.caller.orgs.includes(found.org_id)) throw denied("You may not change or launch this agent");
  return found;
}

/** The request that a launch stands for. */
function launched(call: Call, agent: AgentRecord): z.output<typeof startThreadRequestSchema> {
  const { values, visibility, analysis_scope: scope } = call.body(launchAgentRequestSchema);
  const template = filledIn(agent.request_template, resolveValues(agent.variables, values));
  const request = startThreadRequestSchema.parse(template);
  const none = { start_time: null, end_time: null };
  const merged = mergedScope(request.analysis_scope ?? none, scope ?? none);
  return { ...request, visibility, analysis_scope: analysisScopeSchema.parse(merged) };
}

async function checkEntities(
  call: Call,
  { variables, org_id: orgId }: AgentRecord,
  { entityExists }: ServerParts,
): Promise<void> {
  const values = resolveValues(variables, call.body(launchAgentRequestSchema).values);
  for (const { name, type } of variables) {
    const value = values.get(name) ?? "";
    if (type !== "string" && !(await entityExists(type, value, orgId)))
      throw invalid(`\`${name}\` names nothing that the organisation has`);
  }
}

const agent = "/v1/ai/agents/{agent_id}";

/** Templates that threads are launched from. */
export const agentRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/ai/agents",
    summary: "Keep a template",
    body: createAgentRequestSchema,
    status: 201,
    data: agentRecordSchema,
    write: (transaction, call) => {
      const body = call.body(createAgentRequestSchema);
      checkTemplate(body);
      const contents = { ...body, description: body.description ?? null };
      return createAgent(transaction, call.caller, call.orgId(), contents);
    },
  },
  {
    method: "GET",
    path: "/v1/ai/agents",
    summary: "List templates, the newest first",
    query: ["page_token", "page_size"],
    data: pageSchemaOf(agentRecordSchema),
    read: (view, call) => listAgents(view, call.orgId(), pageOf(call)),
  },
  {
    method: "GET",
    path: "/v1/ai/agents/name/{name}",
    summary: "Find a template by its name",
    data: agentRecordSchema,
    read: (view, call) => {
      const owner = call.headers.get(threadHeaders.resourceOwnerId);
      if (owner !== null && !call.caller.orgs.includes(owner)) throw denied("You may not use this agent");
      return agentByName(view, call.parameter("name"), owner ?? call.orgId());
    },
  },
  { method: "GET", path: agent, summary: "Read a template", data: agentRecordSchema, read: agentOf },
  {
    method: "PUT",
    path: agent,
    summary: "Change a template",
    body: updateAgentRequestSchema,
    data: agentRecordSchema,
    write: async (transaction, call) => {
      const before = await memberAgent(transaction, call);
      const changes = call.body(updateAgentRequestSchema);
      const contents = {
        name: changes.name ?? before.name,
        description: changes.description === undefined ? before.description : changes.description,
        request_template: changes.request_template ?? before.request_template,
        variables: changes.variables ?? before.variables,
      };
      checkTemplate(contents);
      return replaceAgent(transaction, call.caller, before, contents);
    },
  },
  {
    method: "DELETE",
    path: agent,
    summary: "Delete a template; threads that it launched stay",
    status: 204,
    write: async (transaction, call) =>
      deleteAgent(transaction, (await memberAgent(transaction, call)).agent_id),
  },
  {
    method: "POST",
    path: `${agent}/launch`,
    summary: "Start a thread from a template",
    body: launchAgentRequestSchema,
    status: 201,
    data: threadRecordSchema,
    prepare: async (call, server) => {
      const found = await server.store.read((view) => memberAgent(view, call));
      await checkEntities(call, found, server);
      await checkGoals(launched(call, found).goals, call.caller, server.goals);
    },
    write: async (transaction, call, server) => {
      const found = await memberAgent(transaction, call);
      const source = { orgId: found.org_id, agentId: found.agent_id };
      return startFrom(transaction, call.caller, launched(call, found), source, server);
    },
  },
];
