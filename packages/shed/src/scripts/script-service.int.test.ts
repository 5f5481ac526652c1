import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eventually, processesWith } from "./__fixtures__/eventually.ts";
import { ServiceFolder } from "./__fixtures__/service-folder.ts";
import { checkScriptService } from "./script-socket.ts";
import { scriptTool } from "./script-tool.ts";

let place: ServiceFolder;
beforeEach(() => {
  place = new ServiceFolder();
});
afterEach(async () => {
  await place.close();
});

describe.skipIf(process.platform !== "linux")("a script service", () => {
  it("does for its clients what scripts of this machine do", async () => {
    place.folder.write("a.sh", "# Says hello.", 'echo hello; echo "$FOO in $PWD"; exit 3');
    place.folder.write("big.sh", "head -c 70000 /dev/zero | tr '\\0' '\\001'");
    place.folder.write("slow.sh", "sleep 60");
    await place.serve({
      allowEnv: ["FOO"],
      environment: { FOO: "foo" },
      timeoutMs: 1000,
      maxOutputBytes: 69_999,
    });
    const tool = scriptTool({ socketPath: place.socketPath });
    expect(await tool.invoke({})).toMatchObject({
      status: "listed",
      scripts: [
        { script: "a.sh", description: "Says hello." },
        { script: "big.sh", description: "" },
        { script: "slow.sh", description: "" },
      ],
    });
    const heard: unknown[] = [];
    const report = await tool.invoke({ script: "a.sh" }, { emit: (event) => heard.push(event) });
    expect(report).toMatchObject({
      status: "failed",
      exit_code: 3,
      output: `hello\nfoo in ${place.folder.root}\n`,
    });
    expect(heard.length).toBeGreaterThan(0);
    const big = await tool.invoke({ script: "big.sh" });
    expect(big).toMatchObject({ status: "output_limit", exit_code: null });
    expect(big.output).toBe("\u0001".repeat(69_999));
    expect(await tool.invoke({ script: "slow.sh" })).toMatchObject({ status: "timeout", output: "" });
    expect(await tool.invoke({ script: "../a.sh" })).toMatchObject({ status: "refused" });
  });

  it("makes a socket that only its user reaches, and takes it away at its end", async () => {
    const server = await place.serve();
    expect(lstatSync(place.run).mode & 0o7777).toBe(0o700);
    expect(lstatSync(place.socketPath).mode & 0o7777).toBe(0o600);
    expect(readdirSync(place.run)).toEqual(["socket"]);
    await checkScriptService(place.socketPath);
    await server.close();
    await server.close();
    expect(readdirSync(place.run)).toEqual([]);
    expect(await place.call("a.sh")).toMatchObject({
      status: "failed",
      exit_code: null,
      output: "The script service cannot be used: there is no socket. Nothing was run.",
    });
  });

  it.each([
    { why: "shed 133: a stale socket", make: () => place.leaveStale() },
    {
      why: "a file",
      make: () => writeFile(place.socketPath, "mine"),
    },
    {
      why: "a folder",
      make: () => mkdir(place.socketPath),
    },
    {
      why: "a link to nothing",
      make: () => symlink("nowhere", place.socketPath),
    },
  ])("refuses a path at which there is $why, and leaves it", async ({ make }) => {
    mkdirSync(place.run, { mode: 0o700 });
    await make();
    const before = lstatSync(place.socketPath);
    await expect(place.serve()).rejects.toMatchObject({ code: "shed/script-service", fault: "exists" });
    expect(lstatSync(place.socketPath)).toMatchObject({ ino: before.ino, size: before.size });
    expect(readdirSync(place.run)).toEqual(["socket"]);
  });

  it.each([
    {
      why: "open to others",
      make: (run: string) => {
        mkdirSync(run);
        chmodSync(run, 0o755);
      },
    },
    {
      why: "a link",
      make: (run: string) => {
        mkdirSync(`${run}-real`, { mode: 0o700 });
        symlinkSync("run-real", run);
      },
    },
    {
      why: "a file",
      make: (run: string) => {
        writeFileSync(run, "");
      },
    },
    {
      why: "closed to its own user",
      make: (run: string) => {
        mkdirSync(run);
        chmodSync(run, 0o500);
      },
    },
  ])("refuses a directory for its socket that is $why", async ({ make }) => {
    make(place.run);
    await expect(place.serve()).rejects.toMatchObject({ fault: "directory" });
  });

  it("refuses a directory that would have to be made below one that is not there, and a working directory that is none", async () => {
    const below = place.serve({ socketPath: join(place.folder.root, "a/b/socket") });
    await expect(below).rejects.toMatchObject({ fault: "directory" });
    await expect(below).rejects.toThrow(`\`${join(place.folder.root, "a")}\` does not exist`);
    await expect(place.serve({ cwd: join(place.folder.root, "none") })).rejects.toMatchObject({
      fault: "cwd",
    });
    await expect(
      place.serve({ socketPath: join(place.folder.root, "run", "x".repeat(300)) }),
    ).rejects.toMatchObject({
      fault: "socket",
    });
    expect(existsSync(place.socketPath)).toBe(false);
  });

  it.each([
    { setting: "socketPath", given: "" },
    { setting: "socketPath", given: "a\0b" },
    { setting: "socketPath", given: "/" },
    { setting: "socketPath", given: "run/" },
    { setting: "scriptsDir", given: "" },
    { setting: "cwd", given: "a\0b" },
    { setting: "timeoutMs", given: 0 },
    { setting: "allowEnv", given: ["PATH"] },
  ])("refuses $given as $setting, and makes nothing", async ({ setting, given }) => {
    await expect(place.serve({ [setting]: given })).rejects.toMatchObject({
      code: "shed/script-settings",
      setting,
    });
    expect(existsSync(place.run)).toBe(false);
  });

  it.each([
    { why: "longer than the system takes", name: "x".repeat(200) },
    { why: "full of odd characters", name: "a b\n'é😀;$(x)" },
  ])("may have a socket whose name is $why", async ({ name }) => {
    place.socketPath = join(place.folder.root, "y".repeat(60), name);
    place.folder.write("a.sh", "echo hello");
    await place.serve();
    await checkScriptService(place.socketPath);
    expect(await place.call("a.sh")).toMatchObject({ status: "success" });
  });

  it("leaves a socket alone that took the place of its own", async () => {
    const server = await place.serve();
    renameSync(place.socketPath, `${place.socketPath}-old`);
    writeFileSync(place.socketPath, "mine");
    await server.close();
    expect(readFileSync(place.socketPath, "utf8")).toBe("mine");
  });

  it("ends what runs when it ends", async () => {
    place.folder.write("a.sh", "echo begun; setsid sleep 600 & sleep 600");
    const server = await place.serve();
    let isBegun = false;
    const call = scriptTool({ socketPath: place.socketPath }).invoke(
      { script: "a.sh" },
      { emit: () => (isBegun = true) },
    );
    await eventually("it runs", () => isBegun);
    await server.close();
    expect(processesWith(place.folder.scriptsDir)).toEqual([]);
    const report = await call;
    expect(report).toMatchObject({ status: "failed", exit_code: null });
    expect(report.output).toMatch(/^begun\n.*connection to the script service was lost.*is unknown/s);
  });

  it("is one for all its clients: a second script is busy", async () => {
    place.folder.write("a.sh", "echo begun; until [ -e go ]; do sleep 0.02; done");
    await place.serve();
    let isBegun = false;
    const first = scriptTool({ socketPath: place.socketPath }).invoke(
      { script: "a.sh" },
      { emit: () => (isBegun = true) },
    );
    await eventually("it runs", () => isBegun);
    expect(await place.call("a.sh")).toMatchObject({ status: "busy" });
    expect(await place.call()).toMatchObject({ status: "listed" });
    writeFileSync(join(place.folder.root, "go"), "");
    expect(await first).toMatchObject({ status: "success" });
  });
});
