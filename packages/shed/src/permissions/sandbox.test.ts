import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Operation } from "./operation.ts";
import { Sandbox, type Protection, type SandboxSettings } from "./sandbox.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "roboz-sandbox-")));
});
afterEach(() => {
  rmSync(root, { recursive: true });
});

const failing = (setting: string): unknown => expect.objectContaining({ code: "shed/sandbox", setting });

function sandbox(settings: Omit<SandboxSettings, "root"> = { scope: "mine" }): Sandbox {
  return new Sandbox({ root, ...settings });
}

/** `"allow"`, `"ask"` or `"deny"`. */
function said(box: Sandbox, operation: Operation, path: string): string {
  const { verdict, ask } = box.permissions().decide(operation, join(root, path));
  return ask === undefined ? verdict : "ask";
}

describe("the permissions of a sandbox", () => {
  it.each([
    { case: "shed 21", operation: "read", path: "readonly/a", verdict: "allow" },
    { case: "shed 21", operation: "create", path: "readonly/a", verdict: "deny" },
    { case: "shed 22", operation: "read", path: "projects/other/a", verdict: "allow" },
    { case: "shed 22", operation: "create", path: "projects/other/a", verdict: "deny" },
    { case: "shed 22", operation: "delete", path: "projects/mine2/a", verdict: "deny" },
    { case: "shed 23", operation: "create", path: "shared/a", verdict: "ask" },
    { case: "shed 23", operation: "delete", path: "shared/a/b", verdict: "ask" },
    { case: "shed 23", operation: "read", path: "shared/a", verdict: "allow" },
    { case: "shed 24", operation: "create", path: "projects/mine/new", verdict: "allow" },
    { case: "shed 24", operation: "create", path: "projects/mine", verdict: "allow" },
    { case: "section 2", operation: "create", path: "projects", verdict: "deny" },
    { case: "section 2", operation: "create", path: "new", verdict: "deny" },
    { case: "section 2", operation: "read", path: "../elsewhere", verdict: "deny" },
    { case: "PB-25, design 19", operation: "read", path: "projects/mine/.env", verdict: "deny" },
    {
      case: "PB-25, design 19",
      operation: "create",
      path: "projects/mine/deep/.env.encrypt",
      verdict: "deny",
    },
    { case: "PB-25, design 19", operation: "read", path: ".env.local", verdict: "deny" },
    { case: "design 19", operation: "read", path: "projects/mine/.environment", verdict: "allow" },
    { case: "design 19", operation: "create", path: "projects/mine/.git/hooks/pre-commit", verdict: "deny" },
    { case: "design 19", operation: "create", path: "projects/mine/.git", verdict: "deny" },
    { case: "design 19", operation: "delete", path: "projects/mine/lib/.git/config", verdict: "deny" },
    { case: "design 19", operation: "read", path: "projects/mine/.git/config", verdict: "allow" },
    { case: "design 19", operation: "create", path: "projects/mine/.gitignore", verdict: "allow" },
    {
      case: "PB-25",
      operation: "create",
      path: "projects/mine/model_catalogue/models.json",
      verdict: "deny",
    },
    { case: "PB-25", operation: "delete", path: "projects/mine/logs/active", verdict: "deny" },
    { case: "PB-25", operation: "read", path: "projects/mine/logs/active", verdict: "allow" },
  ] as const)("$verdict to $operation $path ($case)", ({ operation, path, verdict }) => {
    expect(said(sandbox(), operation, path)).toBe(verdict);
  });

  it.each([
    { name: ".env", path: "projects/mine/.env", operation: "read" },
    { name: ".git", path: "projects/mine/.git/config", operation: "create" },
    { name: "settings", path: "projects/mine/model_catalogue/models.json", operation: "create" },
    { name: "records", path: "projects/mine/memory/a", operation: "create" },
  ] as const)("protect $name until that is switched off by its name", ({ name, path, operation }) => {
    expect(said(sandbox(), operation, path)).toBe("deny");
    expect(said(sandbox({ scope: "mine", unprotected: [name] }), operation, path)).toBe("allow");
  });

  it("protect the settings that are named, in place of the usual ones", () => {
    const box = sandbox({ scope: "mine", settings: ["projects/*/agent.json"] });
    expect(said(box, "read", "projects/mine/agent.json")).toBe("deny");
    expect(said(box, "create", "projects/mine/model_catalogue/x")).toBe("allow");
  });

  it("take special characters of names as they are", () => {
    const box = sandbox({ scope: "p*", shared: "s[a]" });
    expect(said(box, "create", "projects/p*/a")).toBe("allow");
    expect(said(box, "create", "projects/pq/a")).toBe("deny");
    expect(said(box, "create", "s[a]/x")).toBe("ask");
    expect(said(box, "create", "sa/x")).toBe("deny");
  });

  it("hold where the root is reached through a link", () => {
    mkdirSync(join(root, "real"));
    symlinkSync("real", join(root, "link"));
    const policy = new Sandbox({ root: join(root, "link"), scope: "mine" }).permissions();
    expect(policy.permits("create", join(root, "real/projects/mine/a"))).toBe(true);
    expect(policy.permits("create", join(root, "real/projects/mine/logs/a"))).toBe(false);
  });
});

describe("the scope of a sandbox", () => {
  it.each(["../escape", "a/b", "/abs", "", ".", "..", "a\0b"])(
    "cannot be %j, and the old one stays (shed 25)",
    (folder) => {
      const box = sandbox();
      expect(() => {
        box.configureScope(folder);
      }).toThrow(failing("scope"));
      expect(box.scope).toBe("mine");
      expect(box.projectDir).toBe(join(root, "projects/mine"));
    },
  );

  it("changes this sandbox, or makes another one", () => {
    const box = sandbox({});
    const other = box.forProject("other");
    expect(box.scope).toBeUndefined();
    expect(other.projectDir).toBe(join(root, "projects/other"));
    box.configureScope("mine");
    expect([box.scope, other.scope]).toEqual(["mine", "other"]);
  });

  it.each(["projects", "nowhere"])(
    "is never a link, whether or not its target exists: %s (shed 26)",
    (target) => {
      mkdirSync(join(root, "projects"));
      symlinkSync(`../${target}`, join(root, "projects/alias"));
      expect(() => sandbox({ scope: "alias" })).toThrow(failing("scope"));
    },
  );

  it("is looked at again: a link that appears later is refused (shed 27)", () => {
    const box = sandbox();
    expect(box.permissions().base).toBe(root);
    mkdirSync(join(root, "projects"));
    symlinkSync("..", join(root, "projects/mine"));
    for (const ask of [
      () => box.permissions(),
      () => box.projectDir,
      () => box.logsDir,
      () => box.artifactDir("x"),
    ])
      expect(ask).toThrow(failing("scope"));
  });

  it("is needed for what belongs to a project (shed 31)", () => {
    const box = sandbox({});
    for (const ask of [() => box.permissions(), () => box.projectDir, () => box.memoryDir])
      expect(ask).toThrow(/configureScope/);
  });
});

describe("the folders of a sandbox", () => {
  it("are not made by it (shed 32)", () => {
    const box = sandbox();
    box.permissions();
    expect([box.logsDir, box.snapshotsDir, box.memoryDir]).toEqual(
      ["logs", "snapshots", "memory"].map((name) => join(root, "projects/mine", name)),
    );
    expect(readdirSync(root)).toEqual([]);
  });

  it.each([
    { why: "leaves the project (shed 28)", given: { logs: "../x" }, setting: "logs" },
    { why: "is the project", given: { snapshots: "." }, setting: "snapshots" },
    { why: "is empty", given: { memory: "" }, setting: "memory" },
    { why: "equals another (shed 29)", given: { memory: "logs" }, setting: "logs" },
    { why: "lies in another (shed 29)", given: { memory: "logs/memory" }, setting: "logs" },
  ])("are refused when one $why", ({ given, setting }) => {
    expect(() => sandbox({ scope: "mine", ...given })).toThrow(failing(setting));
  });

  it("may be elsewhere when they are absolute (shed 28)", () => {
    expect(sandbox({ scope: "mine", logs: "/abs/x" }).logsDir).toBe("/abs/x");
  });

  it("are refused when a link leads them out of the project (shed 30)", () => {
    const box = sandbox();
    mkdirSync(join(root, "projects/mine"), { recursive: true });
    mkdirSync(join(root, "outside"));
    symlinkSync("../../outside", join(root, "projects/mine/memory"));
    expect(() => box.memoryDir).toThrow(failing("memory"));
    expect(() => box.artifactDir("memory/x")).toThrow(failing("artifact"));
    expect(readdirSync(join(root, "outside"))).toEqual([]);
    expect(existsSync(box.logsDir)).toBe(false);
  });

  it.each([
    { why: "is empty", given: { shared: "" }, setting: "shared" },
    { why: "is absolute", given: { readonly: "/etc" }, setting: "readonly" },
    { why: "is the root", given: { projects: "." }, setting: "projects" },
    { why: "leaves the root", given: { shared: "a/../../b" }, setting: "shared" },
    { why: "equals another", given: { shared: "projects" }, setting: "shared" },
    { why: "lies in another", given: { shared: "projects/shared" }, setting: "shared" },
    { why: "holds another", given: { projects: "all", shared: "all/shared" }, setting: "shared" },
  ])("are refused when an area $why", ({ given, setting }) => {
    expect(() => sandbox(given)).toThrow(failing(setting));
  });

  it.each([
    { why: "is not known", given: { protect: [] }, setting: "protect" },
    { why: "is a pattern in place of a list", given: { settings: "*.json" }, setting: "settings" },
    { why: "has a pattern that is no text", given: { settings: [5] }, setting: "settings" },
    { why: "is a name in place of a list", given: { unprotected: ".env" }, setting: "unprotected" },
    { why: "names nothing that is protected", given: { unprotected: ["env"] }, setting: "unprotected" },
  ])("are refused when a setting $why", ({ given, setting }) => {
    const construct = (): unknown => Reflect.construct(Sandbox, [{ root, ...given }]);
    expect(construct).toThrow(failing(setting));
  });

  it.each([undefined, null, "/srv"])("are refused without settings: %j", (given) => {
    const construct = (): unknown => Reflect.construct(Sandbox, [given]);
    expect(construct).toThrow(failing("argument"));
  });

  it("do not follow what the caller does with the settings", () => {
    const unprotected: Protection[] = [];
    const given = { root, scope: "mine", settings: ["projects/*/agent.json"], unprotected };
    const box = new Sandbox(given);
    given.root = join(root, "outside");
    given.settings.pop();
    unprotected.push(".env");
    for (const one of [box, box.forProject("other")]) {
      expect(one.root).toBe(root);
      const project = one.scope ?? "";
      expect(said(one, "create", `projects/${project}/agent.json`)).toBe("deny");
      expect(said(one, "create", `projects/${project}/.env`)).toBe("deny");
    }
  });

  it("are refused when a link leads an area out of the root", () => {
    symlinkSync("..", join(root, "shared"));
    expect(() => sandbox()).toThrow(failing("shared"));
  });
});
