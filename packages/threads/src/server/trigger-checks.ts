import type { z } from "zod";

import type { sendMessageRequestSchema, startThreadRequestSchema } from "../wire/requests.ts";
import { maxIdentifierChars } from "../wire/identifier.ts";
import { stringifyJson } from "../wire/json.ts";
import { denied, invalid } from "../store/errors.ts";
import type { Caller } from "../store/caller.ts";
import { copySkills } from "../store/skills.ts";
import type { ThreadTransaction } from "../store/thread-store.ts";
import type { DeclaredTool, GivenMessage, Trigger } from "../store/trigger.ts";
import { achieveToolPrefix, type GoalTargets } from "../turns/achieve-tools.ts";
import { modelName, schemaProblem } from "../turns/client-tool.ts";
import { taskToolNames } from "../turns/task-tools.ts";
import type { ServerLimits } from "./limits.ts";

type StartBody = z.output<typeof startThreadRequestSchema>;
type SendBody = z.output<typeof sendMessageRequestSchema>;
type Goals = StartBody["goals"];
type Messages = StartBody["messages"];

/**
 * Asks whether a caller may have goals achieved.
 *
 * @throws {@link RobotoUnauthorizedException}
 */
export async function checkGoals(goals: Goals, caller: Caller, { mayDeclare }: GoalTargets): Promise<void> {
  for (const goal of goals) {
    if ((await mayDeclare?.(goal, caller)) === false)
      throw denied(`You may not have goals achieved for \`${goal.dataset_id}\``);
  }
}

/** Names that no client tool may take, since the server has tools of them. */
export interface TakenNames {
  readonly taken: ReadonlySet<string>;
  /** Tools of the agent that clients carry out; declaring them changes nothing. */
  readonly carriedOut: ReadonlySet<string>;
}

/**
 * Checks the tools that a client declares.
 *
 * @param before - The names that the thread has declared already.
 * @throws {@link RobotoInvalidRequestException}
 */
export function checkClientTools(
  tools: readonly DeclaredTool[],
  before: readonly string[],
  { taken, carriedOut }: TakenNames,
  limits: ServerLimits,
): readonly DeclaredTool[] {
  const declared = tools.filter(({ name }) => !carriedOut.has(name));
  for (const { name, description, input_schema } of declared) {
    const asModelSees = modelName(name, new Set());
    const isTaken = [name, asModelSees].some(
      (one) => taken.has(one) || reserved.has(one) || one.startsWith(achieveToolPrefix),
    );
    if (isTaken) throw invalid(`\`${name}\` is a tool of the server's; give the client tool another name`);
    if (description.length > limits.textChars)
      throw invalid(`The description of \`${name}\` has more than ${limits.textChars} characters`);
    const problem = schemaProblem(input_schema, limits.schemaBytes);
    if (problem !== undefined) throw invalid(`The schema of \`${name}\` ${problem}`);
  }
  const names = new Set([...before, ...declared.map(({ name }) => name)]);
  if (names.size > limits.clientTools)
    throw invalid(`A thread has at most ${limits.clientTools} client tools`);
  return declared;
}

const reserved: ReadonlySet<string> = new Set([
  "load_skill",
  "stop",
  "prompt_user",
  "prompt_llm",
  ...taskToolNames,
]);

/** What a trigger is made of, once it is checked. */
export async function triggerOf(
  transaction: ThreadTransaction,
  caller: Caller,
  body: Pick<SendBody, "goals" | "invoke_skills" | "client_context">,
  {
    messages,
    clientTools,
    limits,
  }: {
    readonly messages: Messages;
    readonly clientTools: readonly DeclaredTool[];
    readonly limits: ServerLimits;
  },
): Promise<Trigger> {
  if (messages.length > limits.seededMessages)
    throw invalid(`At most ${limits.seededMessages} messages may be given`);
  if (body.invoke_skills.length > limits.invokeSkills)
    throw invalid(`A request invokes at most ${limits.invokeSkills} skills`);
  const blocks = messages.flatMap(({ content }) => content);
  if (blocks.length > limits.blocks) throw invalid(`At most ${limits.blocks} blocks may be given`);
  checkToolUses(blocks);
  const context = body.client_context ?? null;
  const subjects = subjectsOf(body.goals, context);
  if (subjects.length > limits.subjects)
    throw invalid(`A request names at most ${limits.subjects} things that it is about`);
  return {
    messages: messages.map((message) => givenMessage(message, limits)),
    goals: body.goals,
    skills: await copySkills(transaction, caller, body.invoke_skills),
    clientTools,
    clientContext: context === null ? null : stringifyJson(context),
    subjects,
  };
}

/** A thread has one call of an identifier, and one result of it. */
function checkToolUses(blocks: Messages[number]["content"]): void {
  const found = new Set<string>();
  for (const block of blocks) {
    if (!("tool_use_id" in block)) continue;
    const { content_type, tool_use_id } = block;
    if (tool_use_id.length > maxIdentifierChars)
      throw invalid(`A \`tool_use_id\` has at most ${maxIdentifierChars} characters`);
    const key = `${content_type} ${tool_use_id}`;
    if (found.has(key)) throw invalid(`\`${tool_use_id}\` is the id of more than one \`${content_type}\``);
    found.add(key);
  }
}

function givenMessage(message: Messages[number], limits: ServerLimits): GivenMessage {
  const content = message.content.map((block) => {
    if (block.content_type === "deleted" || block.content_type === "compression_filler")
      throw invalid(`A message holds no block of the type \`${block.content_type}\``);
    return block;
  });
  if (content.some((block) => block.content_type === "text" && block.text.length > limits.textChars))
    throw invalid(`A text has at most ${limits.textChars} characters`);
  if (message.role === "roboto") throw invalid("A message is the user's or the assistant's");
  return { role: message.role, content };
}

/** What a thread is about: what its goals name, and what the user looks at. */
function subjectsOf(
  goals: Goals,
  context: NonNullable<SendBody["client_context"]> | null,
): readonly string[] {
  return [
    ...new Set([
      ...goals.map(({ dataset_id }) => dataset_id),
      ...(context === null
        ? []
        : [...context.dataset_ids, ...context.file_ids, ...context.collection_ids, ...context.device_ids]),
    ]),
  ];
}

/** A scope as a thread keeps it: null for one without bounds. */
export function keptScope(scope: StartBody["analysis_scope"]): string | null {
  if (scope === null || scope === undefined) return null;
  return scope.start_time === null && scope.end_time === null ? null : stringifyJson(scope);
}

/** The messages of a body that has one at most. */
export function messagesOf({ message }: SendBody): Messages {
  return message === null ? [] : [message];
}
