import { z } from "zod";
import type { ThreadVisibility } from "../wire/enums.ts";
import type { ClientToolResult } from "../wire/client-tools.ts";
import { userFeedbackSchema, submitFeedbackRequestSchema } from "../wire/feedback.ts";
import type { SubmitFeedbackRequest, UserFeedbackRecord } from "../wire/feedback.ts";
import type { AgentMessage } from "../wire/message.ts";
import {
  forkRequestSchema,
  sendMessageRequestSchema,
  startThreadRequestSchema,
  submitToolResultsRequestSchema,
  visibilityRequestSchema,
} from "../wire/requests.ts";
import type { AgentTask } from "../wire/tasks.ts";
import {
  messageReceiptSchema,
  threadRecordSchema,
  toolDetailSchema,
  toolResultsReceiptSchema,
  type AgentThreadRecord,
  type AgentToolDetailResponse,
} from "../wire/thread.ts";
import { checked } from "./checked.ts";
import type { AgentEvent } from "./events.ts";
import { Follower, type FollowOptions } from "./follower.ts";
import { AgentThreadGoalView } from "./goal-view.ts";
import { HeldThread } from "./held-thread.ts";
import type { Call, ThreadsClient } from "./http/threads-client.ts";
import { runThread } from "./run-thread.ts";
import type {
  ChangeOptions,
  FromIdOptions,
  RunOptions,
  SendOptions,
  SendTextOptions,
  StartOptions,
} from "./thread-options.ts";
import type { ClientTool } from "./tools/client-tool.ts";
import { specsOf, ToolRegistry, type DeclaredTool } from "./tools/tool-registry.ts";
import { transcriptOf } from "./transcript.ts";

const threads = "/v1/ai/threads";
const nothing = z.unknown();
/** Servers that do not know our receipts answer with anything, or nothing. */
const sentSchema = messageReceiptSchema.nullable().catch(null);
const submittedSchema = toolResultsReceiptSchema.nullable().catch(null);
const cancelledSchema = messageReceiptSchema.pick({ status: true }).nullable().catch(null);

/**
 * A durable conversation with an agent, as this process knows it. The server has the thread; `refresh`, `events` and `run`
 * bring what is new. An instance is for one reader at a time.
 */
export class AgentThread {
  readonly #client: ThreadsClient;
  readonly #held: HeldThread;
  readonly #follower: Follower;
  readonly #tools = new ToolRegistry();
  #goals:
    { readonly of: AgentThreadRecord["goals"]; readonly views: readonly AgentThreadGoalView[] } | undefined;

  /** An instance over a record that was got some other way; {@link AgentThread.start} and {@link AgentThread.fromId} make a request. */
  constructor(
    record: AgentThreadRecord,
    {
      client,
      clientTools = [],
    }: { readonly client: ThreadsClient; readonly clientTools?: readonly DeclaredTool[] },
  ) {
    this.#client = client;
    this.#held = new HeldThread(record);
    this.#follower = new Follower(client, this.#held);
    this.#tools.declare(clientTools);
  }

  /**
   * Starts a thread with something to answer: a text, a message, seeded history, goals, or skills to invoke.
   *
   * @throws {@link RobotoInvalidRequestException} when there is nothing to answer or something breaks a rule, before anything
   * is sent where it can be told; {@link RobotoUnauthorizedException} when the caller may not.
   */
  static async start(
    message: string | AgentMessage | readonly AgentMessage[] | null | undefined,
    options: StartOptions,
  ): Promise<AgentThread> {
    const { client, clientTools, orgId, signal, idempotencyKey } = options;
    const body = checked(
      startThreadRequestSchema,
      {
        messages: messagesOf(message),
        system_prompt: options.systemPrompt,
        model_profile: options.modelProfile,
        available_skills: options.availableSkills,
        visibility: options.visibility,
        ...turnOf(options),
      },
      "The start of a thread",
    );
    const schema = threadRecordSchema;
    const call: Call<typeof schema> = { method: "POST", path: threads, schema };
    const record = await client.call({ ...call, body, orgId, signal, idempotencyKey });
    return new AgentThread(record, { client, clientTools: clientTools ?? [] });
  }

  /**
   * Goes on with a thread. Its client tools are known again once they are registered.
   *
   * @throws {@link RobotoNotFoundException}, {@link RobotoUnauthorizedException}
   */
  static async fromId(threadId: string, options: FromIdOptions): Promise<AgentThread> {
    const { client, loadMessages = true, signal } = options;
    const record = await client.call({
      method: "GET",
      path: `${threads}/${encodeURIComponent(threadId)}`,
      query: { load_messages: loadMessages },
      schema: threadRecordSchema,
      signal,
    });
    return new AgentThread(record, { client });
  }

  get threadId(): string {
    return this.#held.record.thread_id;
  }

  /** Everything known of the thread; it changes with what is applied. */
  get record(): Readonly<AgentThreadRecord> {
    return this.#held.record;
  }

  /** Whose turn it is, as far as is known here; a later server may say something else. */
  get status(): AgentThreadRecord["status"] {
    return this.#held.record.status;
  }

  get title(): string | null {
    return this.#held.record.title;
  }

  get visibility(): AgentThreadRecord["visibility"] {
    return this.#held.record.visibility;
  }

  /**
   * The messages, at their numbers; a live list. Where the thread was loaded without messages it has holes, over which
   * `forEach`, `filter` and `flatMap` pass.
   */
  get messages(): readonly AgentMessage[] {
    return this.#held.record.messages;
  }

  get latestMessage(): AgentMessage | null {
    return this.#held.record.messages.at(-1) ?? null;
  }

  /** The client tools that can be run here, in the order in which they were registered. */
  get clientToolNames(): string[] {
    return this.#tools.names;
  }

  /** The goals, oldest first; none when there are none or they were not loaded. The same list until goals arrive. */
  get goals(): readonly AgentThreadGoalView[] {
    const { goals } = this.#held.record;
    if (this.#goals === undefined || this.#goals.of !== goals) {
      this.#goals = {
        of: goals,
        views: (goals ?? []).map((goal) => new AgentThreadGoalView(goal, this.#held)),
      };
    }
    return this.#goals.views;
  }

  /** The agent's tasks in their order; none when there are none or they were not loaded. A new list each time. */
  get tasks(): AgentTask[] {
    return (this.#held.record.tasks ?? []).toSorted((one, other) => one.position - other.position);
  }

  /** The conversation as a text to read. */
  get transcript(): string {
    return transcriptOf(this.#held.record);
  }

  /**
   * Sends a message of the user, goals, or skills to invoke; the agent starts to work on it.
   *
   * @throws {@link RobotoInvalidRequestException} when it is not the user's turn, or something breaks a rule;
   * {@link RobotoThreadReadOnlyException} when another surface owns the thread; {@link RobotoUnauthorizedException}
   */
  async send(message?: AgentMessage | null, options: SendOptions = {}): Promise<this> {
    return this.#send(message ?? null, options);
  }

  /** Sends a text of the user, as {@link AgentThread.send} does. */
  async sendText(text: string, options: SendTextOptions = {}): Promise<this> {
    return this.#send({ role: "user", content: [{ content_type: "text", text }] }, options);
  }

  /** Has the agent load a skill, in its highest version unless one is given, and go on from there. */
  async invokeSkill(skillId: string, version?: number, options: ChangeOptions = {}): Promise<this> {
    const skill = version === undefined ? { skill_id: skillId } : { skill_id: skillId, version };
    return this.#send(null, { ...options, invokeSkills: [skill] });
  }

  /**
   * Submits what client tools answered; `run` does so by itself. The agent goes on once no call is left unanswered.
   *
   * @throws {@link RobotoInvalidRequestException} when a call does not wait, because another process answered it for example.
   */
  async submitClientToolResults(
    results: readonly ClientToolResult[],
    clientTools?: readonly DeclaredTool[],
    options: ChangeOptions = {},
  ): Promise<this> {
    const given = { tool_results: results, client_tools: specsOf(clientTools) };
    const body = checked(submitToolResultsRequestSchema, given, "The submission");
    const receipt = await this.#call("POST", "/tool-results", submittedSchema, { body, ...options });
    this.#tools.declare(clientTools ?? []);
    if (receipt === null || receipt.remaining.length === 0) this.#held.startTurn();
    else this.#held.setStatus(receipt.status);
    return this;
  }

  /** Asks once for what is new. Events do not come back for what is applied here. */
  async refresh({ signal }: { readonly signal?: AbortSignal } = {}): Promise<this> {
    await this.#follower.poll(signal);
    return this;
  }

  /**
   * What happens until the agent pauses, the user's and the client tools' turn alike. Leaving the loop keeps what was not
   * yet given out for the next one.
   *
   * @throws {@link RobotoThreadStateError} at once when the thread is followed already; {@link RobotoTimeoutError} when it
   * took longer than `timeoutMs`; the signal's reason when it is aborted. The agent goes on in each case.
   */
  events(options: FollowOptions = {}): AsyncGenerator<AgentEvent, void> {
    this.#follower.claim()();
    return this.#follower.follow(options);
  }

  /**
   * Follows the agent and answers its client tools until it is the user's turn.
   *
   * @throws {@link RobotoAgentGoalsFailedException} when the agent gave up on goals; {@link RobotoThreadStateError} at once
   * when the thread is followed already, and when it gets into another state; {@link RobotoTimeoutError}, the signal's
   * reason, what `onEvent` throws, and the refusal of a submission. Call again to go on.
   */
  run(options: RunOptions = {}): Promise<this> {
    const release = this.#follower.claim();
    const submit = async (
      results: readonly ClientToolResult[],
      signal: AbortSignal | undefined,
    ): Promise<void> => {
      await this.submitClientToolResults(results, undefined, { signal });
    };
    const parts = {
      client: this.#client,
      held: this.#held,
      follower: this.#follower,
      tools: this.#tools,
      submit,
    };
    return runThread(parts, options)
      .finally(release)
      .then(() => this);
  }

  /** Makes a tool known here. The server learns of it with the next `clientTools`. */
  registerClientTool(tool: ClientTool): this {
    this.#tools.register(tool);
    return this;
  }

  /** Forgets a tool here; says whether it was known. Calls of it are answered with an error from then on. */
  unregisterClientTool(name: string): boolean {
    return this.#tools.unregister(name);
  }

  /**
   * Makes a private thread of the caller's own from the messages up to a number, that one included.
   *
   * @throws {@link RobotoInvalidRequestException} when there is no such message or it is still being written.
   */
  async fork(messageSequenceNum: number, options: ChangeOptions = {}): Promise<AgentThread> {
    const body = checked(forkRequestSchema, { message_sequence_num: messageSequenceNum }, "The fork");
    const record = await this.#call("POST", "/fork", threadRecordSchema, { body, ...options });
    return new AgentThread(record, { client: this.#client });
  }

  /** Pins the thread for the caller, or takes the pin off; other users see nothing of it, nor does `record`. */
  async setPinned(pinned: boolean, options: ChangeOptions = {}): Promise<this> {
    await this.#call("PUT", "/pin", nothing, { body: { pinned }, ...options });
    return this;
  }

  /** Says who may read the thread; only its creator may say so. */
  async setVisibility(visibility: ThreadVisibility, options: ChangeOptions = {}): Promise<this> {
    const body = checked(visibilityRequestSchema, { visibility }, "The visibility");
    await this.#call("PUT", "/visibility", nothing, { body, ...options });
    this.#held.record.visibility = visibility;
    return this;
  }

  /** Rates a message of the assistant; rating again replaces the caller's rating. */
  async submitFeedback(
    messageSequenceNum: number,
    feedback: SubmitFeedbackRequest,
    options: ChangeOptions = {},
  ): Promise<UserFeedbackRecord> {
    const body = checked(submitFeedbackRequestSchema, feedback, "The rating");
    const path = `/messages/${encodeURIComponent(messageSequenceNum)}/feedback`;
    return this.#call("POST", path, userFeedbackSchema, { body, ...options });
  }

  /** Has the agent stop; what it wrote stays, and calls that wait are answered with an error. */
  async cancel(options: ChangeOptions = {}): Promise<this> {
    const receipt = await this.#call("POST", "/cancel", cancelledSchema, options);
    if (receipt !== null) this.#held.setStatus(receipt.status);
    return this;
  }

  /** Deletes the thread; its forks stay. */
  async delete(options: ChangeOptions = {}): Promise<void> {
    await this.#call("DELETE", "", nothing, options);
  }

  /** The unsanitised pair of one call of a tool. */
  async toolDetail(
    toolUseId: string,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<AgentToolDetailResponse> {
    return this.#call("GET", `/tool-uses/${encodeURIComponent(toolUseId)}`, toolDetailSchema, options);
  }

  async #send(message: object | null, options: SendOptions): Promise<this> {
    const { clientTools, signal, idempotencyKey } = options;
    const body = checked(sendMessageRequestSchema, { message, ...turnOf(options) }, "The message");
    const receipt = await this.#call("POST", "/messages", sentSchema, { body, signal, idempotencyKey });
    this.#tools.declare(clientTools ?? []);
    if (body.message !== null) {
      const { role, content, created = new Date().toISOString() } = body.message;
      this.#held.holdSent(
        { role, content, created, status: "completed" },
        receipt?.message_sequence_num ?? null,
      );
    }
    this.#held.startTurn();
    return this;
  }

  #call<S extends z.ZodType>(
    method: Call<S>["method"],
    path: string,
    schema: S,
    more: Pick<Call<S>, "body" | "signal" | "idempotencyKey">,
  ): Promise<z.output<S>> {
    const whole = `${threads}/${encodeURIComponent(this.threadId)}${path}`;
    const { body, signal, idempotencyKey } = more;
    return this.#client.call({ method, path: whole, schema, body, signal, idempotencyKey });
  }
}

/** What a message and a start have in common, by its names on the wire. */
function turnOf({ clientContext, clientTools, analysisScope, goals, invokeSkills }: SendOptions): object {
  return {
    client_context: clientContext,
    client_tools: specsOf(clientTools),
    analysis_scope: analysisScope,
    goals,
    invoke_skills: invokeSkills,
  };
}

function messagesOf(message: string | AgentMessage | readonly AgentMessage[] | null | undefined): unknown {
  if (typeof message === "string")
    return [{ role: "user", content: [{ content_type: "text", text: message }] }];
  if (message === null || message === undefined) return [];
  return Array.isArray(message) ? message : [message];
}
