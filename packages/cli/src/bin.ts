#!/usr/bin/env node
import { InterruptedError, OutputClosedError } from "./errors.ts";
import { errorLine } from "./error-line.ts";
import { Interrupts } from "./interrupts.ts";
import { main } from "./main.ts";

/** How long what a command left open, such as a connection of an agent, may take to close. */
const graceMs = 1000;

const interrupts = new Interrupts();
process.on("SIGINT", () => {
  // The command was told once and is still here: it no longer listens.
  if (interrupts.signal.aborted) process.exit(130);
  interrupts.fire(new InterruptedError());
});
for (const stream of [process.stdout, process.stderr]) {
  // Whoever read the output went away; there is nobody left to work for.
  stream.on("error", () => {
    interrupts.end(new OutputClosedError());
  });
}
// What an agent's module leaves unhandled; Node would print its stack.
process.on("uncaughtException", (error) => {
  process.stderr.write(`Error: ${errorLine(error)}\n`);
  process.exit(1);
});

let isOver = false;
// Nothing is left that could wake the command, such as a timer or a connection: it would wait for ever.
process.once("beforeExit", () => {
  if (isOver) return;
  process.stderr.write("Error: the command waits for something that can no longer come\n");
  process.exit(1);
});

// No top-level await: Node would warn of it, with a piece of this file, where the text above is meant.
void main(process.argv.slice(2), { interrupts }).then((status) => {
  isOver = true;
  process.exitCode = status;
  setTimeout(() => process.exit(), graceMs).unref();
});
