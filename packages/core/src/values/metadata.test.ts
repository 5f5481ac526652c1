import { describe, expect, it } from "vitest";
import * as z from "zod";

import { NO_MESSAGE, showOnce, type Truncation } from "../truncation/policy.ts";
import { Str } from "./builtin.ts";
import { messageKinds } from "./metadata.ts";
import { metadataOf } from "./value.ts";

/** Calls a type as code without types does. */
function untyped(make: unknown, ...given: readonly unknown[]): unknown {
  if (typeof make !== "function") throw new TypeError("not callable");
  return Reflect.apply(make, undefined, given);
}

describe("metadata", () => {
  const meta = {
    truncation: NO_MESSAGE,
    messageKind: "startup_context",
    endpoint: "provider",
    model: "m",
    tokenInput: 1,
    tokenOutput: 2,
  } as const;

  it("travels beside a value and is in none of its JSON, keys or schemas", () => {
    const str = Str({ value: "x" }, meta);
    expect(metadataOf(str)).toEqual(meta);
    expect(JSON.stringify(str)).toBe('{"value":"x"}');
    expect(Reflect.ownKeys(str)).toEqual(["value"]);
    expect(Object.keys(z.toJSONSchema(Str.schema, { io: "input" }).properties ?? {})).toEqual(["value"]);
    expect(str).toEqual(Str({ value: "x" }));
  });

  it("is empty, not missing, when none is given", () => {
    expect(metadataOf(Str({ value: "x" }))).toEqual({});
    expect(metadataOf(Str({ value: "x" }, {}))).toEqual({});
    expect(Object.keys(metadataOf(Str({ value: "x" }, { model: undefined, truncation: undefined })))).toEqual(
      [],
    );
  });

  it("is frozen, without freezing what was given", () => {
    const truncation: { threshold: number; severity: "light" }[] = [{ threshold: 1, severity: "light" }];
    const given = { truncation };
    const kept = metadataOf(Str({ value: "x" }, given));
    truncation[0] = { threshold: 9, severity: "light" };
    expect(kept.truncation).toEqual([{ threshold: 1, severity: "light" }]);
    expect(Object.isFrozen(kept) && Object.isFrozen(kept.truncation)).toBe(true);
    expect(Object.isFrozen(given) || Object.isFrozen(truncation)).toBe(false);
  });

  it("keeps a frozen policy itself, at first sight and later", () => {
    for (const policy of [NO_MESSAGE, showOnce(), NO_MESSAGE] satisfies Truncation[]) {
      expect(metadataOf(Str({ value: "x" }, { truncation: policy })).truncation).toBe(policy);
      expect(metadataOf(Str({ value: "x" }, { truncation: policy, model: "m" })).truncation).toBe(policy);
    }
  });

  it.each(messageKinds.map((messageKind) => ({ messageKind })))(
    "may be of the kind $messageKind",
    ({ messageKind }) => {
      expect(metadataOf(Str({ value: "x" }, { messageKind })).messageKind).toBe(messageKind);
    },
  );

  it.each([
    { why: "core 6: a message kind nobody knows", given: { messageKind: "greeting" } },
    { why: "an unknown key", given: { kind: "startup_context" } },
    { why: "an unknown key beside a known policy", given: { truncation: NO_MESSAGE, kind: "x" } },
    { why: "an unknown severity", given: { truncation: { threshold: 0, severity: "heavy" } } },
    { why: "a fraction of a message", given: { truncation: [{ threshold: 0.5, severity: "light" }] } },
    { why: "tokens that are no number", given: { tokenInput: "3" } },
    { why: "a text", given: "startup_context" },
    { why: "null", given: null },
    { why: "a list", given: [] },
  ])("is refused: $why", ({ given }) => {
    expect(() => untyped(Str, { value: "x" }, given)).toThrow(
      expect.objectContaining({ code: "core/value", kind: "str" }),
    );
  });
});
