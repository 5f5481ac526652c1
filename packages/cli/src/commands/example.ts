import { command, group } from "../command.ts";
import type { CommandContext } from "../command.ts";

const simple = command({
  usage: "simple",
  describe: "One tool that returns a quote and stops",
  options: (yargs) => yargs,
  run: async (_given, context: CommandContext) => {
    const [{ quotesAgent }, { runInTerminal }] = await Promise.all([
      import("../examples/quotes.ts"),
      import("../run/agent-runner.ts"),
    ]);
    await runInTerminal(quotesAgent(), context);
  },
});

const complex = command({
  usage: "complex",
  describe: "Chains that fork, a second model, and a message shown once",
  options: (yargs) => yargs,
  run: async (_given, context: CommandContext) => {
    const [{ numbersAgent }, { personOrStandIn }, { runInTerminal }] = await Promise.all([
      import("../examples/numbers.ts"),
      import("../examples/stand-in.ts"),
      import("../run/agent-runner.ts"),
    ]);
    await runInTerminal(numbersAgent(), context, { io: personOrStandIn });
  },
});

/** `example`: the bundled examples, on scripted models. */
export const example = group("example", "Run a bundled example, without a key", [simple, complex]);
