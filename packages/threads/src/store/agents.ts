import { parseJson, stringifyJson } from "../wire/json.ts";
import { templateVariableSchema, type AgentRecord } from "../wire/agents.ts";
import type { Caller } from "./caller.ts";
import { text, textOrNull, type SqlRow } from "./database.ts";
import { conflict, denied, notFound } from "./errors.ts";
import { Parameters, type Page } from "./listing.ts";
import { readPage, writePage } from "./page-token.ts";
import { objectOf } from "./records.ts";
import type { ThreadTransaction, ThreadView } from "./thread-store.ts";

/** What a template consists of, checked. */
export type AgentContents = Pick<AgentRecord, "name" | "description" | "request_template" | "variables">;

function agentOf(row: SqlRow): AgentRecord {
  return {
    agent_id: text(row, "agent_id"),
    org_id: text(row, "org_id"),
    name: text(row, "name"),
    description: textOrNull(row, "description"),
    request_template: objectOf(text(row, "request_template")),
    variables: templateVariableSchema.array().parse(parseJson(text(row, "variables"))),
    created: text(row, "created"),
    created_by: text(row, "created_by"),
    modified: text(row, "modified"),
    modified_by: text(row, "modified_by"),
  };
}

/**
 * A template of an organisation that the caller belongs to.
 *
 * @throws {@link RobotoNotFoundException}, {@link RobotoUnauthorizedException}
 */
export async function agentFor(
  { queries }: ThreadView,
  agentId: string,
  caller: Caller,
): Promise<AgentRecord> {
  const [row] = await queries.rows("SELECT * FROM agents WHERE agent_id = $1", agentId);
  if (row === undefined) throw notFound("agent of this id");
  const agent = agentOf(row);
  if (!caller.orgs.includes(agent.org_id) && !caller.admin) throw denied("You may not use this agent");
  return agent;
}

/** A template by its name in an organisation. */
export async function agentByName(
  { queries }: ThreadView,
  name: string,
  orgId: string,
): Promise<AgentRecord> {
  const [row] = await queries.rows("SELECT * FROM agents WHERE org_id = $1 AND name = $2", orgId, name);
  if (row === undefined) throw notFound("agent of this name");
  return agentOf(row);
}

/** The templates of an organisation, the newest first. */
export async function listAgents(
  { queries }: ThreadView,
  orgId: string,
  { limit, pageToken }: { readonly limit: number; readonly pageToken?: string | undefined },
): Promise<Page<AgentRecord>> {
  const parameters = new Parameters();
  const conditions = [`org_id = ${parameters.add(orgId)}`];
  if (pageToken !== undefined) {
    const place = readPage(pageToken, 2).map((part) => parameters.add(part));
    conditions.push(`(created, agent_id) < (${place.join(", ")})`);
  }
  const rows = await queries.rows(
    `SELECT * FROM agents WHERE ${conditions.join(" AND ")}
      ORDER BY created DESC, agent_id DESC LIMIT ${parameters.add(limit + 1)}`,
    ...parameters.values,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return {
    items: page.map(agentOf),
    next_token: isMore ? writePage([text(last, "created"), text(last, "agent_id")]) : null,
  };
}

/**
 * Keeps a template.
 *
 * @throws {@link RobotoConflictException} when the organisation has one of the name.
 */
export async function createAgent(
  transaction: ThreadTransaction,
  caller: Caller,
  orgId: string,
  contents: AgentContents,
): Promise<AgentRecord> {
  const { queries, newId, now } = transaction;
  const agentId = newId("agt");
  await checkNameFree(transaction, orgId, contents.name, agentId);
  await queries.run(
    `INSERT INTO agents (agent_id, org_id, name, description, request_template, variables, created, created_by, modified,
      modified_by) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $7, $8)`,
    agentId,
    orgId,
    contents.name,
    contents.description,
    stringifyJson(contents.request_template),
    stringifyJson(contents.variables),
    now(),
    caller.userId,
  );
  return agentFor(transaction, agentId, caller);
}

/** Changes a template to these contents. */
export async function replaceAgent(
  transaction: ThreadTransaction,
  caller: Caller,
  { agent_id: agentId, org_id: orgId }: AgentRecord,
  contents: AgentContents,
): Promise<AgentRecord> {
  await checkNameFree(transaction, orgId, contents.name, agentId);
  await transaction.queries.run(
    `UPDATE agents SET name = $2, description = $3, request_template = $4, variables = $5, modified = $6,
      modified_by = $7 WHERE agent_id = $1`,
    agentId,
    contents.name,
    contents.description,
    stringifyJson(contents.request_template),
    stringifyJson(contents.variables),
    transaction.now(),
    caller.userId,
  );
  return agentFor(transaction, agentId, caller);
}

/** Deletes a template for good; its name is free again. */
export async function deleteAgent({ queries }: ThreadTransaction, agentId: string): Promise<void> {
  await queries.run("DELETE FROM agents WHERE agent_id = $1", agentId);
}

async function checkNameFree(
  { queries }: ThreadView,
  orgId: string,
  name: string,
  agentId: string,
): Promise<void> {
  const rows = await queries.rows(
    "SELECT agent_id FROM agents WHERE org_id = $1 AND name = $2 AND agent_id <> $3",
    orgId,
    name,
    agentId,
  );
  if (rows.length > 0) throw conflict(`There is an agent \`${name}\` already`);
}
