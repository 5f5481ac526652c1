import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageFolders, readManifest, root } from "./workspace.mjs";

const listing = existsSync(join(root, ".git"))
  ? spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
    })
  : undefined;
const files = (listing?.stdout ?? "")
  .split("\n")
  .filter((file) => file !== "" && existsSync(join(root, file)) && lstatSync(join(root, file)).isFile());

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

// Put together here, so that this file does not hold what it looks for.
const paths = [
  "work/main",
  "work/wt",
  "work/shared",
  "work/steering",
  "work/.library",
  "root",
  "tmp/bash_jobs",
];
const hosts = [
  ["registry", "npmjs"],
  ["registry", "yarnpkg"],
  ["deb", "debian", "org"],
];
const unwanted = [...paths.map((path) => `/${path}/`), ...hosts.map((labels) => labels.join("."))];

const vague = new Set(["utils", "util", "helpers", "helper", "common", "misc", "types", "manager"]);

// A copy that is no checkout has no list of its files.
describe.skipIf(listing?.status !== 0)("the committed files", () => {
  it("hold no path of a machine and no host of a registry", () => {
    const found = files.flatMap((file) => {
      const content = read(file);
      return unwanted.filter((text) => content.includes(text)).map((text) => `${file}: ${text}`);
    });
    expect(found).toEqual([]);
  });

  it("have at most 400 lines where they are code", () => {
    const code = files.filter((file) => /\.(ts|tsx|js|mjs|cjs)$/.test(file));
    expect(code.length).toBeGreaterThan(0);
    expect(code.filter((file) => read(file).trimEnd().split("\n").length > 400)).toEqual([]);
  });

  it("are named after what they hold", () => {
    const named = (file: string): string[] => file.split("/").map((part) => part.replace(/\..*$/, ""));
    expect(files.filter((file) => named(file).some((part) => vague.has(part)))).toEqual([]);
  });
});

describe.each(packageFolders(join(root, "packages")).map((folder) => basename(folder)))(
  "packages/%s",
  (name) => {
    const folder = join(root, "packages", name);

    it("says what every package says", () => {
      expect(readManifest(folder)).toMatchObject({
        name: `@roboz/${name}`,
        license: "Apache-2.0",
        type: "module",
        sideEffects: false,
        engines: readManifest(root).engines,
        scripts: {
          test: `vitest run --root ../.. packages/${name}`,
          "check:package": "node ../../tools/check-package.mjs",
        },
      });
      expect(readManifest(folder).scripts?.["build"]).toMatch(
        /^tsc -b tsconfig\.build\.json(?: && node \.\.\/\.\.\/tools\/bundle\.mjs)?$/,
      );
      expect(readManifest(folder).description).toMatch(/\.$/);
    });

    it("has a README with a program as its first `ts` block, which the test of the packed packages runs", () => {
      const [, program] = /^```ts\n(.*?)^```$/ms.exec(read(`packages/${name}/README.md`)) ?? [];
      expect(program).toContain('from "@roboz/');
    });

    it("is part of the build and stands in the README", () => {
      expect(read("tsconfig.build.json")).toContain(`"packages/${name}/tsconfig.build.json"`);
      expect(read("README.md")).toContain(`\`@roboz/${name}\``);
    });
  },
);

const apps = packageFolders(join(root, "apps")).map((folder) => basename(folder));

it.skipIf(apps.length === 0).each(apps)("apps/%s is private, described, and stands in the README", (name) => {
  const manifest = readManifest(join(root, "apps", name));
  expect(manifest).toMatchObject({ private: true, license: "Apache-2.0" });
  expect(manifest.description).toMatch(/\.$/);
  expect(existsSync(join(root, "apps", name, "README.md"))).toBe(true);
  expect(read("README.md")).toContain(`npm start -- ${name}`);
});
