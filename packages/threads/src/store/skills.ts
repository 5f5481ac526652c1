import type { SkillRecord, SkillSubscriptionRecord, SkillVersionRecord } from "../wire/skills.ts";
import type { Caller } from "./caller.ts";
import { integer, integerOrNull, text, type SqlRow } from "./database.ts";
import { conflict, denied, invalid, notFound } from "./errors.ts";
import type { ThreadTransaction, ThreadView } from "./thread-store.ts";
import { stringsOf } from "./tokens.ts";
import type { SkillCopy } from "./trigger.ts";

/** What a new version of a skill holds. */
export interface SkillContents {
  readonly description: string;
  readonly body: string;
  readonly relevant_topics: readonly string[];
}

/** Reads a row of `skills`. */
export function skillOf(row: SqlRow): SkillRecord {
  return {
    skill_id: text(row, "skill_id"),
    org_id: text(row, "org_id"),
    accessibility: text(row, "accessibility"),
    name: text(row, "name"),
    tags: stringsOf(text(row, "tags")),
    created: text(row, "created"),
    created_by: text(row, "created_by"),
    modified: text(row, "modified"),
  };
}

function versionOf(row: SqlRow): SkillVersionRecord {
  return {
    skill_id: text(row, "skill_id"),
    version: integer(row, "version"),
    description: text(row, "description"),
    body: text(row, "body"),
    relevant_topics: stringsOf(text(row, "relevant_topics")),
    created: text(row, "created"),
    modified: text(row, "modified"),
  };
}

function isVisible({ org_id, created_by, accessibility }: SkillRecord, { orgs, userId }: Caller): boolean {
  return orgs.includes(org_id) && (created_by === userId || accessibility !== "private");
}

/**
 * A skill that a caller may see.
 *
 * @throws {@link RobotoNotFoundException}, also for one that the caller may not see.
 */
export async function skillFor(
  { queries }: ThreadView,
  skillId: string,
  caller: Caller,
): Promise<SkillRecord> {
  const [row] = await queries.rows("SELECT * FROM skills WHERE skill_id = $1", skillId);
  const skill = row === undefined ? undefined : skillOf(row);
  if (skill === undefined || !isVisible(skill, caller)) throw notFound("skill of this id");
  return skill;
}

/** A skill that a caller may edit: its author, or a subscriber where the organisation may. */
export async function editableSkill(view: ThreadView, skillId: string, caller: Caller): Promise<SkillRecord> {
  const skill = await skillFor(view, skillId, caller);
  if (skill.created_by === caller.userId) return skill;
  const isSubscriber = (await subscriptionOf(view, skillId, caller.userId)) !== undefined;
  if (skill.accessibility === "org-editable" && isSubscriber) return skill;
  throw denied("You may not edit this skill");
}

/** A skill by name: the caller's private one before the organisation's. */
export async function skillByName(
  { queries }: ThreadView,
  name: string,
  orgId: string,
  caller: Caller,
): Promise<SkillRecord> {
  const rows = await queries.rows(
    `SELECT * FROM skills WHERE org_id = $1 AND name = $2 AND (accessibility <> 'private' OR created_by = $3)
      ORDER BY CASE WHEN accessibility = 'private' THEN 0 ELSE 1 END`,
    orgId,
    name,
    caller.userId,
  );
  const found = rows.map(skillOf).find((skill) => isVisible(skill, caller));
  if (found === undefined) throw notFound("skill of this name");
  return found;
}

/** Makes a skill with its first version, and subscribes its author. */
export async function createSkill(
  transaction: ThreadTransaction,
  caller: Caller,
  orgId: string,
  skill: { readonly name: string; readonly accessibility: string; readonly tags: readonly string[] },
  contents: SkillContents,
): Promise<SkillRecord> {
  const { queries, newId, now } = transaction;
  const skillId = newId("sk");
  await checkNameFree(transaction, orgId, caller.userId, skill, skillId);
  await queries.run(
    `INSERT INTO skills (skill_id, org_id, accessibility, name, tags, created, created_by, modified)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $6)`,
    skillId,
    orgId,
    skill.accessibility,
    skill.name,
    JSON.stringify(skill.tags),
    now(),
    caller.userId,
  );
  await addVersion(transaction, skillId, contents);
  await subscribe(transaction, skillId, caller.userId, 1);
  return skillFor(transaction, skillId, caller);
}

async function checkNameFree(
  { queries }: ThreadView,
  orgId: string,
  userId: string,
  { name, accessibility }: { readonly name: string; readonly accessibility: string },
  skillId: string,
): Promise<void> {
  const isPrivate = accessibility === "private";
  const rows = await queries.rows(
    `SELECT skill_id FROM skills WHERE org_id = $1 AND name = $2 AND skill_id <> $3 AND
      ${isPrivate ? "accessibility = 'private' AND created_by = $4" : "accessibility <> 'private' AND $4 = $4"}`,
    orgId,
    name,
    skillId,
    userId,
  );
  if (rows.length > 0) throw conflict(`There is a skill \`${name}\` already`);
}

/** Changes what is said of a skill; who may see it changes by its author alone. */
export async function updateSkill(
  transaction: ThreadTransaction,
  caller: Caller,
  skillId: string,
  changes: {
    readonly name?: string | undefined;
    readonly accessibility?: string | undefined;
    readonly tags?: readonly string[] | undefined;
  },
): Promise<SkillRecord> {
  const before = await editableSkill(transaction, skillId, caller);
  const { name = before.name, accessibility = before.accessibility, tags = before.tags } = changes;
  if (accessibility !== before.accessibility && before.created_by !== caller.userId)
    throw denied("Only its author changes who may see a skill");
  await checkNameFree(transaction, before.org_id, before.created_by, { name, accessibility }, skillId);
  const { queries, now } = transaction;
  await queries.run(
    "UPDATE skills SET name = $2, accessibility = $3, tags = $4, modified = $5 WHERE skill_id = $1",
    skillId,
    name,
    accessibility,
    JSON.stringify(tags),
    now(),
  );
  if (accessibility === "private")
    await queries.run(
      "DELETE FROM skill_subscriptions WHERE skill_id = $1 AND user_id <> $2",
      skillId,
      before.created_by,
    );
  return skillFor(transaction, skillId, caller);
}

/** Deletes a skill with its versions; what threads hold of it stays. */
export async function deleteSkill(
  { queries }: ThreadTransaction,
  skill: SkillRecord,
  caller: Caller,
): Promise<void> {
  if (skill.created_by !== caller.userId) throw denied("Only its author deletes a skill");
  for (const table of ["skill_subscriptions", "skill_versions", "skills"])
    await queries.run(`DELETE FROM ${table} WHERE skill_id = $1`, skill.skill_id);
}

/** The versions of a skill, the highest first. */
export async function skillVersions({ queries }: ThreadView, skillId: string): Promise<SkillVersionRecord[]> {
  const rows = await queries.rows(
    "SELECT * FROM skill_versions WHERE skill_id = $1 ORDER BY version DESC",
    skillId,
  );
  return rows.map(versionOf);
}

/** One version, or the highest one; undefined when there is none. */
export async function skillVersion(
  { queries }: ThreadView,
  skillId: string,
  version: number | null | undefined,
): Promise<SkillVersionRecord | undefined> {
  const [row] =
    version === null || version === undefined
      ? await queries.rows(
          "SELECT * FROM skill_versions WHERE skill_id = $1 ORDER BY version DESC LIMIT 1",
          skillId,
        )
      : await queries.rows(
          "SELECT * FROM skill_versions WHERE skill_id = $1 AND version = $2",
          skillId,
          version,
        );
  return row === undefined ? undefined : versionOf(row);
}

/** Adds a version behind the highest one. */
export async function addVersion(
  transaction: ThreadTransaction,
  skillId: string,
  { description, body, relevant_topics }: SkillContents,
): Promise<SkillVersionRecord> {
  const { queries, now } = transaction;
  const highest = await skillVersion(transaction, skillId, undefined);
  const version = (highest?.version ?? 0) + 1;
  const [row] = await queries.rows(
    `INSERT INTO skill_versions (skill_id, version, description, body, relevant_topics, created, modified)
      VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING *`,
    skillId,
    version,
    description,
    body,
    JSON.stringify(relevant_topics),
    now(),
  );
  if (row === undefined) throw new Error("A version that was just written cannot be read");
  return versionOf(row);
}

/** Changes a version in place. */
export async function updateVersion(
  transaction: ThreadTransaction,
  before: SkillVersionRecord,
  changes: { readonly [Field in keyof SkillContents]?: SkillContents[Field] | undefined },
): Promise<SkillVersionRecord> {
  const {
    description = before.description,
    body = before.body,
    relevant_topics = before.relevant_topics,
  } = changes;
  const [row] = await transaction.queries.rows(
    `UPDATE skill_versions SET description = $3, body = $4, relevant_topics = $5, modified = $6
      WHERE skill_id = $1 AND version = $2 RETURNING *`,
    before.skill_id,
    before.version,
    description,
    body,
    JSON.stringify(relevant_topics),
    transaction.now(),
  );
  if (row === undefined) throw notFound("version of this number");
  return versionOf(row);
}

/** Deletes a version; who was pinned to it is pinned to none, and with its last version the skill goes too. */
export async function deleteVersion(
  transaction: ThreadTransaction,
  skill: SkillRecord,
  version: number,
  caller: Caller,
): Promise<void> {
  const { queries } = transaction;
  const versions = await skillVersions(transaction, skill.skill_id);
  if (!versions.some((one) => one.version === version)) throw notFound("version of this number");
  if (versions.length === 1) return deleteSkill(transaction, skill, caller);
  await queries.run(
    "DELETE FROM skill_versions WHERE skill_id = $1 AND version = $2",
    skill.skill_id,
    version,
  );
  await queries.run(
    "UPDATE skill_subscriptions SET ai_version = NULL WHERE skill_id = $1 AND ai_version = $2",
    skill.skill_id,
    version,
  );
}

/** Subscribes a user, or changes the version that the model may load for it; null is none. */
export async function subscribe(
  { queries, now }: ThreadTransaction,
  skillId: string,
  userId: string,
  aiVersion: number | null,
): Promise<SkillSubscriptionRecord> {
  const [row] = await queries.rows(
    `INSERT INTO skill_subscriptions (user_id, skill_id, ai_version, subscribed) VALUES ($1, $2, $3, $4)
      ON CONFLICT (user_id, skill_id) DO UPDATE SET ai_version = $3 RETURNING *`,
    userId,
    skillId,
    aiVersion,
    now(),
  );
  if (row === undefined) throw new Error("A subscription that was just written cannot be read");
  return subscriptionRecord(row);
}

/** A user's subscription of a skill. */
export async function subscriptionOf(
  { queries }: ThreadView,
  skillId: string,
  userId: string,
): Promise<SkillSubscriptionRecord | undefined> {
  const [row] = await queries.rows(
    "SELECT * FROM skill_subscriptions WHERE skill_id = $1 AND user_id = $2",
    skillId,
    userId,
  );
  return row === undefined ? undefined : subscriptionRecord(row);
}

function subscriptionRecord(row: SqlRow): SkillSubscriptionRecord {
  return {
    user_id: text(row, "user_id"),
    skill_id: text(row, "skill_id"),
    ai_version: integerOrNull(row, "ai_version"),
    subscribed: text(row, "subscribed"),
  };
}

/**
 * Skills with their bodies as they are now, for a caller that may see them.
 *
 * @throws {@link RobotoNotFoundException} for a skill that the caller may not see, {@link RobotoInvalidRequestException} for
 * a version that is not there.
 */
export async function copySkills(
  view: ThreadView,
  caller: Caller,
  specs: readonly { readonly skill_id: string; readonly version?: number | null | undefined }[],
): Promise<SkillCopy[]> {
  const copies: SkillCopy[] = [];
  for (const spec of specs) {
    const skill = await skillFor(view, spec.skill_id, caller);
    const version = await skillVersion(view, spec.skill_id, spec.version);
    if (version === undefined)
      throw invalid(`\`${spec.skill_id}\` has no version ${spec.version ?? "at all"}`);
    copies.push(copyOf(skill.name, version));
  }
  return copies;
}

/** The skills that the model may load for a user by itself. */
export async function subscribedSkills(
  { queries }: ThreadView,
  userId: string,
  orgId: string,
): Promise<SkillCopy[]> {
  const rows = await queries.rows(
    `SELECT s.name, v.* FROM skill_subscriptions u JOIN skills s ON s.skill_id = u.skill_id
      JOIN skill_versions v ON v.skill_id = u.skill_id AND v.version = u.ai_version
      WHERE u.user_id = $1 AND s.org_id = $2 AND (s.accessibility <> 'private' OR s.created_by = $1)
      ORDER BY s.name, s.skill_id LIMIT 100`,
    userId,
    orgId,
  );
  return rows.map((row) => copyOf(text(row, "name"), versionOf(row)));
}

function copyOf(name: string, version: SkillVersionRecord): SkillCopy {
  const { skill_id, description, body, relevant_topics } = version;
  return { skill_id, name, version: version.version, description, body, relevant_topics };
}
