import { parseArgs } from "node:util";

import { cliUserIo } from "@roboz/core";

import { numbersAgent } from "./numbers-agent.ts";
import { scriptedGuard, scriptedModel } from "./scripted-models.ts";
import { stepLog } from "./step-log.ts";

const usage = `npm start -- numbers

Asks for numbers, praises odd ones and has even ones judged, on scripted models; no key is needed. The second number that is
refused ends it, and so does the end of the input (Ctrl-D). Numbers can be piped in, a line each.

  -h, --help  Print this.`;

function readOptions(args: readonly string[]): { readonly help: boolean } | { readonly problem: string } {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: "boolean", short: "h" } } });
    return { help: values.help === true };
  } catch (error) {
    // Of several sentences the first says what is wrong.
    return { problem: error instanceof Error ? error.message.replace(/[.\n].*$/s, "") : String(error) };
  }
}

async function play(): Promise<void> {
  const interrupt = new AbortController();
  process.once("SIGINT", () => {
    interrupt.abort();
  });
  const guard = scriptedGuard();
  const result = await numbersAgent(scriptedModel(), guard).invoke("Let us talk numbers.", {
    io: cliUserIo(),
    sinks: [stepLog(process.stdout)],
    signal: interrupt.signal,
  });
  const { llmCalls, skippedCalls } = result.report;
  switch (result.status) {
    case "completed":
      console.log(`\n${result.output.value ?? ""}`);
      break;
    case "cancelled":
      console.log("\nStopped.");
      process.exitCode = 130;
      break;
    case "suspended":
      // Questions are asked at the terminal, or end the run when it is gone.
      throw new Error(`\`${result.toolName}\` waits for a reply that nobody can give`);
  }
  console.log(`model calls: ${llmCalls}, skipped: ${skippedCalls}, numbers judged: ${guard.requests.length}`);
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if ("problem" in options) {
    console.error(`${options.problem}; --help lists the options.`);
    process.exitCode = 2;
  } else if (options.help) {
    console.log(usage);
  } else {
    await play();
  }
}

// Whoever reads no further, such as `head`, wants no more.
process.stdout.once("error", () => process.exit());
await main();
