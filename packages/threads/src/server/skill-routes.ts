import { z } from "zod";

import { pageOf as pageSchemaOf, threadHeaders } from "../wire/envelope.ts";
import {
  createSkillRequestSchema,
  createSkillVersionRequestSchema,
  skillListScopeSchema,
  skillSchema,
  skillSubscriptionSchema,
  skillSummarySchema,
  skillVersionSchema,
  subscribeSkillRequestSchema,
  updateSkillRequestSchema,
  updateSkillVersionRequestSchema,
  type SkillVersionRecord,
} from "../wire/skills.ts";
import { invalid, notFound } from "../store/errors.ts";
import { listSkills, skillSummary, skillTags } from "../store/skill-listing.ts";
import {
  addVersion,
  createSkill,
  deleteSkill,
  deleteVersion,
  editableSkill,
  skillByName,
  skillFor,
  skillVersion,
  skillVersions,
  subscribe,
  subscriptionOf,
  updateSkill,
  updateVersion,
} from "../store/skills.ts";
import type { ThreadView } from "../store/thread-store.ts";
import { pageOf, type Call } from "./call.ts";
import type { ServerLimits } from "./limits.ts";
import type { Route } from "./route.ts";

async function versionOf(view: ThreadView, call: Call): Promise<SkillVersionRecord> {
  const version = await skillVersion(view, call.parameter("skill_id"), call.index("version"));
  if (version === undefined) throw notFound("version of this number");
  return version;
}

/** A thread keeps the bodies of up to a hundred skills, and each of its turns reads them. */
function checkBody({ body = "" }: { readonly body?: string | undefined }, { textChars }: ServerLimits): void {
  if (body.length > textChars) throw invalid(`The body of a skill has at most ${textChars} characters`);
}

const skill = "/v1/skills/id/{skill_id}";
const skillOf = (view: ThreadView, call: Call) => skillFor(view, call.parameter("skill_id"), call.caller);

/** Stored skills, their versions, and who subscribes to them. */
export const skillRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/skills/create",
    summary: "Make a skill with its first version",
    body: createSkillRequestSchema,
    status: 201,
    data: skillSchema,
    write: (transaction, call, { limits }) => {
      const body = call.body(createSkillRequestSchema);
      checkBody(body, limits);
      return createSkill(transaction, call.caller, call.orgId(), body, body);
    },
  },
  {
    method: "GET",
    path: "/v1/skills",
    summary: "List skills",
    query: ["scope", "page_token", "page_size"],
    data: pageSchemaOf(skillSummarySchema),
    read: (view, call) => {
      const scope = skillListScopeSchema.parse(call.query.get("scope") ?? "personal");
      return listSkills(view, call.caller, call.orgId(), { scope, ...pageOf(call) });
    },
  },
  {
    method: "GET",
    path: "/v1/skills/tags",
    summary: "List the tags of skills",
    data: z.array(z.string()),
    read: (view, call) => skillTags(view, call.caller, call.orgId()),
  },
  {
    method: "GET",
    path: "/v1/skills/name/{name}",
    summary: "Find a skill by its name",
    data: skillSchema,
    read: (view, call) => {
      const owner = call.headers.get(threadHeaders.resourceOwnerId);
      return skillByName(view, call.parameter("name"), owner ?? call.orgId(), call.caller);
    },
  },
  { method: "GET", path: skill, summary: "Read a skill", data: skillSchema, read: skillOf },
  {
    method: "PUT",
    path: skill,
    summary: "Change what is said of a skill",
    body: updateSkillRequestSchema,
    data: skillSchema,
    write: (transaction, call) =>
      updateSkill(transaction, call.caller, call.parameter("skill_id"), call.body(updateSkillRequestSchema)),
  },
  {
    method: "DELETE",
    path: skill,
    summary: "Delete a skill",
    status: 204,
    write: async (transaction, call) =>
      deleteSkill(transaction, await skillOf(transaction, call), call.caller),
  },
  {
    method: "GET",
    path: `${skill}/summary`,
    summary: "Read a skill with its highest version and one's subscription",
    data: skillSummarySchema,
    read: async (view, call) => skillSummary(view, await skillOf(view, call), call.caller),
  },
  {
    method: "GET",
    path: `${skill}/versions`,
    summary: "List the versions of a skill, the highest first",
    data: z.array(skillVersionSchema),
    read: async (view, call) => skillVersions(view, (await skillOf(view, call)).skill_id),
  },
  {
    method: "POST",
    path: `${skill}/versions`,
    summary: "Add a version",
    body: createSkillVersionRequestSchema,
    status: 201,
    data: skillVersionSchema,
    write: async (transaction, call, { limits }) => {
      const { skill_id: id } = await editableSkill(transaction, call.parameter("skill_id"), call.caller);
      const body = call.body(createSkillVersionRequestSchema);
      checkBody(body, limits);
      return addVersion(transaction, id, body);
    },
  },
  {
    method: "GET",
    path: `${skill}/versions/{version}`,
    summary: "Read a version",
    data: skillVersionSchema,
    read: async (view, call) => {
      await skillOf(view, call);
      return versionOf(view, call);
    },
  },
  {
    method: "PUT",
    path: `${skill}/versions/{version}`,
    summary: "Change a version in place",
    body: updateSkillVersionRequestSchema,
    data: skillVersionSchema,
    write: async (transaction, call, { limits }) => {
      await editableSkill(transaction, call.parameter("skill_id"), call.caller);
      const body = call.body(updateSkillVersionRequestSchema);
      checkBody(body, limits);
      return updateVersion(transaction, await versionOf(transaction, call), body);
    },
  },
  {
    method: "DELETE",
    path: `${skill}/versions/{version}`,
    summary: "Delete a version; with the last one the skill goes too",
    status: 204,
    write: async (transaction, call) => {
      const found = await editableSkill(transaction, call.parameter("skill_id"), call.caller);
      await deleteVersion(transaction, found, call.index("version"), call.caller);
    },
  },
  {
    method: "POST",
    path: `${skill}/subscribe`,
    summary: "Subscribe to a skill",
    data: skillSubscriptionSchema,
    write: async (transaction, call) => {
      const { skill_id: id } = await skillOf(transaction, call);
      const before = await subscriptionOf(transaction, id, call.caller.userId);
      return before ?? subscribe(transaction, id, call.caller.userId, null);
    },
  },
  {
    method: "PUT",
    path: `${skill}/subscribe`,
    summary: "Say which version the model may load by itself",
    body: subscribeSkillRequestSchema,
    data: skillSubscriptionSchema,
    write: async (transaction, call) => {
      const { skill_id: id } = await skillOf(transaction, call);
      const { ai_version: version = null } = call.body(subscribeSkillRequestSchema);
      if (version !== null && (await skillVersion(transaction, id, version)) === undefined)
        throw invalid(`The skill has no version ${version}`);
      return subscribe(transaction, id, call.caller.userId, version);
    },
  },
  {
    method: "DELETE",
    path: `${skill}/subscribe`,
    summary: "End a subscription",
    status: 204,
    write: async (transaction, call) => {
      const { skill_id: id } = await skillOf(transaction, call);
      await transaction.queries.run(
        "DELETE FROM skill_subscriptions WHERE skill_id = $1 AND user_id = $2",
        id,
        call.caller.userId,
      );
    },
  },
];
