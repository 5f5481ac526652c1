import type { SkillSummary } from "../wire/skills.ts";
import type { Caller } from "./caller.ts";
import { text } from "./database.ts";
import { Parameters, type Page } from "./listing.ts";
import { readPage, writePage } from "./page-token.ts";
import { skillOf, skillVersion, subscriptionOf } from "./skills.ts";
import type { ThreadView } from "./thread-store.ts";
import { stringsOf } from "./tokens.ts";
import type { SkillRecord } from "../wire/skills.ts";

/** A skill with its highest version and the caller's subscription. */
export async function skillSummary(
  view: ThreadView,
  skill: SkillRecord,
  caller: Caller,
): Promise<SkillSummary> {
  return {
    skill,
    latest_version: (await skillVersion(view, skill.skill_id, undefined)) ?? null,
    subscription: (await subscriptionOf(view, skill.skill_id, caller.userId)) ?? null,
  };
}

/** The skills that a caller may see, by name: `personal` is those that the caller wrote or subscribes to. */
export async function listSkills(
  view: ThreadView,
  caller: Caller,
  orgId: string,
  {
    scope,
    limit,
    pageToken,
  }: { readonly scope: "personal" | "org"; readonly limit: number; readonly pageToken?: string | undefined },
): Promise<Page<SkillSummary>> {
  const parameters = new Parameters();
  const org = parameters.add(orgId);
  const user = parameters.add(caller.userId);
  const subscribed = `EXISTS (SELECT 1 FROM skill_subscriptions u WHERE u.skill_id = s.skill_id AND u.user_id = ${user})`;
  const conditions = [
    `s.org_id = ${org}`,
    `(s.created_by = ${user} OR s.accessibility <> 'private')`,
    scope === "personal" ? `(s.created_by = ${user} OR ${subscribed})` : "s.accessibility <> 'private'",
  ];
  if (pageToken !== undefined) {
    const place = readPage(pageToken, 2).map((part) => parameters.add(part));
    conditions.push(`(s.name, s.skill_id) > (${place.join(", ")})`);
  }
  const rows = await view.queries.rows(
    `SELECT s.* FROM skills s WHERE ${conditions.join(" AND ")}
      ORDER BY s.name, s.skill_id LIMIT ${parameters.add(limit + 1)}`,
    ...parameters.values,
  );
  const items: SkillSummary[] = [];
  for (const row of rows.slice(0, limit)) items.push(await skillSummary(view, skillOf(row), caller));
  const last = rows.slice(0, limit).at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return { items, next_token: isMore ? writePage([text(last, "name"), text(last, "skill_id")]) : null };
}

/** The tags of the skills that a caller may see, each once, sorted. */
export async function skillTags(
  { queries }: ThreadView,
  caller: Caller,
  orgId: string,
): Promise<readonly string[]> {
  const rows = await queries.rows(
    "SELECT tags FROM skills WHERE org_id = $1 AND (created_by = $2 OR accessibility <> 'private')",
    orgId,
    caller.userId,
  );
  return [...new Set(rows.flatMap((row) => stringsOf(text(row, "tags"))))].sort();
}
