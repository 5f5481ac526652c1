import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { ShedError } from "../errors.ts";
import type { Operation } from "./operation.ts";
import { PermissionPolicy, type PermissionPolicySettings, type PermissionRule } from "./policy.ts";

const base = "/w/app";
const read = (pattern: string | (() => string)): PermissionRule => ({ pattern, operations: ["read"] });
const everything: readonly Operation[] = ["read", "create", "delete"];

function policy(settings: Omit<PermissionPolicySettings, "base"> = {}): PermissionPolicy {
  return new PermissionPolicy({ base, ...settings });
}

describe("a permission policy", () => {
  it.each([
    { case: "shed 1", why: "denies what no rule names", rules: {}, at: "/w/app/a", verdict: "deny" },
    {
      case: "shed 2",
      why: "keeps relative patterns inside the base",
      rules: { allow: [read("**")] },
      at: "/w/x",
      verdict: "deny",
    },
    {
      case: "shed 3",
      why: "lets absolute patterns reach outside",
      rules: { allow: [read("/w/f")] },
      at: "/w/f",
      verdict: "allow",
    },
    {
      case: "shed 4",
      why: "counts a folder to what is in it",
      rules: { allow: [read("src/**")] },
      at: "/w/app/src",
      verdict: "allow",
    },
    {
      case: "shed 5",
      why: "does not match the base with a star",
      rules: { allow: [read("*")] },
      at: base,
      verdict: "deny",
    },
    {
      case: "shed 5",
      why: "matches the base with a dot",
      rules: { allow: [read(".")] },
      at: base,
      verdict: "allow",
    },
    {
      case: "shed 5",
      why: "matches the base with two stars",
      rules: { allow: [read("**")] },
      at: base,
      verdict: "allow",
    },
    ...[".", "", "./", "/"].map((pattern) => ({
      case: "shed 5",
      why: `matches nothing in the base with ${JSON.stringify(pattern)}`,
      rules: { allow: [read(pattern)] },
      at: "/w/app/a",
      verdict: "deny",
    })),
    {
      case: "shed 6",
      why: "knows no hidden files",
      rules: { allow: [read("*")] },
      at: "/w/app/.env",
      verdict: "allow",
    },
    {
      case: "shed 9",
      why: "grants nothing by asking",
      rules: { ask: [read("**")] },
      at: "/w/app/a",
      verdict: "deny",
    },
    {
      case: "PB-01",
      why: "takes a sibling with the base's name for outside",
      rules: { allow: [read("**")] },
      at: "/w/app-evil/x",
      verdict: "deny",
    },
    {
      case: "PB-03",
      why: "matches an absolute pattern inside the base",
      rules: { allow: [read("**")], deny: [read("/w/app/private/**")] },
      at: "/w/app/private/a",
      verdict: "deny",
    },
    {
      case: "PB-06",
      why: "falls back on the default",
      rules: { defaultVerdict: "allow" as const },
      at: "/anywhere",
      verdict: "allow",
    },
    {
      case: "PB-23",
      why: "takes names of Object's properties as they are",
      rules: { allow: [read("__proto__")] },
      at: "/w/app/__proto__",
      verdict: "allow",
    },
    {
      case: "PB-23",
      why: "takes names of Object's properties as they are",
      rules: { allow: [read("__proto__")] },
      at: "/w/app/constructor",
      verdict: "deny",
    },
  ])("$why ($case)", ({ rules, at, verdict }) => {
    expect(policy(rules).decide("read", at).verdict).toBe(verdict);
  });

  it.each([
    { allow: true, deny: true, takesPrecedence: "deny", defaultVerdict: "allow", verdict: "deny" },
    { allow: true, deny: true, takesPrecedence: "allow", defaultVerdict: "deny", verdict: "allow" },
    { allow: true, deny: false, takesPrecedence: "deny", defaultVerdict: "deny", verdict: "allow" },
    { allow: false, deny: true, takesPrecedence: "allow", defaultVerdict: "allow", verdict: "deny" },
    { allow: false, deny: false, takesPrecedence: "allow", defaultVerdict: "deny", verdict: "deny" },
    { allow: false, deny: false, takesPrecedence: "deny", defaultVerdict: "allow", verdict: "allow" },
  ] as const)(
    "says $verdict for allow $allow, deny $deny, precedence $takesPrecedence, default $defaultVerdict",
    ({ allow, deny, takesPrecedence, defaultVerdict, verdict }) => {
      const rules = {
        allow: allow ? [read("a")] : [],
        deny: deny ? [read("*")] : [],
        takesPrecedence,
        defaultVerdict,
      };
      expect(policy(rules).decide("read", "/w/app/a").verdict).toBe(verdict);
      expect(policy(rules).permits("read", "/w/app/a")).toBe(verdict === "allow");
    },
  );

  it("does not care about the order of its lists (PB-05)", () => {
    const rules = policy({
      ask: [read("notes/q/**")],
      deny: [read("notes/q/s/**")],
      allow: [read("notes/**")],
    });
    expect(rules.decide("read", "/w/app/notes/a")).toEqual({
      verdict: "allow",
      rule: { list: "allow", pattern: "notes/**" },
      ask: undefined,
    });
    expect(rules.decide("read", "/w/app/notes/q/a").ask).toEqual({ list: "ask", pattern: "notes/q/**" });
    expect(rules.permits("read", "/w/app/notes/q/a")).toBe(false);
    expect(rules.decide("read", "/w/app/notes/q/s/a")).toEqual({
      verdict: "deny",
      rule: { list: "deny", pattern: "notes/q/s/**" },
      ask: undefined,
    });
  });

  it("tells operations apart (PB-07)", () => {
    const rules = policy({ allow: [read("**")], deny: [{ pattern: "**", operations: ["delete"] }] });
    expect(rules.decide("read", "/w/app/a").verdict).toBe("allow");
    expect(rules.decide("create", "/w/app/a")).toMatchObject({ verdict: "deny", rule: undefined });
    expect(rules.decide("delete", "/w/app/a")).toMatchObject({ verdict: "deny", rule: { list: "deny" } });
  });

  it("asks a pattern that is a function at every check (shed 7)", () => {
    let area = "a/**";
    const rules = policy({ allow: [read(() => area)] });
    expect(rules.permits("read", "/w/app/a/x")).toBe(true);
    area = "b/**";
    expect(rules.permits("read", "/w/app/a/x")).toBe(false);
    expect(rules.permits("read", "/w/app/b/x")).toBe(true);
  });

  const fails = (): string => {
    throw new Error("no pattern");
  };
  // A function as code without types may give it.
  const noText: () => string = JSON.parse.bind(JSON, "7");
  it.each([
    { why: "allows nothing", rules: { allow: [read(fails)] } },
    { why: "allows nothing", rules: { allow: [read(noText)] } },
    { why: "denies", rules: { allow: [read("**")], deny: [read(fails)] } },
    {
      why: "denies",
      rules: { allow: [read("**")], deny: [read(noText)], takesPrecedence: "allow" as const },
    },
    { why: "denies", rules: { allow: [read("**")], ask: [read(fails)] } },
    { why: "denies", rules: { allow: [read("**")], protect: [read(noText)] } },
  ])("$why when a pattern's function fails or gives no text (PB-26)", ({ rules }) => {
    expect(policy(rules).decide("read", "/w/app/a").verdict).toBe("deny");
    expect(policy({ allow: [read("**")] }).decide("read", "/w/app/a").verdict).toBe("allow");
  });

  it("protects against every other rule", () => {
    const rules = policy({
      allow: [{ pattern: "/**", operations: everything }],
      protect: [{ pattern: "**/.env", operations: everything }],
      takesPrecedence: "allow",
      defaultVerdict: "allow",
    });
    expect(rules.decide("read", "/w/app/x/.env")).toEqual({
      verdict: "deny",
      rule: { list: "protect", pattern: "**/.env" },
      ask: undefined,
    });
    expect(rules.decide("read", "/w/app/x/env").verdict).toBe("allow");
  });

  it.each([
    {
      why: "a rule without an operation (shed 8)",
      rules: { allow: [{ pattern: "**", operations: [] }] },
      setting: "allow[0].operations",
    },
    {
      why: "operations that are no list",
      rules: { allow: [{ pattern: "**", operations: 5 }] },
      setting: "allow[0].operations",
    },
    {
      why: "an unknown operation",
      rules: { deny: [read("**"), { pattern: "*", operations: ["write"] }] },
      setting: "deny[1].operations",
    },
    {
      why: "a pattern that is no text",
      rules: { ask: [{ pattern: 7, operations: ["read"] }] },
      setting: "ask[0].pattern",
    },
    { why: "another verdict", rules: { defaultVerdict: "ask" }, setting: "defaultVerdict" },
    { why: "a list under another name", rules: { denied: [read("**")] }, setting: "denied" },
    { why: "a setting in other letters", rules: { takes_precedence: "deny" }, setting: "takes_precedence" },
    { why: "a single rule", rules: { deny: read("**") }, setting: "deny" },
    { why: "a list that is null", rules: { allow: null }, setting: "allow" },
    { why: "a rule that is none", rules: { allow: [null] }, setting: "allow[0]" },
    {
      why: "a rule with another part",
      rules: { allow: [{ ...read("**"), except: "a" }] },
      setting: "except",
    },
    {
      why: "a rule without operations",
      rules: { allow: [{ pattern: "**" }] },
      setting: "allow[0].operations",
    },
  ])("refuses $why", ({ rules, setting }) => {
    const construct = (): unknown => Reflect.construct(PermissionPolicy, [{ base, ...rules }]);
    expect(construct).toThrow(expect.objectContaining({ code: "shed/policy", setting }));
  });

  it.each([undefined, null, "/", [{ base }]])("refuses what are no settings: %j", (settings) => {
    const construct = (): unknown => Reflect.construct(PermissionPolicy, [settings]);
    expect(construct).toThrow(expect.objectContaining({ code: "shed/policy", setting: "argument" }));
  });
});

describe("one decision for all that is below a directory", () => {
  const patterns = ["**", "/**", "/w/**", "/w/app/**", "src/**", "*", ".", "a", "**/a", "**/**"];
  const lists = ["allow", "deny", "ask", "protect"] as const;
  const directories = ["/", "/w", "/w/app", "/w/app/src", "/w/apple", "/x"];
  const names = ["a", "app", "src", "src/a", "app/a", "app/src/a/b", "w/app/a", ".env"];

  it("is the decision at each place", () => {
    let told = 0;
    const check = (rules: PermissionPolicy) => {
      for (const directory of directories) {
        const all = rules.decideBelow("read", directory);
        if (all === undefined) continue;
        told += 1;
        for (const name of names)
          expect(rules.decide("read", `${directory === "/" ? "" : directory}/${name}`)).toEqual(all);
      }
    };
    for (const defaultVerdict of ["allow", "deny"] as const) {
      check(policy({ defaultVerdict }));
      for (const first of patterns) {
        for (const second of patterns) {
          for (const list of lists) {
            check(policy({ allow: [read(first)], [list]: [read(second)], defaultVerdict }));
            check(policy({ [list]: [read(first), read(second)], defaultVerdict }));
          }
        }
      }
    }
    expect(told).toBeGreaterThan(500);
  });

  it.each([
    ["in its base, where all is allowed", { allow: [read("**")] }, "/w/app/src", "allow"],
    ["at its base", { allow: [read("**")] }, base, "allow"],
    ["outside of its base", { allow: [read("**")] }, "/x", "deny"],
    ["above its base", { allow: [read("**")] }, "/w", undefined],
    [
      "where another operation has a rule",
      { allow: [read("**")], deny: [{ pattern: "**/a", operations: ["create"] }] },
      base,
      "allow",
    ],
    ["where names are denied", { allow: [read("**")], deny: [read("**/.env")] }, base, undefined],
    [
      "where a function gives a pattern",
      { allow: [read("**")], protect: [read(() => "a")] },
      base,
      undefined,
    ],
  ] as const)("is known %s", (_, settings, directory, verdict) => {
    expect(policy(settings).decideBelow("read", directory)?.verdict).toBe(verdict);
  });

  it("is not known to a policy that decides in its own way", () => {
    class Mine extends PermissionPolicy {
      override decide(operation: Operation, location: string) {
        const decision = super.decide(operation, location);
        return location.endsWith("/mine") ? { ...decision, verdict: "deny" as const } : decision;
      }
    }
    const mine = new Mine({ base, allow: [read("**")] });
    expect(mine.decideBelow("read", base)).toBeUndefined();
    expect(mine.permits("read", `${base}/mine`)).toBe(false);
  });
});

describe("a question that is none", () => {
  const policy = new PermissionPolicy({ base, allow: [read("**")] });

  it.each([
    { why: "an operation that is not there", given: ["raed", base], setting: "operation" },
    { why: "what every object has", given: ["constructor", base], setting: "operation" },
    { why: "no operation", given: [undefined, base], setting: "operation" },
    { why: "no location", given: ["read", undefined], setting: "location" },
  ])("is refused by a policy: $why", ({ given, setting }) => {
    for (const name of ["decide", "permits"] as const) {
      const ask = (): unknown => Reflect.apply(Reflect.get(policy, name), policy, given);
      expect(ask).toThrow(expect.objectContaining({ code: "shed/policy", setting }));
    }
  });
});

describe("the base of a local policy", () => {
  it.each([[undefined], [null], [5], [{}], [["/tmp"]], [new URL("file:///tmp")], [""], ["/tmp\0"], ["\0"]])(
    "is no folder: %s",
    (given: unknown) => {
      const make = (): unknown =>
        Reflect.apply(Reflect.get(PermissionPolicy, "local"), PermissionPolicy, [given]);
      expect(make).toThrow(expect.objectContaining({ code: "shed/policy", setting: "base" }));
    },
  );

  it("may be relative to the working directory", () => {
    expect(PermissionPolicy.local(".").base).toBe(realpathSync(process.cwd()));
  });
});

describe("the base of a policy", () => {
  let folder = "";
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "roboz-policy-")));
    mkdirSync(join(folder, "real"));
    writeFileSync(join(folder, "file"), "");
    symlinkSync("real", join(folder, "link"));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it("is resolved once, also through a link and where it does not exist yet (PB-17)", () => {
    expect(new PermissionPolicy({ base: join(folder, "link") }).base).toBe(join(folder, "real"));
    expect(new PermissionPolicy({ base: join(folder, "link/new/deep") }).base).toBe(
      join(folder, "real/new/deep"),
    );
    expect(PermissionPolicy.local(join(folder, "link")).permits("delete", join(folder, "real/a"))).toBe(true);
    expect(PermissionPolicy.local(join(folder, "link")).permits("read", join(folder, "file"))).toBe(false);
  });

  it.each([
    { why: "a relative path", given: () => "notes" },
    { why: "an empty text", given: () => "" },
    { why: "a file", given: () => join(folder, "file") },
    { why: "a path below a file", given: () => join(folder, "file/x") },
    { why: "a path with a NUL", given: () => "/a\0b" },
  ])("is never $why", ({ given }) => {
    try {
      new PermissionPolicy({ base: given() });
      expect.unreachable();
    } catch (error) {
      expect(ShedError.is(error) && error.code === "shed/policy" && error.setting).toBe("base");
    }
  });
});
