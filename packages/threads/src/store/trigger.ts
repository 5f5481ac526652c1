import { assistantMessage, userMessage } from "@roboz/core";

import { z } from "zod";

import { parseJson, stringifyJson } from "../wire/json.ts";
import type { ThreadTransaction } from "./thread-store.ts";
import type { StoredBlock, ThreadWriter } from "./thread-writer.ts";
import { addCall, answerCall } from "./tool-calls.ts";
import { queueTurn } from "./turns.ts";

/** A message of a trigger. */
export interface GivenMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly StoredBlock[];
  readonly created?: string | undefined;
}

/** A version of a skill with its body, as it is when it is invoked or made available. */
export interface SkillCopy {
  readonly skill_id: string;
  readonly name: string;
  readonly version: number;
  readonly description: string;
  readonly body: string;
  readonly relevant_topics: readonly string[];
}

const skillCopies = z.array(
  z.object({
    skill_id: z.string(),
    name: z.string(),
    version: z.number(),
    description: z.string(),
    body: z.string(),
    relevant_topics: z.array(z.string()),
  }),
);

/** Skills as a thread keeps them. */
export function skillCopiesOf(json: string): SkillCopy[] {
  return skillCopies.parse(parseJson(json));
}

/** A tool that the caller carries out. */
export interface DeclaredTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
}

/** A goal as it was declared, checked. */
export interface DeclaredGoal {
  readonly goal_type: string;
  readonly dataset_id: string;
}

/** What starts a turn; something of messages, goals and skills is there. */
export interface Trigger {
  readonly messages: readonly GivenMessage[];
  readonly goals: readonly DeclaredGoal[];
  readonly skills: readonly SkillCopy[];
  readonly clientTools: readonly DeclaredTool[];
  /** The viewing context, as JSON. */
  readonly clientContext: string | null;
  /** What the thread is about, by identifier. */
  readonly subjects: readonly string[];
}

/** The message that stands for goals without one. */
const goalsMessage = "Please achieve the goals of this turn.";

/**
 * Takes a trigger: its messages, skills, goals and tools, and a queued turn. `save` the thread afterwards.
 *
 * @returns The index of the message that the caller sent, or that was made for its goals; null when there is none.
 */
export async function acceptTrigger(
  transaction: ThreadTransaction,
  thread: ThreadWriter,
  { messages, goals, skills, clientTools, clientContext, subjects }: Trigger,
): Promise<number | null> {
  const turnId = transaction.newId("turn");
  await declareTools(transaction, thread.threadId, turnId, clientTools);
  for (const subject of subjects) await addSubject(transaction, thread.threadId, subject);
  const given: readonly GivenMessage[] =
    messages.length === 0 && goals.length > 0
      ? [{ role: "user", content: [{ content_type: "text", text: goalsMessage }] }]
      : messages;
  const { question } = thread.row;
  const last = given.at(-1);
  const isReply = question !== null && last?.role === "user";
  let seq: number | null = null;
  let text: string | null = null;
  for (const message of given) {
    seq = await thread.addMessage(message.role, "completed", {
      turnId,
      ...(message.created === undefined ? {} : { created: message.created }),
    });
    for (const block of message.content) await thread.addBlock(seq, block);
    text = message.content.map((block) => (block.content_type === "text" ? block.text : "")).join("");
    // The loop that asked puts the reply itself.
    if (text !== "" && (!isReply || message !== last))
      await thread.addModelMessage(seq, modelText(message.role, text));
  }
  for (const skill of skills) await addSkillPair(transaction, thread, turnId, skill);
  await addGoals(transaction, thread, turnId, goals, seq ?? 0);
  thread.setQuestion(null);
  const isUserText = last?.role === "user";
  await queueTurn(transaction, thread, {
    turnId,
    trigger: { seq: isUserText ? seq : null, text: isUserText ? text : null },
    clientContext,
    position: isReply ? question : null,
  });
  await thread.setStatus("roboto_turn");
  return seq;
}

/** Declares client tools, or declares them anew. */
export async function declareTools(
  { queries }: ThreadTransaction,
  threadId: string,
  turnId: string | null,
  tools: readonly DeclaredTool[],
): Promise<void> {
  for (const { name, description, input_schema } of tools) {
    await queries.run(
      `INSERT INTO thread_tools (thread_id, name, description, input_schema, declared_at_turn, ord)
        SELECT $1, $2, $3, $4, $5, COUNT(*) FROM thread_tools WHERE thread_id = $1
        ON CONFLICT (thread_id, name) DO UPDATE SET description = $3, input_schema = $4, declared_at_turn = $5`,
      threadId,
      name,
      description,
      stringifyJson(input_schema),
      turnId,
    );
  }
}

async function addSubject(
  { queries }: ThreadTransaction,
  threadId: string,
  associationId: string,
): Promise<void> {
  await queries.run(
    "INSERT INTO subjects (thread_id, association_id, note) VALUES ($1, $2, NULL) ON CONFLICT (thread_id, association_id) DO NOTHING",
    threadId,
    associationId,
  );
}

/** A skill that was invoked by hand looks as if the model had loaded it. */
async function addSkillPair(
  transaction: ThreadTransaction,
  thread: ThreadWriter,
  turnId: string,
  skill: SkillCopy,
): Promise<void> {
  const { skill_id, name, version } = skill;
  const toolUseId = transaction.newId("tu_skl");
  const seq = await thread.addMessage("assistant", "generating", { turnId });
  await addCall(transaction, thread, seq, {
    toolUseId,
    name: "load_skill",
    kind: "skill",
    turnId,
    input: { name, skill_id, version },
    isIdempotent: true,
  });
  await thread.setMessageStatus(seq, "completed");
  await thread.addModelMessage(
    seq,
    JSON.stringify({
      role: "assistant",
      content: JSON.stringify({
        action: "load_skill",
        rationale: "The user asked for this skill.",
        name,
      }),
      images: [],
    }),
  );
  const answered = await answerCall(transaction, thread, turnId, {
    toolUseId,
    name: "load_skill",
    status: "success",
    runtimeMs: 0,
    output: { ...skill, relevant_topics: [...skill.relevant_topics] },
  });
  await thread.addModelMessage(answered, modelSkill(skill));
}

/** What the model is shown of a skill that was loaded. */
function modelSkill({ name, body }: SkillCopy): string {
  return modelText("user", JSON.stringify({ caller: "load_skill", name, instructions: body }));
}

async function addGoals(
  transaction: ThreadTransaction,
  thread: ThreadWriter,
  turnId: string,
  goals: readonly DeclaredGoal[],
  seq: number,
): Promise<void> {
  if (goals.length === 0) return;
  const { queries, now } = transaction;
  const [row] = await queries.rows(
    "SELECT COUNT(*) AS goals FROM goals WHERE thread_id = $1",
    thread.threadId,
  );
  let ord = row === undefined ? 0 : Number(row["goals"]);
  for (const goal of goals) {
    const { goal_type, ...data } = goal;
    await queries.run(
      `INSERT INTO goals (thread_id, ord, turn_id, goal_type, goal_data, status, declared_seq, created)
        VALUES ($1, $2, $3, $4, $5, 'pending', $6, $7)`,
      thread.threadId,
      ord,
      turnId,
      goal_type,
      stringifyJson(data),
      seq,
      now(),
    );
    ord += 1;
  }
  await thread.tell("goals");
}

/** A text as the model is shown it. */
function modelText(role: "user" | "assistant", text: string): string {
  return JSON.stringify(role === "user" ? userMessage(text) : assistantMessage(text));
}
