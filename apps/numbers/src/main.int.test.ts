import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { runToEnd, type RunOptions } from "../../../tools/run-to-end.ts";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const run = (args: readonly string[] = [], options: Pick<RunOptions, "input" | "signal"> = {}) =>
  runToEnd("node", ["--conditions=@roboz/source", "--import", "tsx", "src/main.ts", ...args], {
    cwd,
    ...options,
  });

describe("npm start -- numbers", () => {
  it("reads numbers that are piped in, a line each", async () => {
    const { code, stdout, stderr } = await run([], { input: "7\nx\n4\n6\n1\n" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`● model: ask_number
An integer, please.
> 7
→ give_praise
7: odd, and all the better for it.
● model: ask_number
An integer, please.
> x
That is no integer.
An integer, please.
> 4
→ escalate
4: even! That has to be judged.
Refused, but a first time is forgiven.
● model: ask_number
An integer, please.
> 6
→ escalate
6: even! That has to be judged.

Refused again. That is enough even numbers for one day.
model calls: 3, skipped: 4, numbers judged: 2
`);
  });

  it("says goodbye when there is no input", async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("\nNo more numbers? Then that was it.\n");
  });

  it("explains itself", async () => {
    const { code, stdout } = await run(["--help"]);
    expect(code).toBe(0);
    expect(stdout).toContain("--help");
  });

  it.each(["--fast", "7"])("refuses `%s` in one line, with exit code 2", async (given) => {
    const { code, stdout, stderr } = await run([given]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^[^\n]+--help[^\n]+\n$/);
  });
});
