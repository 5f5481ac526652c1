import { MemorySettingsError } from "./errors.ts";

/** Refuses settings of one owner, each by its name. */
export interface SettingChecks {
  readonly positive: (setting: string, given: unknown) => void;
  readonly notNegative: (setting: string, given: unknown) => void;
  readonly whole: (setting: string, given: unknown) => void;
}

/** Checks for what a capability is given, called by its class. */
export function settingChecks(owner: string): SettingChecks {
  const refuseUnless = (holds: boolean, setting: string, problem: string): void => {
    if (!holds) throw new MemorySettingsError({ owner, setting, problem });
  };
  return {
    positive: (setting, given) => {
      refuseUnless(isFinite(given) && given > 0, setting, "is not a finite number above 0");
    },
    notNegative: (setting, given) => {
      refuseUnless(isFinite(given) && given >= 0, setting, "is not a finite number of 0 or more");
    },
    whole: (setting, given) => {
      refuseUnless(Number.isSafeInteger(given), setting, "is not a whole number");
    },
  };
}

function isFinite(given: unknown): given is number {
  return typeof given === "number" && Number.isFinite(given);
}
