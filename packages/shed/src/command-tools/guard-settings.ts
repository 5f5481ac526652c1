import type { SkillLabel } from "@roboz/deployment";

import type { PermissionPolicy } from "../permissions/policy.ts";
import { settingsProblem } from "../permissions/setting-names.ts";
import type { GuardedToolOptions } from "./approval.ts";
import { GuardSettingsError } from "./errors.ts";

/** What says how a person is asked; all of it may be left out. */
export type AskingSettings = Omit<GuardedToolOptions, "policy">;

const askingNames: readonly (keyof AskingSettings)[] = ["whenAway", "approvalTimeoutMs"];

/** @throws {@link GuardSettingsError} (`shed/guard-settings`) */
export function checkGuardedOptions(owner: string, options: GuardedToolOptions): void {
  checkAsking(owner, options, ["policy"]);
  if (!isPolicy(options.policy)) {
    const problem =
      "is no permission policy; `new PermissionPolicy(…)` and `PermissionPolicy.local(base)` make one";
    throw new GuardSettingsError({ owner, setting: "policy", problem });
  }
}

/**
 * Checks settings that say how a person is asked, next to others.
 *
 * @param others - Names of those others.
 * @throws {@link GuardSettingsError} (`shed/guard-settings`)
 */
export function checkAsking(owner: string, settings: AskingSettings, others: readonly string[]): void {
  const found = settingsProblem("argument", settings, [...others, ...askingNames]);
  if (found !== undefined) throw new GuardSettingsError({ owner, ...found });
  const { whenAway = "suspend", approvalTimeoutMs = 1 } = settings;
  const chosen: unknown = whenAway;
  if (chosen !== "suspend" && chosen !== "deny")
    throw new GuardSettingsError({ owner, setting: "whenAway", problem: 'is neither "suspend" nor "deny"' });
  if (typeof approvalTimeoutMs !== "number" || !Number.isFinite(approvalTimeoutMs) || approvalTimeoutMs <= 0)
    throw new GuardSettingsError({
      owner,
      setting: "approvalTimeoutMs",
      problem: "is not a finite number of milliseconds above 0; leave it out to wait as long as it takes",
    });
}

/**
 * Checks the label of a capability that is a skill, when it has one.
 *
 * @throws {@link GuardSettingsError} (`shed/guard-settings`)
 */
export function checkSkillLabel(owner: string, label: SkillLabel | undefined): void {
  const given: unknown = label;
  if (given === undefined) return;
  if (typeof given === "object" && given !== null && "kind" in given && given.kind === "skill") return;
  throw new GuardSettingsError({
    owner,
    setting: "label",
    problem: "is no label of a skill; `SkillLabel(…)` makes one",
  });
}

/** Another installed copy of this package makes policies too. */
function isPolicy(given: unknown): given is PermissionPolicy {
  return (
    typeof given === "object" &&
    given !== null &&
    ["decide", "decideBelow", "permits"].every((name) => typeof Reflect.get(given, name) === "function")
  );
}
