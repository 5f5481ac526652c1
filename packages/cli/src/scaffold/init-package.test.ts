import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { initPackage, publishDirectory } from "./init-package.ts";

let cwd: string;

beforeEach(async () => {
  cwd = await realpath(await mkdtemp(join(tmpdir(), "roboz-scaffold-")));
});
afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));

describe("a new capability package", () => {
  it.each([
    { kind: "tool", path: "local/tools/simpsons_quotes" },
    { kind: "skill", path: "local/skills/simpsons_quotes_skill" },
  ] as const)("cli 35: has three files, complete and nothing else ($kind)", async ({ kind, path }) => {
    expect(await initPackage(kind, undefined, cwd)).toBe(join(cwd, path));
    expect((await readdir(join(cwd, path))).sort()).toEqual(["index.ts", "requirements.txt", "tool.ts"]);
    expect(await readFile(join(cwd, path, "requirements.txt"), "utf8")).toBe("");
    const tool = await readFile(join(cwd, path, "tool.ts"), "utf8");
    expect(tool).toContain(`name: "get_${basename(path)}"`);
    expect(tool.endsWith("\n") && !tool.includes("\r")).toBe(true);
  });

  it("cli 37: is named by the last part of its path, whatever stands before", async () => {
    const directory = await initPackage("skill", "my folder/Ünï code/my_guide/", cwd);
    expect(directory).toBe(join(cwd, "my folder/Ünï code/my_guide"));
    expect(await readFile(join(directory, "index.ts"), "utf8")).toContain('SkillLabel("my_guide"');
  });

  it("takes an absolute path", async () => {
    expect(await initPackage("tool", join(cwd, "deep/er/quotes"), tmpdir())).toBe(
      join(cwd, "deep/er/quotes"),
    );
  });

  it("may lie behind a link to a directory", async () => {
    await mkdir(join(cwd, "real"));
    await symlink("real", join(cwd, "alias"));
    await initPackage("tool", "alias/quotes", cwd);
    expect(await readdir(join(cwd, "real/quotes"))).toHaveLength(3);
  });
});

describe("a destination", () => {
  it.each([
    "bad-name",
    "class",
    "_private",
    "roboz",
    "MixedCase",
    "double__score",
    "trailing_",
    "1st",
    "größe",
    "await",
    "enum",
    "a b",
    "..",
  ])("cli 38, CL-05: is refused by its name, before its parents are made: %s", async (name) => {
    await expect(initPackage("tool", `parent/${name}`, cwd)).rejects.toMatchObject({ code: "cli/scaffold" });
    expect(await readdir(cwd)).toEqual([]);
  });

  it("cli 39, CL-05: is refused when anything is there, which is kept", async () => {
    await mkdir(join(cwd, "empty"));
    await writeFile(join(cwd, "file"), "mine");
    await symlink("nowhere", join(cwd, "dangling"));
    await symlink("empty", join(cwd, "link"));
    const faults = { empty: "exists", file: "exists", dangling: "link", link: "link" };
    for (const [path, fault] of Object.entries(faults)) {
      await expect(initPackage("tool", path, cwd)).rejects.toMatchObject({ fault, path: join(cwd, path) });
    }
    expect((await readdir(cwd)).sort()).toEqual(["dangling", "empty", "file", "link"]);
    expect(await readFile(join(cwd, "file"), "utf8")).toBe("mine");
    expect(await readdir(join(cwd, "empty"))).toEqual([]);
  });

  it("cli 40: is refused in the working directory when its name is imported already, and nowhere else", async () => {
    const dependencies = { quick_lib: "1.0.0" };
    const devDependencies = { test_lib: "1.0.0" };
    await writeFile(join(cwd, "package.json"), JSON.stringify({ dependencies, devDependencies }));
    for (const [name, other] of Object.entries({
      path: "Node's own",
      quick_lib: "package",
      test_lib: "package",
    })) {
      await expect(initPackage("tool", name, cwd)).rejects.toThrow(other);
      await expect(initPackage("tool", `./${name}`, cwd)).rejects.toMatchObject({ fault: "importable" });
      await initPackage("tool", `local/tools/${name}`, cwd);
    }
    expect((await readdir(cwd)).sort()).toEqual(["local", "package.json"]);
  });

  it("looks for the nearest project above, and takes a broken one for none", async () => {
    const inner = join(cwd, "inner");
    await mkdir(inner);
    await writeFile(join(cwd, "package.json"), JSON.stringify({ dependencies: { quick_lib: "1" } }));
    await expect(initPackage("tool", "quick_lib", inner)).rejects.toMatchObject({ fault: "importable" });
    await writeFile(join(inner, "package.json"), '{"dependencies": ["quick_lib"');
    await initPackage("tool", "quick_lib", inner);
  });

  it.each(["quotes.ts", "quotes.mts", "quotes.js", "quotes.d.ts", "quotes.json"])(
    "cli 41: is refused when %s stands beside it in the working directory",
    async (file) => {
      await writeFile(join(cwd, file), "");
      await expect(initPackage("skill", "quotes", cwd)).rejects.toThrow(`the module \`${file}\` beside it`);
      expect(await readdir(cwd)).toEqual([file]);
      await initPackage("skill", "other", cwd);
    },
  );

  it("cli 42: is refused inside the installed package, also through a link", async () => {
    await symlink(packageFolder, join(cwd, "alias"));
    for (const path of [
      join(packageFolder, "src/my_tool"),
      "alias/my_tool",
      join(packageFolder, "Bad-Name"),
    ]) {
      await expect(initPackage("tool", path, cwd)).rejects.toMatchObject({ fault: "inside-package" });
    }
  });

  it("is refused when its parent is a file", async () => {
    await writeFile(join(cwd, "file"), "mine");
    await expect(initPackage("tool", "file/quotes", cwd)).rejects.toMatchObject({ fault: "unwritable" });
    expect(await readFile(join(cwd, "file"), "utf8")).toBe("mine");
  });

  it("is checked in order: link, installed package, name, existence, import", async () => {
    await symlink(packageFolder, join(cwd, "Bad"));
    await expect(initPackage("tool", "Bad", cwd)).rejects.toMatchObject({ fault: "link" });
    await expect(initPackage("tool", packageFolder, cwd)).rejects.toMatchObject({ fault: "inside-package" });
    await mkdir(join(cwd, "Not-Good"));
    await expect(initPackage("tool", "Not-Good", cwd)).rejects.toMatchObject({ fault: "name" });
    await mkdir(join(cwd, "class"));
    await expect(initPackage("tool", "class", cwd)).rejects.toMatchObject({ fault: "reserved-name" });
    await mkdir(join(cwd, "path"));
    await expect(initPackage("tool", "path", cwd)).rejects.toMatchObject({ fault: "exists" });
  });
});

describe("writing a package", () => {
  it("takes back what it made when a file cannot be written, and leaves the parents", async () => {
    const files = [
      { name: "tool.ts", text: "one" },
      { name: "missing/index.ts", text: "two" },
    ];
    const directory = join(cwd, "local/tools/quotes");
    await expect(publishDirectory(directory, files)).rejects.toMatchObject({ fault: "unwritable" });
    expect(await readdir(join(cwd, "local/tools"))).toEqual([]);
  });

  it("keeps a file that somebody else put there meanwhile", async () => {
    const directory = join(cwd, "quotes");
    const files = [
      { name: "tool.ts", text: "one" },
      { name: "tool.ts", text: "the same again" },
    ];
    await expect(publishDirectory(directory, files)).rejects.toMatchObject({ fault: "unwritable" });
    await mkdir(directory);
    await writeFile(join(directory, "mine.ts"), "mine");
    await expect(publishDirectory(directory, files)).rejects.toMatchObject({ fault: "exists" });
    expect(await readdir(directory)).toEqual(["mine.ts"]);
  });
});
