import { parseJson } from "../wire/json.ts";
import { startThreadRequestSchema } from "../wire/requests.ts";
import {
  setSummaryRequestSchema,
  promptRequestSchema,
  summarySchema,
  type AISummary,
} from "../wire/summaries.ts";
import { text, textOrNull, type SqlRow } from "../store/database.ts";
import { notFound } from "../store/errors.ts";
import type { ThreadTransaction, ThreadView } from "../store/thread-store.ts";
import type { Call } from "./call.ts";
import type { Route } from "./route.ts";
import { startFrom } from "./thread-routes.ts";
import { checkGoals } from "./trigger-checks.ts";

async function rowOf({ queries }: ThreadView, call: Call): Promise<SqlRow | undefined> {
  const [row] = await queries.rows(
    "SELECT * FROM summaries WHERE org_id = $1 AND dataset_id = $2",
    call.orgId(),
    call.parameter("dataset_id"),
  );
  return row;
}

/** A summary as it is now: a text that was set, else what the thread that writes it has achieved. */
async function summaryOf(view: ThreadView, row: SqlRow): Promise<AISummary> {
  const facts = { summary_id: text(row, "summary_id"), created: text(row, "created") };
  const set = textOrNull(row, "text");
  if (set !== null) return { ...facts, text: set, status: "complete" };
  const [goal] = await view.queries.rows(
    `SELECT g.status, b.data FROM goals g LEFT JOIN blocks b
      ON b.thread_id = g.thread_id AND b.tool_use_id = g.achieve_tool_use_id AND b.type = 'tool_use'
      WHERE g.thread_id = $1`,
    textOrNull(row, "thread_id"),
  );
  const status = goal === undefined ? "failed" : text(goal, "status");
  if (goal === undefined || status !== "achieved")
    return { ...facts, text: null, status: status === "failed" ? "failed" : "pending" };
  return { ...facts, text: summaryIn(parseJson(text(goal, "data"))), status: "complete" };
}

function summaryIn(use: unknown): string {
  const input: unknown = typeof use === "object" && use !== null ? Reflect.get(use, "input") : undefined;
  const summary: unknown =
    typeof input === "object" && input !== null ? Reflect.get(input, "summary") : undefined;
  return typeof summary === "string" ? summary : "";
}

async function keep(
  transaction: ThreadTransaction,
  call: Call,
  contents: { readonly text: string | null; readonly threadId: string | null },
): Promise<AISummary> {
  const { queries, newId, now } = transaction;
  const [row] = await queries.rows(
    `INSERT INTO summaries (dataset_id, org_id, summary_id, text, thread_id, created) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (org_id, dataset_id) DO UPDATE SET summary_id = $3, text = $4, thread_id = $5, created = $6
      RETURNING *`,
    call.parameter("dataset_id"),
    call.orgId(),
    newId("sum"),
    contents.text,
    contents.threadId,
    now(),
  );
  if (row === undefined) throw new Error("A summary that was just written cannot be read");
  return summaryOf(transaction, row);
}

function requestOf(call: Call) {
  const { prompt = "" } = call.body(promptRequestSchema.partial());
  const goal = { goal_type: "dataset_summary", dataset_id: call.parameter("dataset_id") };
  return startThreadRequestSchema.parse({
    goals: [prompt === "" ? goal : { ...goal, summary_format_spec_prompt: prompt }],
  });
}

const path = "/v1/datasets/{dataset_id}/summary";

/** Summaries of datasets, which threads with a goal write. */
export const summaryRoutes: readonly Route[] = [
  {
    method: "POST",
    path,
    summary: "Have a summary written",
    body: promptRequestSchema.partial(),
    status: 201,
    data: summarySchema,
    prepare: (call, { goals }) => {
      call.orgId();
      return checkGoals(requestOf(call).goals, call.caller, goals);
    },
    write: async (transaction, call, server) => {
      const source = { orgId: call.orgId() };
      const thread = await startFrom(transaction, call.caller, requestOf(call), source, server);
      return keep(transaction, call, { text: null, threadId: thread.thread_id });
    },
  },
  {
    method: "GET",
    path,
    summary: "Read a summary; reading writes none",
    data: summarySchema,
    read: async (view, call) => {
      const row = await rowOf(view, call);
      if (row === undefined) throw notFound("summary of this dataset");
      return summaryOf(view, row);
    },
  },
  {
    method: "PUT",
    path,
    summary: "Set the text of a summary",
    body: setSummaryRequestSchema,
    data: summarySchema,
    prepare: (call, { goals }) => checkGoals(requestOf(call).goals, call.caller, goals),
    write: (transaction, call) => {
      const { summary } = call.body(setSummaryRequestSchema);
      return keep(transaction, call, { text: summary, threadId: null });
    },
  },
];
