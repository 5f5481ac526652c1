import * as z from "zod";

import type { Sandbox } from "./sandbox.ts";

/** What a guarded capability requires of an agent. */
export interface NeedsSandbox {
  /** With a scope: what the agent may do is taken from it when the agent is built. */
  readonly sandbox: Pick<Sandbox, "permissions">;
}

/** The check of {@link NeedsSandbox}, for `requiredAttributes`. */
export const sandboxAttribute = {
  sandbox: z.custom<NeedsSandbox["sandbox"]>(isSandbox).meta({ title: "Sandbox" }),
};

/** Whether anything gives permissions as a sandbox does, of any installed copy of this package. */
function isSandbox(candidate: unknown): boolean {
  if (typeof candidate !== "object" || candidate === null || !("permissions" in candidate)) return false;
  return typeof candidate.permissions === "function";
}
