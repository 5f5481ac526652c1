import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { isAlive, ownIdentity } from "./process-identity.ts";

describe("a process", () => {
  it("is alive while it runs, and not when it has ended", async () => {
    expect(isAlive(ownIdentity())).toBe(true);
    const child = spawn(process.execPath, ["--eval", "setInterval(() => {}, 1000)"]);
    const identity = { pid: child.pid ?? 0, startedAt: null, boot: null };
    expect(isAlive(identity)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isAlive(identity)).toBe(false);
  });

  it("is alive when it is somebody else's", () => {
    expect(isAlive({ pid: 1, startedAt: null, boot: null })).toBe(true);
  });

  it.runIf(process.platform === "linux")("is told from another one of its number", () => {
    const { pid, startedAt, boot } = ownIdentity();
    expect(startedAt).toMatch(/^\d+$/);
    expect(boot).toMatch(/^[\da-f-]{36}$/);
    expect(isAlive({ pid, startedAt: `${startedAt ?? ""}1`, boot })).toBe(false);
    expect(isAlive({ pid, startedAt, boot: "00000000-0000-0000-0000-000000000000" })).toBe(false);
    expect(isAlive({ pid, startedAt: null, boot: null })).toBe(true);
  });

  it.runIf(process.platform === "linux")("may have any name", () => {
    const program = `
      process.title = "a) 1 2 (b";
      import("./process-identity.ts").then(({ ownIdentity }) => console.log(JSON.stringify(ownIdentity())));`;
    const printed = execFileSync(process.execPath, ["--import", "tsx", "--eval", program], {
      cwd: import.meta.dirname,
      encoding: "utf8",
    });
    const identity = z
      .object({ pid: z.int(), startedAt: z.string().regex(/^\d+$/) })
      .parse(JSON.parse(printed));
    expect(isAlive({ ...identity, boot: null })).toBe(false);
  });
});
