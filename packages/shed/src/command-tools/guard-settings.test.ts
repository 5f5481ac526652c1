import { SkillLabel, ToolLabel } from "@roboz/deployment";
import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";

import { ShedError } from "../errors.ts";
import { Filesystem } from "../filesystem/filesystem.ts";
import { filesystemSkill } from "../filesystem/filesystem-skill.ts";
import { Pdf } from "../pdf/pdf.ts";
import { pdfSkill } from "../pdf/pdf-skill.ts";
import { getPdfTool } from "../pdf/pdf-tools.ts";
import { PermissionPolicy } from "../permissions/policy.ts";
import { fileCommandTools } from "./file-commands.ts";
import { patchTools } from "./patch-tools.ts";

const policy = PermissionPolicy.local(tmpdir());
const makers = { fileCommandTools, patchTools, filesystemSkill, getPdfTool, pdfSkill };
const capabilities = { Filesystem, Pdf };

/** What a maker says about options that no compiler has seen. */
function fault(
  work: (given: never) => unknown,
  given: unknown,
): { code: string; message: string } | undefined {
  try {
    Reflect.apply(work, undefined, [given]);
    return undefined;
  } catch (error) {
    if (ShedError.is(error)) return { code: error.code, message: error.message };
    throw error;
  }
}

const known = "there are `policy`, `whenAway`, `approvalTimeoutMs`";
const wrongPolicy =
  "is no permission policy; `new PermissionPolicy(…)` and `PermissionPolicy.local(base)` make one";
const wrongTime = "is not a finite number of milliseconds above 0; leave it out to wait as long as it takes";

describe.each(Object.entries(makers))("%s", (owner, make) => {
  it.each([
    {
      given: undefined,
      setting: "argument",
      problem: "takes one object with `policy`, `whenAway`, `approvalTimeoutMs`",
    },
    {
      given: policy.base,
      setting: "argument",
      problem: "takes one object with `policy`, `whenAway`, `approvalTimeoutMs`",
    },
    { given: {}, setting: "policy", problem: wrongPolicy },
    { given: policy, setting: "base", problem: `is not known; ${known}` },
    { given: { policy: { base: "/", allow: [] } }, setting: "policy", problem: wrongPolicy },
    { given: { policy: PermissionPolicy }, setting: "policy", problem: wrongPolicy },
    { given: { policy, whenaway: "deny" }, setting: "whenaway", problem: `is not known; ${known}` },
    { given: { policy, whenAway: "ask" }, setting: "whenAway", problem: 'is neither "suspend" nor "deny"' },
    { given: { policy, approvalTimeoutMs: 0 }, setting: "approvalTimeoutMs", problem: wrongTime },
    { given: { policy, approvalTimeoutMs: "5" }, setting: "approvalTimeoutMs", problem: wrongTime },
  ])("refuses $given by its $setting", ({ given, setting, problem }) => {
    expect(fault(make, given)).toEqual({
      code: "shed/guard-settings",
      message: `\`${setting}\` of \`${owner}\` ${problem}`,
    });
  });

  it("takes all that it knows", () => {
    expect(fault(make, { policy, whenAway: "deny", approvalTimeoutMs: 5 })).toBeUndefined();
    expect(fault(make, { policy, whenAway: undefined, approvalTimeoutMs: undefined })).toBeUndefined();
  });
});

describe.each(Object.entries(capabilities))("%s", (owner, Made) => {
  const make = (given: never): unknown => new Made(given);

  it.each([
    {
      given: null,
      setting: "argument",
      problem: "takes one object with `label`, `whenAway`, `approvalTimeoutMs`",
    },
    {
      given: { policy },
      setting: "policy",
      problem: "is not known; there are `label`, `whenAway`, `approvalTimeoutMs`",
    },
    {
      given: { label: "files" },
      setting: "label",
      problem: "is no label of a skill; `SkillLabel(…)` makes one",
    },
    {
      given: { label: ToolLabel("files") },
      setting: "label",
      problem: "is no label of a skill; `SkillLabel(…)` makes one",
    },
    { given: { whenAway: true }, setting: "whenAway", problem: 'is neither "suspend" nor "deny"' },
    { given: { approvalTimeoutMs: Infinity }, setting: "approvalTimeoutMs", problem: wrongTime },
  ])("refuses $given by its $setting", ({ given, setting, problem }) => {
    expect(fault(make, given)).toEqual({
      code: "shed/guard-settings",
      message: `\`${setting}\` of \`${owner}\` ${problem}`,
    });
  });

  it("takes none and all that it knows", () => {
    expect(fault(make, undefined)).toBeUndefined();
    expect(fault(make, { label: undefined, whenAway: "deny", approvalTimeoutMs: 5 })).toBeUndefined();
    expect(fault(make, { label: SkillLabel("files") })).toBeUndefined();
  });
});
