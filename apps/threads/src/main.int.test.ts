import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";

import { describe, expect, it } from "vitest";

import { runApp } from "../../../tools/run-app.ts";

function foldersLeft(): readonly string[] {
  return readdirSync(tmpdir()).filter((name) => name.startsWith("roboz-office-"));
}

describe("npm start -- threads", () => {
  it("talks with tools of the client's, forks the thread and shows both, and leaves nothing behind", async () => {
    const before = foldersLeft();
    const { code, stdout, stderr } = await runApp("threads");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("  → confirm\n  ? Tick off all three? yes\n");
    expect(stdout).toContain("│ ALL DONE │");
    expect(stdout).not.toContain("✗");
    const [, thread = "", fork = ""] = stdout.split(/^the (?:thread|fork) has .*:$/m);
    expect(thread).toMatch(/ user +Thank you\.\n.* assistant +You are welcome\.\n/);
    expect(fork).toMatch(/ user +Say it as a poem\.\n.* assistant +Three things were open, \/ /);
    expect(fork).toContain("← execute_apply_patch_replace: success");
    expect(fork).not.toContain("You are welcome");
    expect(thread.split("  18  user")).toHaveLength(2);
    expect(fork.split("  18  user")[0]).toBe(thread.split("  18  user")[0]);
    expect(foldersLeft()).toEqual(before);
  });

  it("refuses an unknown option in one line, with exit code 2", async () => {
    const { code, stdout, stderr } = await runApp("threads", ["--fast"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^Unknown option --fast[^\n]+\n$/);
  });
});
