import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

import { runToEnd } from "../../../tools/run-to-end.ts";
import { sayings } from "./sayings.ts";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const run = (...args: string[]) =>
  runToEnd("node", ["--conditions=@roboz/source", "--import", "tsx", "src/main.ts", ...args], { cwd });

describe("npm start -- quotes", () => {
  it("prints one saying", async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^“.+”\n$/);
    expect(sayings).toContain(stdout.slice(1, -2));
  });

  it("explains itself", async () => {
    const { code, stdout } = await run("--help");
    expect(code).toBe(0);
    expect(stdout).toContain("--help");
  });

  it.each([["--fast"], ["now"], ["--help=1"]])(
    "refuses `%s` in one line, with exit code 2",
    async (given) => {
      const { code, stdout, stderr } = await run(given);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^[^\n]+--help[^\n]+\n$/);
    },
  );
});
