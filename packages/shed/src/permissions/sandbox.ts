import { lstatSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";

import { canonicalPath, isBelow } from "./canonical-path.ts";
import { SandboxError } from "./errors.ts";
import { operations, type Operation } from "./operation.ts";
import { escapePattern } from "./pattern.ts";
import { PermissionPolicy, type PermissionRule } from "./policy.ts";
import { settingsProblem } from "./setting-names.ts";

/** What a sandbox protects unless it is named in `unprotected`. */
export const protections = Object.freeze([".env", ".git", "settings", "records"] as const);
/**
 * `".env"`: reading and writing files of that name, and `.env.*`. `".git"`: writing below folders of that name.
 * `"settings"`: reading and writing what `settings` names. `"records"`: writing below the logs, snapshots and memory.
 */
export type Protection = (typeof protections)[number];

/** Where everything is. */
export interface SandboxSettings {
  /** The sandbox's folder; made absolute. */
  readonly root: string;
  /** Areas below the root. Defaults: `"readonly"`, `"shared"`, `"projects"`. */
  readonly readonly?: string | undefined;
  readonly shared?: string | undefined;
  readonly projects?: string | undefined;
  /** Below the project, or absolute for a place elsewhere. Defaults: `"logs"`, `"snapshots"`, `"memory"`. */
  readonly logs?: string | undefined;
  readonly snapshots?: string | undefined;
  readonly memory?: string | undefined;
  /** The project's folder, one name; may also be given later. */
  readonly scope?: string | undefined;
  /** Patterns of the deployment's own settings; all that is in folders called `model_catalogue` by default. */
  readonly settings?: readonly string[] | undefined;
  readonly unprotected?: readonly Protection[] | undefined;
}

const settingNames: readonly (keyof SandboxSettings)[] = [
  "root",
  "readonly",
  "shared",
  "projects",
  "logs",
  "snapshots",
  "memory",
  "scope",
  "settings",
  "unprotected",
];

type Area = "readonly" | "shared" | "projects";
type RecordName = "logs" | "snapshots" | "memory";
const areas = ["readonly", "shared", "projects"] as const;
const records = ["logs", "snapshots", "memory"] as const;

/**
 * A layout of folders, and the permissions of an agent that works in one project of it: reading everywhere, writing in its
 * own project, writing in the shared area after a person's yes, and nothing else. Makes no folder by itself.
 */
export class Sandbox {
  readonly root: string;
  readonly readonly: string;
  readonly shared: string;
  readonly projects: string;
  readonly #records: Readonly<Record<RecordName, string>>;
  readonly #settings: readonly string[];
  readonly #unprotected: ReadonlySet<Protection>;
  readonly #given: SandboxSettings;
  #scope: string | undefined;

  /**
   * @throws {@link SandboxError} (`shed/sandbox`) for areas that leave the root or overlap, a bad scope, and a setting that is not
   * known.
   */
  constructor(settings: SandboxSettings) {
    const unknown = settingsProblem("argument", settings, settingNames);
    if (unknown !== undefined) throw new SandboxError(unknown);
    const { root, logs = "logs", snapshots = "snapshots", memory = "memory" } = settings;
    if (typeof root !== "string" || root === "" || root.includes("\0"))
      throw new SandboxError({ setting: "root", problem: "is no path" });
    this.root = resolve(root);
    this.readonly = this.#area("readonly", settings.readonly);
    this.shared = this.#area("shared", settings.shared);
    this.projects = this.#area("projects", settings.projects);
    this.#checkAreas();
    this.#records = { logs, snapshots, memory };
    this.#settings = textsOf("settings", settings.settings ?? ["**/model_catalogue/**"]);
    const unprotected = textsOf("unprotected", settings.unprotected ?? []);
    this.#unprotected = new Set(unprotected);
    if (!unprotected.every((name) => protections.includes(name)))
      throw new SandboxError({
        setting: "unprotected",
        problem: `has a name that is none of ${protections.join(", ")}`,
      });
    this.#given = Object.freeze({ ...settings, settings: this.#settings, unprotected });
    if (settings.scope !== undefined) this.configureScope(settings.scope);
  }

  /** The project's folder name; undefined while none is chosen. */
  get scope(): string | undefined {
    return this.#scope;
  }

  /**
   * Chooses the project. A choice that is refused leaves the one before.
   *
   * @param folder - One name, without separators.
   * @throws {@link SandboxError} (`shed/sandbox`).
   */
  configureScope(folder: string): void {
    if (typeof folder !== "string" || !/^[^/\0]+$/.test(folder) || folder === "." || folder === "..")
      throw new SandboxError({ setting: "scope", problem: "is not one folder name" });
    const project = this.#project(folder);
    const places = records.map((name) => this.#record(name, project));
    for (const [index, place] of places.entries())
      for (const other of places.slice(index + 1))
        if (place === other || isBelow(place, other) || isBelow(other, place))
          throw new SandboxError({
            setting: records[index] ?? "logs",
            problem: "overlaps another of logs, snapshots and memory; give each a folder of its own",
          });
    this.#scope = folder;
  }

  /** The same layout with a project of its own; this one stays as it is. */
  forProject(slug: string): Sandbox {
    return new Sandbox({ ...this.#given, scope: slug });
  }

  /** @throws {@link SandboxError} (`shed/sandbox`) without a scope, and when the folder is a link. */
  get projectDir(): string {
    if (this.#scope === undefined)
      throw new SandboxError({ setting: "scope", problem: "is not set; call `configureScope` first" });
    return this.#project(this.#scope);
  }

  /** @throws {@link SandboxError} (`shed/sandbox`), also when a link leads out of the project. */
  get logsDir(): string {
    return this.#record("logs", this.projectDir);
  }

  /** As {@link Sandbox.logsDir}. */
  get snapshotsDir(): string {
    return this.#record("snapshots", this.projectDir);
  }

  /** As {@link Sandbox.logsDir}. */
  get memoryDir(): string {
    return this.#record("memory", this.projectDir);
  }

  /** One more folder of the project, such as for downloads. */
  artifactDir(name: string): string {
    if (typeof name !== "string" || name === "" || isAbsolute(name))
      throw new SandboxError({ setting: "artifact", problem: "is not a relative path" });
    return this.#inside("artifact", name, this.projectDir);
  }

  /**
   * What an agent may do in the project that is chosen now.
   *
   * @throws {@link SandboxError} (`shed/sandbox`) without a scope, and when the project's folder is a link.
   */
  permissions(): PermissionPolicy {
    const project = this.projectDir;
    const own = this.#pattern(project);
    const shared = this.#pattern(join(this.root, this.shared));
    return new PermissionPolicy({
      base: canonical("root", this.root),
      allow: [
        { pattern: "**", operations: ["read"] },
        { pattern: own, operations: writing },
        { pattern: shared, operations: writing },
      ],
      ask: [{ pattern: shared, operations: writing }],
      protect: this.#protect(project),
      takesPrecedence: "allow",
    });
  }

  #protect(project: string): readonly PermissionRule[] {
    const rules: Readonly<Record<Protection, () => readonly PermissionRule[]>> = {
      ".env": () => [
        { pattern: "/**/.env", operations },
        { pattern: "/**/.env.*", operations },
      ],
      ".git": () => [{ pattern: "/**/.git/**", operations: [...writing, "stage"] }],
      settings: () => this.#settings.map((pattern) => ({ pattern, operations })),
      records: () =>
        records.map((name) => ({
          pattern: `/${escapedPath(canonical(name, this.#record(name, project)))}/**`,
          operations: [...writing, "stage"],
        })),
    };
    return protections.filter((name) => !this.#unprotected.has(name)).flatMap((name) => rules[name]());
  }

  /** A folder of the sandbox and all in it, by a pattern that matches nothing else. */
  #pattern(folder: string): string {
    return `${escapedPath(folder.slice(this.root.length))}/**`;
  }

  #area(name: Area, given: string = name): string {
    const folder = typeof given === "string" && given !== "" && !isAbsolute(given) ? given : undefined;
    if (folder === undefined || folder.includes("\0") || !isBelow(join(this.root, folder), this.root))
      throw new SandboxError({ setting: name, problem: "is not a relative path strictly inside `root`" });
    const place = join(this.root, folder);
    if (!isBelow(canonical(name, place), canonical("root", this.root)))
      throw new SandboxError({ setting: name, problem: "leads out of `root` through a link" });
    return place.slice(this.root === "/" ? 1 : this.root.length + 1);
  }

  #checkAreas(): void {
    const places = areas.map((name) => ({ name, place: canonical(name, join(this.root, this[name])) }));
    for (const { name, place } of places)
      for (const other of places)
        if (other.name !== name && (place === other.place || isBelow(place, other.place)))
          throw new SandboxError({ setting: name, problem: `overlaps \`${other.name}\`; keep areas apart` });
  }

  #project(folder: string): string {
    const project = join(this.root, this.projects, folder);
    const stats = lstatSync(project, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink() === true)
      throw new SandboxError({ setting: "scope", problem: "names a project that is a symbolic link" });
    return project;
  }

  #record(name: RecordName, project: string): string {
    const given = this.#records[name];
    if (typeof given !== "string" || given === "" || given.includes("\0"))
      throw new SandboxError({ setting: name, problem: "is no path" });
    return isAbsolute(given) ? resolve(given) : this.#inside(name, given, project);
  }

  #inside(setting: string, path: string, project: string): string {
    const place = join(project, path);
    const isSafe = isBelow(place, project) && isBelow(canonical(setting, place), canonical("scope", project));
    if (!isSafe) throw new SandboxError({ setting, problem: "is not strictly inside the project" });
    return place;
  }
}

/** A list of texts that nobody changes. */
function textsOf<Text extends string>(setting: string, texts: readonly Text[]): readonly Text[] {
  const given: unknown = texts;
  if (Array.isArray(given) && given.every((text) => typeof text === "string"))
    return Object.freeze([...texts]);
  throw new SandboxError({ setting, problem: "is no list of texts" });
}

const writing: readonly Operation[] = ["create", "delete"];

function escapedPath(path: string): string {
  return path
    .split("/")
    .filter((name) => name !== "")
    .map(escapePattern)
    .join("/");
}

function canonical(setting: string, path: string): string {
  try {
    return canonicalPath(path);
  } catch (cause) {
    const problem = "cannot be resolved; check the folders it leads through";
    throw new SandboxError({ setting, problem, cause });
  }
}
