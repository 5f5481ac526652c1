import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { bundledInventory } from "./bundled-inventory.ts";
import { generatedFileMarker, generateModule } from "./generate-module.ts";
import { generateInventory, initInventory, readInventory } from "./inventory-files.ts";
import { encodeInventory } from "./inventory.ts";

const bundledJson = encodeInventory(bundledInventory);
const bundledModule = generateModule(bundledInventory);

let directory: string;
beforeEach(async () => {
  directory = await fs.realpath(await fs.mkdtemp(join(tmpdir(), "roboz-catalogue-")));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await fs.rm(directory, { recursive: true });
});

async function write(name: string, text: string): Promise<string> {
  const file = join(directory, name);
  await fs.mkdir(dirname(file), { recursive: true });
  await fs.writeFile(file, text);
  return file;
}

const read = (name: string) => fs.readFile(join(directory, name), "utf8");

/** Every entry below the directory, so that a stray temporary file shows. */
const entries = async () => (await fs.readdir(directory, { recursive: true })).sort();

const refusal = (fault: string): unknown =>
  expect.objectContaining({ code: "endpoints/catalogue-file", fault });

describe("initInventory", () => {
  it("cli 5: writes the bundled examples into model_catalogue", async () => {
    await expect(initInventory({ directory })).resolves.toBe(
      join(directory, "model_catalogue", "models.json"),
    );
    expect(await entries()).toEqual(["model_catalogue", join("model_catalogue", "models.json")]);
    expect(await read("model_catalogue/models.json")).toBe(bundledJson);
  });

  it.each([
    { why: "cli 10: hand-written text", text: "anything" },
    { why: "cli 11: the examples themselves", text: bundledJson },
  ])("keeps an existing file with $why", async ({ text }) => {
    await write("model_catalogue/models.json", text);
    await expect(initInventory({ directory })).rejects.toEqual(refusal("exists"));
    expect(await read("model_catalogue/models.json")).toBe(text);
    expect(await entries()).toHaveLength(2);
  });

  it("cli 12: refuses a catalogue directory that is a link", async () => {
    await fs.mkdir(join(directory, "elsewhere"));
    await fs.symlink("elsewhere", join(directory, "model_catalogue"));
    await expect(initInventory({ directory })).rejects.toEqual(refusal("link"));
    expect(await entries()).toEqual(["elsewhere", "model_catalogue"]);
  });

  it("refuses a link as the file, also one that leads nowhere", async () => {
    await fs.symlink("nowhere", join(directory, "models.json"));
    await expect(initInventory({ directory, path: "models.json" })).rejects.toEqual(refusal("link"));
    expect(await entries()).toEqual(["models.json"]);
  });

  it("refuses a directory as the file", async () => {
    await fs.mkdir(join(directory, "models.json"));
    await expect(initInventory({ directory, path: "models.json" })).rejects.toEqual(refusal("not-a-file"));
  });

  it("creates no directory for a given path", async () => {
    await expect(initInventory({ directory, path: "new/models.json" })).rejects.toEqual(
      refusal("unwritable"),
    );
    await write("file", "");
    await expect(initInventory({ directory, path: "file/models.json" })).rejects.toEqual(
      refusal("unwritable"),
    );
    expect(await entries()).toEqual(["file"]);
  });

  it("writes a given path into an existing directory", async () => {
    await expect(initInventory({ directory, path: "other.json" })).resolves.toBe(
      join(directory, "other.json"),
    );
    expect(await entries()).toEqual(["other.json"]);
  });

  it("refuses a path inside the installed package", async () => {
    const path = fileURLToPath(new URL("new-models.json", import.meta.url));
    await expect(initInventory({ directory, path })).rejects.toEqual(refusal("inside-package"));
  });

  it("refuses a path that leads into the installed package through a link", async () => {
    await fs.symlink(fileURLToPath(new URL(".", import.meta.url)), join(directory, "way"));
    await expect(initInventory({ directory, path: "way/x.json" })).rejects.toEqual(refusal("inside-package"));
  });

  it("keeps a file that appears while it writes", async () => {
    const file = join(directory, "model_catalogue", "models.json");
    const link = fs.link.bind(fs);
    vi.spyOn(fs, "link").mockImplementation(async (from, to) => {
      await fs.writeFile(file, "first");
      await link(from, to);
    });
    await expect(initInventory({ directory })).rejects.toEqual(refusal("exists"));
    expect(await entries()).toEqual(["model_catalogue", join("model_catalogue", "models.json")]);
    expect(await read("model_catalogue/models.json")).toBe("first");
  });

  it("writes where the file system has no hard links", async () => {
    vi.spyOn(fs, "link").mockRejectedValue(Object.assign(new Error("no links"), { code: "EPERM" }));
    await initInventory({ directory });
    expect(await read("model_catalogue/models.json")).toBe(bundledJson);
    expect(await entries()).toHaveLength(2);
  });

  it("leaves nothing behind when the disk is full", async () => {
    vi.spyOn(fs, "link").mockRejectedValue(new Error("disk"));
    vi.spyOn(fs, "copyFile").mockRejectedValue(new Error("disk"));
    await expect(initInventory({ directory })).rejects.toEqual(refusal("unwritable"));
    expect(await entries()).toEqual([]);
  });
});

describe("the default place", () => {
  it.each([
    { why: "cli 6: src/my_app", name: "my-app", files: ["src/my_app/index.ts"], place: "src/my_app" },
    {
      why: "cli 7: src/my_app before src and my_app",
      name: "my-app",
      files: ["my_app/index.ts", "src/index.ts", "src/my_app/index.ts"],
      place: "src/my_app",
    },
    { why: "src before my_app", name: "my-app", files: ["my_app/index.ts", "src/index.ts"], place: "src" },
    { why: "my_app", name: "my-app", files: ["my_app/index.ts", "src/main.ts"], place: "my_app" },
    {
      why: "the name without its scope",
      name: "@team/My.-_app",
      files: ["src/My_app/index.ts"],
      place: "src/My_app",
    },
    { why: "cli 9: the project when the name is no text", name: 5, files: ["src/index.ts"], place: "" },
    { why: "the project when there is no name", name: undefined, files: ["src/index.ts"], place: "" },
    {
      why: "the project when the name leads elsewhere",
      name: "a/../../b",
      files: ["src/index.ts"],
      place: "",
    },
    { why: "the project when nothing else is there", name: "my-app", files: ["src/main.ts"], place: "" },
    { why: "the project when index.ts is a directory", name: "my-app", files: ["src/index.ts/x"], place: "" },
  ])("is $why", async ({ name, files, place }) => {
    await write("package.json", JSON.stringify({ name }));
    for (const file of files) await write(file, "");
    await expect(initInventory({ directory })).resolves.toBe(
      join(directory, place, "model_catalogue", "models.json"),
    );
  });

  it.each([
    { why: "cli 8: is malformed", manifest: "{" },
    { why: "is a list", manifest: "[]" },
    { why: "is null", manifest: "null" },
    { why: "is missing", manifest: undefined },
  ])("is the project when package.json $why", async ({ manifest }) => {
    if (manifest !== undefined) await write("package.json", manifest);
    await write("src/index.ts", "");
    await expect(initInventory({ directory })).resolves.toBe(
      join(directory, "model_catalogue", "models.json"),
    );
  });
});

describe("generateInventory", () => {
  it("cli 6: writes the module beside the default JSON", async () => {
    await write("package.json", '{"name": "my-app"}');
    await write("src/my_app/index.ts", "");
    const path = await initInventory({ directory });
    const output = join(directory, "src", "my_app", "model_catalogue", "providers.ts");
    await expect(generateInventory({ directory })).resolves.toEqual({
      path,
      output,
      isReplaced: false,
      inventory: bundledInventory,
    });
    expect(await fs.readFile(output, "utf8")).toBe(bundledModule);
  });

  it("cli 14: writes identical bytes again", async () => {
    await initInventory({ directory });
    await generateInventory({ directory });
    await expect(generateInventory({ directory })).resolves.toMatchObject({ isReplaced: true });
    expect(await read("model_catalogue/providers.ts")).toBe(bundledModule);
    expect(await entries()).toHaveLength(3);
  });

  it("endpoints 39: drops what the JSON no longer has", async () => {
    await initInventory({ directory });
    await generateInventory({ directory });
    const { groq } = bundledInventory.providers;
    await write("model_catalogue/models.json", encodeInventory({ providers: { groq } }));
    await generateInventory({ directory });
    expect(await read("model_catalogue/providers.ts")).toBe(generateModule({ providers: { groq } }));
  });

  it.each([
    { why: "cli 15, CL-07: a module written by hand", text: "export const groq = 1;\n" },
    { why: "cli 16: a module of an older command", text: "// Generated by roboz.endpoints; DO NOT EDIT.\n" },
    { why: "an empty file", text: "" },
    { why: "a file that is not UTF-8", text: "\u0000\ufffd" },
  ])("keeps $why", async ({ text }) => {
    await initInventory({ directory });
    await write("model_catalogue/providers.ts", text);
    await expect(generateInventory({ directory })).rejects.toEqual(refusal("not-generated"));
    expect(await read("model_catalogue/providers.ts")).toBe(text);
  });

  it("cli 16: writes once the old module is deleted", async () => {
    await initInventory({ directory });
    const old = await write("model_catalogue/providers.ts", "# Generated by an older command\n");
    await fs.rm(old);
    await generateInventory({ directory });
    expect(await read("model_catalogue/providers.ts")).toBe(bundledModule);
  });

  it("cli 17: names file and field of wrong JSON, and keeps the old module", async () => {
    await initInventory({ directory });
    await generateInventory({ directory });
    const path = await write("model_catalogue/models.json", bundledJson.replace("131072,", "0,"));
    const field = "providers.cerebras.models.gpt_oss_120b.max_context_tokens";
    await expect(generateInventory({ directory })).rejects.toMatchObject({
      file: path,
      path: field,
      line: 33,
    });
    expect(await read("model_catalogue/providers.ts")).toBe(bundledModule);
    expect(await entries()).toHaveLength(3);
  });

  it("cli 18: does not repeat a base URL with a password", async () => {
    const path = await write("m.json", bundledJson.replace("api.groq.com", "user:hunter2@api.groq.com"));
    await expect(generateInventory({ path })).rejects.toThrow(/^(?!.*hunter2).*`providers\.groq\.base_url`/);
  });

  it("cli 19: keeps the old module when the step that replaces it fails", async () => {
    await initInventory({ directory });
    const old = `${generatedFileMarker}\nexport {};\n`;
    await write("model_catalogue/providers.ts", old);
    vi.spyOn(fs, "rename").mockRejectedValue(new Error("disk"));
    await expect(generateInventory({ directory })).rejects.toEqual(refusal("unwritable"));
    expect(await read("model_catalogue/providers.ts")).toBe(old);
    expect(await entries()).toHaveLength(3);
  });

  it("cli 20: keeps a module that another process creates just before", async () => {
    await initInventory({ directory });
    const output = join(directory, "model_catalogue", "providers.ts");
    const link = fs.link.bind(fs);
    vi.spyOn(fs, "link").mockImplementation(async (from, to) => {
      await fs.writeFile(output, "theirs");
      await link(from, to);
    });
    await expect(generateInventory({ directory })).rejects.toEqual(refusal("exists"));
    expect(await fs.readFile(output, "utf8")).toBe("theirs");
    expect(await entries()).toHaveLength(3);
  });

  it("keeps a module that is written by hand just before it would be replaced", async () => {
    await initInventory({ directory });
    const output = await write("model_catalogue/providers.ts", `${generatedFileMarker}\n`);
    const chmod = fs.chmod.bind(fs);
    vi.spyOn(fs, "chmod").mockImplementation(async (file, mode) => {
      await fs.writeFile(output, "theirs");
      await chmod(file, mode);
    });
    await expect(generateInventory({ directory })).rejects.toEqual(refusal("not-generated"));
    expect(await fs.readFile(output, "utf8")).toBe("theirs");
    expect(await entries()).toHaveLength(3);
  });

  it.each([
    { why: "cli 21: the JSON itself", path: "models.ts", output: "models.ts", fault: "same-file" },
    { why: "cli 22: a JSON name", path: "models.json", output: "models.json", fault: "output-name" },
    { why: "cli 22: another extension", path: "models.json", output: "providers.js", fault: "output-name" },
    { why: "a declaration file", path: "models.json", output: "providers.d.ts", fault: "output-name" },
    { why: "no extension", path: "models.json", output: "providers", fault: "output-name" },
    { why: "no name", path: "models.json", output: ".ts", fault: "output-name" },
    { why: "cli 23: a name with a dash", path: "models.json", output: "bad-name.ts", fault: "output-name" },
    { why: "cli 23: the name roboz", path: "models.json", output: "roboz.ts", fault: "output-name" },
    { why: "a keyword", path: "models.json", output: "class.ts", fault: "output-name" },
  ])("refuses $why as the module, before it reads the JSON", async ({ path, output, fault }) => {
    await write(path, "no JSON");
    await expect(generateInventory({ directory, path, output })).rejects.toEqual(refusal(fault));
    expect(await entries()).toEqual([path]);
  });

  it("refuses another name of the JSON file as the module", async () => {
    const path = await write("models.json", `${generatedFileMarker}\n`);
    await fs.link(path, join(directory, "providers.ts"));
    await expect(generateInventory({ path })).rejects.toEqual(refusal("same-file"));
  });

  it("refuses a link as the module", async () => {
    const path = await write("models.json", bundledJson);
    await write("target.ts", `${generatedFileMarker}\n`);
    await fs.symlink("target.ts", join(directory, "providers.ts"));
    await expect(generateInventory({ path })).rejects.toEqual(refusal("link"));
  });

  it("cli 24: names the JSON that is missing", async () => {
    const file = join(directory, "model_catalogue", "models.json");
    await expect(generateInventory({ directory })).rejects.toEqual(refusal("missing"));
    await expect(generateInventory({ directory })).rejects.toMatchObject({ file });
  });

  it("writes a chosen module, and creates no directory for it", async () => {
    const path = await write("models.json", bundledJson);
    const { output } = await generateInventory({ directory, path, output: "typed_models.ts" });
    expect(output).toBe(join(directory, "typed_models.ts"));
    await expect(generateInventory({ directory, path, output: "new/providers.ts" })).rejects.toEqual(
      refusal("unwritable"),
    );
    expect(await entries()).toEqual(["models.json", "typed_models.ts"]);
  });

  it("keeps the permissions of the module it replaces", async () => {
    const path = await write("models.json", bundledJson);
    const old = await write("providers.ts", `${generatedFileMarker}\n`);
    await fs.chmod(old, 0o640);
    await generateInventory({ path });
    expect((await fs.stat(old)).mode & 0o777).toBe(0o640);
  });
});

describe("readInventory", () => {
  it("reads a file that initInventory wrote", async () => {
    await expect(readInventory(await initInventory({ directory }))).resolves.toEqual(bundledInventory);
  });

  it("refuses a directory", async () => {
    await expect(readInventory(directory)).rejects.toEqual(refusal("not-a-file"));
  });

  it("starts errors with the name it was given", async () => {
    const file = await write("models.json", "{");
    await expect(readInventory(file)).rejects.toMatchObject({ code: "endpoints/catalogue-syntax", file });
  });
});
