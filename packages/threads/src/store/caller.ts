import type { RobotoUnauthorizedException } from "../errors/http-exceptions.ts";
import { denied } from "./errors.ts";
import type { ThreadRow } from "./thread-row.ts";

/** Who makes a request, as the verifier of its token says. */
export interface Caller {
  /** What acts, as `type:id`, such as `user:us_1` or `device:dv_1`. */
  readonly principal: string;
  /** The person it acts for. */
  readonly userId: string;
  /** The organisations the person belongs to now. */
  readonly orgs: readonly string[];
  readonly admin: boolean;
}

/** What one may want to do with a thread. */
export type ThreadAction = "read" | "pin" | "write" | "cancel" | "own";

/** Why a caller may not do that with a thread; undefined when it may. Says nothing of the thread. */
export function refusalOf(
  row: Pick<ThreadRow, "orgId" | "createdBy" | "visibility">,
  caller: Caller,
  action: ThreadAction,
): RobotoUnauthorizedException | undefined {
  return isAllowed(row, caller, action) ? undefined : denied(`You may not ${verbs[action]} this thread`);
}

const verbs: Readonly<Record<ThreadAction, string>> = {
  read: "read",
  pin: "pin",
  write: "write to",
  cancel: "cancel",
  own: "change the settings of",
};

function isAllowed(
  { orgId, createdBy, visibility }: Pick<ThreadRow, "orgId" | "createdBy" | "visibility">,
  { userId, orgs, admin }: Caller,
  action: ThreadAction,
): boolean {
  const isMember = orgs.includes(orgId);
  const isCreator = isMember && createdBy === userId;
  if (isCreator) return true;
  const isOpen = isMember && visibility === "org";
  switch (action) {
    case "read":
      return isOpen || admin;
    case "pin":
      return isOpen || (admin && isMember);
    case "cancel":
      return admin;
    case "write":
    case "own":
      return false;
  }
}
