import { spawn } from "node:child_process";
import { once } from "node:events";

import { expect, it } from "vitest";

const cliIo = new URL("./cli-io.ts", import.meta.url).href;

/** Runs statements with a channel `io` in a process of its own, to which `lines` are piped. */
async function run(statements: string, lines: string, { ends }: { readonly ends: boolean }) {
  const program = `import { cliUserIo } from ${JSON.stringify(cliIo)}; const io = cliUserIo(); ${statements}`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stdin.write(lines);
  if (ends) child.stdin.end();
  await once(child, "close");
  return { code: child.exitCode, output };
}

const askTwice = `for (const question of ["1?", "2?"]) await io.ask(question);`;

it.each([
  {
    why: "was asked all it wanted",
    statements: askTwice,
    lines: "one\ntwo\n",
    output: "1?\n> one\n2?\n> two\n",
  },
  { why: "asks nothing", statements: "await io.notify('done');", lines: "one\n", output: "done\n" },
  {
    why: "got no reply in time",
    statements: "await io.ask('?', { timeoutMs: 1 });",
    lines: "",
    output: "?\n> \n",
  },
  {
    why: "gave up asking",
    statements:
      "const stop = new AbortController(); const asked = io.ask('?', { signal: stop.signal }); setImmediate(() => stop.abort('no')); await asked.catch(() => io.notify('gave up'));",
    lines: "",
    output: "?\n> \ngave up\n",
  },
])("lets a process end that $why, though its input stays open", async ({ statements, lines, output }) => {
  expect(await run(statements, lines, { ends: false })).toEqual({ code: 0, output });
});

it("says so when the piped lines do not suffice", async () => {
  const statements = `${askTwice.slice(0, -1)}.catch((error) => io.notify(error.code + " " + io.isLive));`;
  expect(await run(statements, "one\n", { ends: true })).toEqual({
    code: 0,
    output: "1?\n> one\n2?\n> \ncore/user-input-unavailable false\n",
  });
});
