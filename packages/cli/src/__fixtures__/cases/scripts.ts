import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";

import type { InstalledRoboz } from "../installed-roboz.ts";

const askingModule = `
import { scriptTool } from "@roboz/shed";
const [, , socketPath, script] = process.argv;
const { status, exit_code, output } = await scriptTool({ socketPath }).invoke({ script });
console.log(JSON.stringify({ status, exit_code, output }));
`;

/** Scripts served by one process and asked for by another, and the health of what agents need. */
export function scriptsCases(roboz: () => InstalledRoboz): void {
  it.skipIf(process.platform !== "linux")(
    "cli 46: serves scripts to another process until SIGTERM, and ends what runs then",
    async () => {
      const cwd = await roboz().emptyFolder();
      await mkdir(join(cwd, "scripts"));
      await writeFile(join(cwd, "scripts/hello.sh"), "# Says hello.\necho hello $NAME\n");
      await writeFile(join(cwd, "scripts/slow.sh"), "touch begun; setsid sleep 600 & sleep 600\n");
      await writeFile(join(cwd, "ask.mjs"), askingModule);
      const words = ["--socket", "run/socket", "--scripts", "scripts", "--cwd", "."];
      const service = spawn(roboz().bin, ["scripts", "serve", ...words, "--allow-env", "NAME"], {
        cwd,
        env: { ...process.env, NAME: "world" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const ended = once(service, "exit");
      await once(service.stdout, "data");
      const check = () => roboz().run(["scripts", "check", "--socket", "run/socket"], { cwd });
      expect(await check()).toMatchObject({ code: 0, stdout: "", stderr: "" });
      const ask = (script: string) =>
        spawn(process.execPath, ["ask.mjs", join(cwd, "run/socket"), script], {
          cwd,
          stdio: ["ignore", "pipe", "inherit"],
        });
      const hello = ask("hello.sh");
      const said: unknown[] = await once(hello.stdout, "data");
      expect(String(said[0])).toContain('{"status":"success","exit_code":0,"output":"hello world\\n"}');
      const slow = ask("slow.sh");
      const answer = once(slow.stdout, "data");
      while (!existsSync(join(cwd, "begun"))) await sleep(10);
      service.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      expect(existsSync(join(cwd, "run/socket"))).toBe(false);
      expect(String(await answer)).toContain('"status":"failed"');
      const gone = await check();
      expect(gone).toMatchObject({ code: 1, stdout: "" });
      expect(gone.stderr).toMatch(/^Error: [^\n]*is unavailable or incompatible: there is no socket\n$/);
    },
  );

  it("checks what a module's agents need, without a key", async () => {
    const cwd = await roboz().emptyFolder();
    await writeFile(
      join(cwd, "needs.mjs"),
      `import { ExecutableDependency } from "@roboz/core";
       export const needs = [new ExecutableDependency("node"), new ExecutableDependency("nonesuch-program")];`,
    );
    const { code, stdout, stderr } = await roboz().run(["health", "needs.mjs"], { cwd });
    expect(stdout).toMatch(
      /executable:node +available .*\nexecutable:nonesuch-program +unavailable .* not_found: /,
    );
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "Error: 1 of 2 cannot be used: `executable:nonesuch-program`\n",
    });
  });
}
