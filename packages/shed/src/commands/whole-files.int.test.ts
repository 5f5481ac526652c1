import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemError } from "../files/system-error.ts";
import { asNobody, withCall } from "./__fixtures__/faults.ts";
import { Playground } from "./__fixtures__/playground.ts";

let play: Playground;

beforeEach(() => {
  play = new Playground();
  play.write({ "notes/a": "one\n", "notes/big": "a line of text\n".repeat(50_000) });
});

afterEach(() => {
  play.remove();
});

describe.runIf(process.platform === "linux")("a command that writes a file", () => {
  const writers = ["cp notes/big notes/target", "cp -f notes/big notes/target", "tee notes/target"];

  it.each(
    writers.flatMap((line) => [
      { line, old: undefined },
      { line, old: "old\n" },
    ]),
  )("has the old content in place until the new one is whole: $line over $old", async ({ line, old }) => {
    if (old !== undefined) play.write({ "notes/target": old });
    const target = play.path("notes/target");
    const seen = new Set<string | undefined>();
    const look = (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) => {
      seen.add(existsSync(target) ? readFileSync(target, "utf8") : undefined);
      return original(...given);
    };
    const big = readFileSync(play.path("notes/big"));
    const { status } = await withCall("writeSync", look, () => play.run(line, big));
    expect(status).toBe(0);
    expect([...seen]).toEqual([old]);
    expect(readFileSync(target).equals(big)).toBe(true);
    expect(readdirSync(play.path("notes")).sort()).toEqual(["a", "big", "target"]);
  });

  it.each(
    writers.flatMap((line) =>
      [undefined, "old\n"].flatMap((old) => [
        { why: "the disk is full", line, old, fails: () => systemError("ENOSPC"), ends: { status: 1 } },
        {
          why: "the run is given up",
          line,
          old,
          fails: () => new DOMException("Given up", "AbortError"),
          ends: { name: "AbortError" },
        },
      ]),
    ),
  )(
    "leaves the old content and nothing else when $why: $line over $old",
    async ({ line, old, fails, ends }) => {
      if (old !== undefined) play.write({ "notes/target": old });
      let writes = 0;
      const failing = (original: (...given: readonly unknown[]) => unknown, given: readonly unknown[]) => {
        if (++writes > 1) throw fails();
        return original(...given);
      };
      const big = readFileSync(play.path("notes/big"));
      const end = await withCall("writeSync", failing, () => play.run(line, big)).catch(
        (error: unknown) => error,
      );
      expect(end).toMatchObject(ends);
      expect(writes).toBeGreaterThan(1);
      const names = old === undefined ? ["a", "big"] : ["a", "big", "target"];
      expect(readdirSync(play.path("notes")).sort()).toEqual(names);
      if (old !== undefined) expect(play.read("notes/target")).toBe(old);
    },
  );

  it.each(["cp notes/big notes/new", "tee notes/new"])(
    "makes a file where none can have a second name, and replaces none that came meanwhile: %s",
    async (line) => {
      const big = readFileSync(play.path("notes/big"));
      const refusing = () => {
        throw systemError("EPERM");
      };
      expect(await withCall("linkSync", refusing, () => play.run(line, big))).toMatchObject({ status: 0 });
      expect(readFileSync(play.path("notes/new")).equals(big)).toBe(true);
      rmSync(play.path("notes/new"));
      const late = () => {
        play.write({ "notes/new": "mine\n" });
        throw systemError("EPERM");
      };
      const { status, stderr } = await withCall("linkSync", late, () => play.run(line, big));
      expect(status).toBe(1);
      expect(stderr).toContain("Changed since it was checked");
      expect(play.read("notes/new")).toBe("mine\n");
      expect(readdirSync(play.path("notes")).sort()).toEqual(["a", "big", "new"]);
    },
  );

  it("takes the place of a file without the right to write where that is forced", async () => {
    for (const folder of [play.top, play.base, play.path("notes")]) chmodSync(folder, 0o777);
    chmodSync(play.path("notes/a"), 0o444);
    chmodSync(play.path("notes/big"), 0o644);
    expect(await asNobody(() => play.run("cp -f notes/big notes/a"))).toMatchObject({
      status: 0,
      stderr: "",
    });
    expect(play.read("notes/a")).toBe(play.read("notes/big"));
    expect(statSync(play.path("notes/a")).mode & 0o777).toBe(0o644);
    expect(readdirSync(play.path("notes")).sort()).toEqual(["a", "big"]);
  });
});
