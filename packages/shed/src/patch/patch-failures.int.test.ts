import { spawn } from "node:child_process";
import type * as Crypto from "node:crypto";
import type { UUID } from "node:crypto";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { asNobody, mountMemory, unmount, withCall } from "../commands/__fixtures__/faults.ts";
import { Playground } from "../commands/__fixtures__/playground.ts";
import { FileAccess } from "../files/access.ts";
import { systemError } from "../files/system-error.ts";
import { preparePatch } from "./patch.ts";
import type { PatchOutcome } from "./patch.ts";

const chosen: { id?: UUID | undefined } = vi.hoisted(() => ({}));
vi.mock("node:crypto", async (original) => {
  const crypto = await original<typeof Crypto>();
  return { ...crypto, randomUUID: () => chosen.id ?? crypto.randomUUID() };
});

let play: Playground;

beforeEach(() => {
  play = new Playground();
  play.write({ "notes/f": "old\n" });
});

afterEach(() => {
  chosen.id = undefined;
  play.remove();
});

async function patch(path: string, newText: string, oldText = ""): Promise<PatchOutcome> {
  const access = new FileAccess({ base: play.base });
  try {
    const literal = (given: string) => Promise.resolve(access.lookUp(given));
    const request = { path, oldText, newText, replacesAll: false };
    const prepared = await preparePatch(request, { access, literal });
    return await prepared.run(new AbortController().signal);
  } finally {
    access.close();
  }
}

describe("a patch that fails", () => {
  it("leaves the old file, and nothing else, when the disk is full (IO-02)", async () => {
    const full = () => {
      throw systemError("ENOSPC");
    };
    const outcome = await withCall("writeSync", full, () => patch("notes/f", "new\n"));
    expect(outcome).toMatchObject({ isDone: false });
    expect(outcome.text).toContain("No space left on device");
    expect(play.read("notes/f")).toBe("old\n");
    expect(readdirSync(play.path("notes"))).toEqual(["f"]);
  });

  it.each([
    { why: "a name that is too long", name: "n".repeat(256), call: undefined },
    { why: "a full disk", name: "n", call: "writeSync" as const },
  ])("takes back the folders that it made for a new file: $why", async ({ name, call }) => {
    const fail = () => {
      throw systemError("ENOSPC");
    };
    const act = () => patch(`notes/new/deep/deeper/${name}`, "new\n");
    const outcome = await (call === undefined ? act() : withCall(call, fail, act));
    expect(outcome).toMatchObject({ isDone: false });
    expect(readdirSync(play.path("notes"))).toEqual(["f"]);
  });

  it("keeps a folder that it made when something stands in it by now", async () => {
    const fail = () => {
      play.write({ "notes/new/theirs": "t" });
      throw systemError("ENOSPC");
    };
    const outcome = await withCall("writeSync", fail, () => patch("notes/new/deep/n", "new\n"));
    expect(outcome).toMatchObject({ isDone: false });
    expect(readdirSync(play.path("notes/new"))).toEqual(["theirs"]);
  });

  it("leaves the old file on a disk that is really full (IO-02)", async (context) => {
    const disk = play.path("notes/disk");
    mkdirSync(disk);
    if (!mountMemory(disk, "size=64k")) return context.skip("this machine lets no test mount a disk");
    try {
      play.write({ "notes/disk/f": "old\n" });
      const outcome = await patch("notes/disk/f", "new\n".repeat(100_000));
      expect(outcome.text).toContain("No space left on device");
      expect(play.read("notes/disk/f")).toBe("old\n");
      expect(readdirSync(disk)).toEqual(["f"]);
    } finally {
      unmount(disk);
    }
  });

  it.each(["the secret", "nothing"])(
    "follows no link to %s that stands under the name of its unfinished file (PA-15)",
    async (what) => {
      chosen.id = "00000000-0000-4000-8000-000000000000";
      const target = join(play.out, what === "nothing" ? "created" : "secret.txt");
      const name = `.roboz-unfinished-${chosen.id}`;
      symlinkSync(target, play.path(`notes/${name}`));
      for (const path of ["notes/f", "notes/new"]) {
        const outcome = await patch(path, "MINE");
        expect(outcome).toMatchObject({ isDone: false });
        expect(outcome.text).toContain("File exists");
      }
      expect(play.read("notes/f")).toBe("old\n");
      expect(play.secret()).toBe("OUTSIDE");
      expect(readdirSync(play.out)).toEqual(["secret.txt"]);
      expect(readdirSync(play.path("notes")).sort()).toEqual([name, "f"]);
    },
  );

  it("does not replace a read-only file in a folder that can be written (PA-16, IO-06)", async () => {
    for (const folder of [play.top, play.base, play.path("notes")]) chmodSync(folder, 0o777);
    chmodSync(play.path("notes/f"), 0o444);
    if (process.geteuid?.() === 0) chownSync(play.path("notes/f"), 65534, 65534);
    const { ino } = statSync(play.path("notes/f"));
    const outcome = await asNobody(() => patch("notes/f", "new\n", "old\n"));
    expect(outcome).toMatchObject({ isDone: false });
    expect(outcome.text).toContain("Permission denied");
    expect(play.read("notes/f")).toBe("old\n");
    expect(statSync(play.path("notes/f")).ino).toBe(ino);
    expect(readdirSync(play.path("notes"))).toEqual(["f"]);
  });
});

const kills = process.env["ROBOZ_LONG"] === "1" ? 500 : 8;

it(
  `leaves the old or the new file after a kill at any moment, ${kills} times (IO-02)`,
  { timeout: 1_800_000 },
  async () => {
    const program = fileURLToPath(new URL("__fixtures__/patch-until-killed.ts", import.meta.url));
    let done = 0;
    for (let kill = 0; kill < kills; kill++) {
      const child = spawn(
        process.execPath,
        ["--conditions=@roboz/source", "--import", "tsx", program, play.path("notes"), "a", "b", "c"],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      const patches = 1 + Math.floor(Math.random() * 30);
      let told = 0;
      child.stdout.on("data", (chunk: Buffer) => {
        told += chunk.length;
        // Somewhere within the next patch.
        if (told >= patches) setTimeout(() => child.kill("SIGKILL"), Math.random() * 3);
      });
      await once(child, "close");
      done += told;
      expect(play.read("notes/f")).toMatch(/^(?:old\n|a{100000}|b{100000}|c{100000})$/);
      for (const name of readdirSync(play.path("notes")).filter((each) => each !== "f")) {
        expect(name).toMatch(/^\.roboz-unfinished-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
        const left = play.path(`notes/${name}`);
        // Whole, it may already have the mode of the file whose place it was about to take.
        if (!/^(.)\1{99999}$/.test(readFileSync(left, "utf8")))
          expect(statSync(left).mode & 0o777).toBe(0o600);
        rmSync(left);
      }
      expect(existsSync(play.path("notes/f"))).toBe(true);
    }
    expect(done).toBeGreaterThan(kills);
  },
);
