import { sendMessageRequestSchema, submitToolResultsRequestSchema } from "../wire/requests.ts";
import {
  submitFeedbackRequestSchema,
  updateFeedbackRequestSchema,
  adminFeedbackSchema,
  userFeedbackSchema,
} from "../wire/feedback.ts";
import { pageOf as pageSchemaOf } from "../wire/envelope.ts";
import { stringifyJson } from "../wire/json.ts";
import { messageReceiptSchema, threadRecordSchema, toolResultsReceiptSchema } from "../wire/thread.ts";
import { text } from "../store/database.ts";
import { denied, invalid } from "../store/errors.ts";
import { listFeedback, rateMessage, triageFeedback } from "../store/feedback.ts";
import { threadRecord } from "../store/records.ts";
import {
  cancelTurn,
  checkWritable,
  lockThreadFor,
  sendToThread,
  submitResults,
  threadFor,
} from "../store/threads.ts";
import type { ThreadView } from "../store/thread-store.ts";
import { flagOf, pageOf } from "./call.ts";
import type { Route } from "./route.ts";
import { checkClientTools, checkGoals, keptScope, messagesOf, triggerOf } from "./trigger-checks.ts";

async function declaredNames({ queries }: ThreadView, threadId: string): Promise<string[]> {
  const rows = await queries.rows("SELECT name FROM thread_tools WHERE thread_id = $1", threadId);
  return rows.map((row) => text(row, "name"));
}

const thread = "/v1/ai/threads/{thread_id}";

/** What moves a thread on, and what is said of its messages. */
export const turnRoutes: readonly Route[] = [
  {
    method: "POST",
    path: `${thread}/messages`,
    summary: "Send a message, goals or skills",
    body: sendMessageRequestSchema,
    data: messageReceiptSchema,
    prepare: async (call, { goals, store }) => {
      // Who may not write is told so, whatever the body is.
      const row = await store.read((view) =>
        threadFor(view, call.parameter("thread_id"), call.caller, "write"),
      );
      checkWritable(row, call.caller);
      await checkGoals(call.body(sendMessageRequestSchema).goals, call.caller, goals);
    },
    write: async (transaction, call, { agents, limits }) => {
      const writer = await lockThreadFor(transaction, call.parameter("thread_id"), call.caller, "write");
      checkWritable(writer.row, call.caller);
      const body = call.body(sendMessageRequestSchema);
      const clientTools = checkClientTools(
        body.client_tools ?? [],
        await declaredNames(transaction, writer.threadId),
        agents.namesOf(writer.row.agentKey),
        limits,
      );
      const messages = messagesOf(body);
      const trigger = await triggerOf(transaction, call.caller, body, { messages, clientTools, limits });
      if (body.analysis_scope !== null && body.analysis_scope !== undefined)
        writer.setScope(keptScope(body.analysis_scope));
      return sendToThread(transaction, writer, trigger);
    },
  },
  {
    method: "POST",
    path: `${thread}/tool-results`,
    summary: "Submit results of client tools",
    body: submitToolResultsRequestSchema,
    data: toolResultsReceiptSchema,
    write: async (transaction, call, { agents, limits }) => {
      const writer = await lockThreadFor(transaction, call.parameter("thread_id"), call.caller, "write");
      checkWritable(writer.row, call.caller, true);
      const body = call.body(submitToolResultsRequestSchema);
      const clientTools = checkClientTools(
        body.client_tools ?? [],
        await declaredNames(transaction, writer.threadId),
        agents.namesOf(writer.row.agentKey),
        limits,
      );
      const results = body.tool_results.map(({ output = null, ...result }) => {
        if (Buffer.byteLength(stringifyJson(output)) > limits.outputBytes)
          throw invalid(`An output has at most ${limits.outputBytes} bytes`);
        return { ...result, output };
      });
      return submitResults(transaction, writer, results, clientTools);
    },
  },
  {
    method: "POST",
    path: `${thread}/cancel`,
    summary: "End the turn under way",
    data: threadRecordSchema,
    write: async (transaction, call) => {
      const writer = await lockThreadFor(transaction, call.parameter("thread_id"), call.caller, "cancel");
      await cancelTurn(transaction, writer);
      const row = await threadFor(transaction, writer.threadId, call.caller, "cancel");
      return threadRecord(transaction, row, { messages: false, details: false });
    },
  },
  {
    method: "POST",
    path: `${thread}/messages/{message_sequence_num}/feedback`,
    summary: "Rate a message",
    body: submitFeedbackRequestSchema,
    data: userFeedbackSchema,
    write: async (transaction, call) => {
      const row = await threadFor(transaction, call.parameter("thread_id"), call.caller, "read");
      const given = call.body(submitFeedbackRequestSchema);
      return rateMessage(transaction, row, call.index("message_sequence_num"), call.caller.userId, given);
    },
  },
  {
    method: "GET",
    path: "/v1/ai/feedback",
    summary: "List ratings, for admins",
    query: ["page_token", "page_size", "resolved"],
    data: pageSchemaOf(adminFeedbackSchema),
    read: (view, call) => {
      if (!call.caller.admin) throw denied("Only admins read all feedback");
      return listFeedback(view, { ...pageOf(call), resolved: flagOf(call, "resolved") });
    },
  },
  {
    method: "PATCH",
    path: "/v1/ai/feedback/{feedback_id}",
    summary: "Note what became of a rating, for admins",
    body: updateFeedbackRequestSchema,
    data: adminFeedbackSchema,
    write: (transaction, call) => {
      if (!call.caller.admin) throw denied("Only admins triage feedback");
      const given = call.body(updateFeedbackRequestSchema);
      return triageFeedback(transaction, call.parameter("feedback_id"), call.caller.userId, given);
    },
  },
];
