import { stringifyJson } from "../wire/json.ts";
import type { AgentContent } from "../wire/blocks.ts";
import type { AgentMessageStatus, AgentRole, AgentThreadStatus } from "../wire/enums.ts";
import { integer, text } from "./database.ts";
import { notFound } from "./errors.ts";
import { threadRowOf, type ThreadRow } from "./thread-row.ts";
import type { ThreadTransaction } from "./thread-store.ts";

/** The kinds of entries of a thread's log. */
export type LogKind =
  | "message_created"
  | "text"
  | "block"
  | "message_status"
  | "thread_status"
  | "title"
  | "goals"
  | "tasks"
  | "visibility";

/** A block that the store makes itself. */
export type StoredBlock = Extract<
  AgentContent,
  { content_type: "text" | "tool_use" | "tool_result" | "error" }
>;

/** Columns of a thread that change while it lives. */
interface Changes {
  status?: string;
  title?: string;
  visibility?: string;
  analysisScope?: string | null;
  question?: string | null;
  memory?: string | null;
  nextTaskId?: number;
}

/**
 * Changes one thread within a transaction: every change is an entry of its log too, and nobody else changes the thread until
 * the transaction ends. `save` writes what is kept of the thread itself.
 */
export class ThreadWriter {
  readonly row: ThreadRow;
  readonly #transaction: ThreadTransaction;
  readonly #changes: Changes = {};
  #logHead: number;
  #modelHead: number;
  #messages: number;
  #isActive = false;

  constructor(transaction: ThreadTransaction, row: ThreadRow) {
    this.#transaction = transaction;
    this.row = row;
    this.#logHead = row.logHead;
    this.#modelHead = row.modelHead;
    this.#messages = row.messageCount;
  }

  get threadId(): string {
    return this.row.threadId;
  }

  get status(): string {
    return this.#changes.status ?? this.row.status;
  }

  get messageCount(): number {
    return this.#messages;
  }

  get logHead(): number {
    return this.#logHead;
  }

  /** Adds a message at the end; gives its index. */
  async addMessage(
    role: AgentRole,
    status: AgentMessageStatus,
    { turnId = null, created }: { readonly turnId?: string | null; readonly created?: string } = {},
  ): Promise<number> {
    const seq = this.#messages;
    this.#messages += 1;
    this.#isActive = true;
    await this.#transaction.queries.run(
      "INSERT INTO messages (thread_id, seq, role, status, created, turn_id, blocks) VALUES ($1, $2, $3, $4, $5, $6, 0)",
      this.threadId,
      seq,
      role,
      status,
      created ?? this.#transaction.now(),
      turnId,
    );
    await this.#log("message_created", seq, null, status);
    return seq;
  }

  /** Adds a whole block at a message's end; gives its index in the message. */
  async addBlock(seq: number, block: StoredBlock): Promise<number> {
    const { content_type: type } = block;
    const isText = type === "text";
    const index = await this.#takeBlock(seq);
    await this.#transaction.queries.run(
      "INSERT INTO blocks (thread_id, seq, block, type, data, tool_use_id) VALUES ($1, $2, $3, $4, $5, $6)",
      this.threadId,
      seq,
      index,
      type,
      isText ? storable(block.text) : stringifyJson(block),
      "tool_use_id" in block ? block.tool_use_id : null,
    );
    await this.#log(isText ? "text" : "block", seq, index, isText ? storable(block.text) : null);
    return index;
  }

  /** Adds a piece of text, to the text that a message ends with if it does. */
  async appendText(seq: number, given: string): Promise<void> {
    if (given === "") return;
    const piece = storable(given);
    const { queries } = this.#transaction;
    const [last] = await queries.rows(
      "SELECT block, type FROM blocks WHERE thread_id = $1 AND seq = $2 ORDER BY block DESC LIMIT 1",
      this.threadId,
      seq,
    );
    if (last === undefined || text(last, "type") !== "text") {
      await this.addBlock(seq, { content_type: "text", text: piece });
      return;
    }
    const block = integer(last, "block");
    await queries.run(
      "UPDATE blocks SET data = data || $4 WHERE thread_id = $1 AND seq = $2 AND block = $3",
      this.threadId,
      seq,
      block,
      piece,
    );
    await this.#log("text", seq, block, piece);
  }

  async setMessageStatus(seq: number, status: AgentMessageStatus): Promise<void> {
    const changed = await this.#transaction.queries.run(
      "UPDATE messages SET status = $3 WHERE thread_id = $1 AND seq = $2 AND status <> $3",
      this.threadId,
      seq,
      status,
    );
    if (changed > 0) await this.#log("message_status", seq, null, status);
  }

  async setStatus(status: AgentThreadStatus): Promise<void> {
    if (this.status === status) return;
    this.#changes.status = status;
    this.#isActive = true;
    await this.#log("thread_status", null, null, status);
  }

  async setTitle(title: string): Promise<void> {
    this.#changes.title = title;
    await this.#log("title", null, null, title);
  }

  async setVisibility(visibility: string): Promise<void> {
    if (this.row.visibility === visibility) return;
    this.#changes.visibility = visibility;
    await this.#log("visibility", null, null, null);
  }

  setScope(scope: string | null): void {
    this.#changes.analysisScope = scope;
  }

  /** Keeps where a loop stands that asked the user something, or that it asks no more. */
  setQuestion(question: string | null): void {
    this.#changes.question = question;
  }

  /** Keeps what the loop needs in later turns. */
  setMemory(memory: string): void {
    this.#changes.memory = memory;
  }

  /** The number of a new task. */
  takeTaskId(): number {
    const taskId = this.#changes.nextTaskId ?? this.row.nextTaskId;
    this.#changes.nextTaskId = taskId + 1;
    return taskId;
  }

  /** Tells readers that goals or tasks changed. */
  async tell(kind: "goals" | "tasks"): Promise<void> {
    await this.#log(kind, null, null, null);
  }

  /** Adds what the model is shown for a message; gives its number. */
  async addModelMessage(seq: number, data: string): Promise<number> {
    this.#modelHead += 1;
    await this.#transaction.queries.run(
      "INSERT INTO model_messages (thread_id, n, seq, since_seq, data) VALUES ($1, $2, $3, $4, $5)",
      this.threadId,
      this.#modelHead,
      seq,
      Math.max(seq, this.#messages - 1),
      data,
    );
    return this.#modelHead;
  }

  /** The model is shown these no more; a fork from before now still shows them. */
  async retireModelMessages(numbers: readonly number[]): Promise<void> {
    for (const n of numbers) {
      await this.#transaction.queries.run(
        "UPDATE model_messages SET until_seq = $3 WHERE thread_id = $1 AND n = $2",
        this.threadId,
        n,
        this.#messages - 1,
      );
    }
  }

  /** Writes what is kept of the thread itself. */
  async save(): Promise<void> {
    const { status, title, visibility, analysisScope, question, nextTaskId, memory } = this.#changes;
    await this.#transaction.queries.run(
      `UPDATE threads SET message_count = $2, log_head = $3, model_head = $4, status = $5, title = $6,
        visibility = $7, analysis_scope = $8, question = $9, next_task_id = $10, last_activity = $11, memory = $12
        WHERE thread_id = $1`,
      this.threadId,
      this.#messages,
      this.#logHead,
      this.#modelHead,
      status ?? this.row.status,
      title ?? this.row.title,
      visibility ?? this.row.visibility,
      analysisScope === undefined ? this.row.analysisScope : analysisScope,
      question === undefined ? this.row.question : question,
      nextTaskId ?? this.row.nextTaskId,
      this.#isActive ? this.#transaction.now() : this.row.lastActivity,
      memory ?? this.row.memory,
    );
    this.#transaction.touch(this.threadId);
  }

  async #takeBlock(seq: number): Promise<number> {
    const [row] = await this.#transaction.queries.rows(
      "UPDATE messages SET blocks = blocks + 1 WHERE thread_id = $1 AND seq = $2 RETURNING blocks",
      this.threadId,
      seq,
    );
    if (row === undefined) throw new Error(`A block was added to message ${seq}, which is not there`);
    return integer(row, "blocks") - 1;
  }

  async #log(kind: LogKind, seq: number | null, block: number | null, data: string | null): Promise<void> {
    this.#logHead += 1;
    await this.#transaction.queries.run(
      "INSERT INTO thread_log (thread_id, pos, kind, seq, block, data) VALUES ($1, $2, $3, $4, $5, $6)",
      this.threadId,
      this.#logHead,
      kind,
      seq,
      block,
      data,
    );
  }
}

/**
 * A thread that is about to be changed; others who change it wait.
 *
 * @throws {@link RobotoNotFoundException} when there is none.
 */
export async function lockThread(transaction: ThreadTransaction, threadId: string): Promise<ThreadWriter> {
  const thread = await lockThreadIfThere(transaction, threadId);
  if (thread === undefined) throw notFound("thread of this id");
  return thread;
}

/** As `lockThread`; undefined when there is none. */
export async function lockThreadIfThere(
  transaction: ThreadTransaction,
  threadId: string,
): Promise<ThreadWriter | undefined> {
  const [row] = await transaction.queries.rows(
    `SELECT * FROM threads WHERE thread_id = $1 AND deleted_at IS NULL${transaction.rowLock}`,
    threadId,
  );
  return row === undefined ? undefined : new ThreadWriter(transaction, threadRowOf(row));
}

/** A text as every database can hold it: without NUL, and without halves of characters. */
function storable(given: string): string {
  return given.replaceAll(/[\0\p{Surrogate}]/gu, "\uFFFD");
}
