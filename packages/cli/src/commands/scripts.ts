import { command, group, listOption, secondsOption, textOption, wholeNumberOption } from "../command.ts";

const socketOption = { ...textOption("socket", "Path of the service's socket"), demandOption: true } as const;

const serve = command({
  usage: "serve",
  describe: "Run the scripts of a directory for agents that connect to a socket (Linux)",
  options: (yargs) =>
    yargs
      .option("socket", socketOption)
      .option("scripts", { ...textOption("scripts", "Directory of the scripts"), demandOption: true })
      .option("cwd", { ...textOption("cwd", "Directory that they run in"), demandOption: true })
      .option("timeout-s", secondsOption("timeout-s", "Seconds for one script; 300 by default"))
      .option(
        "max-output-bytes",
        wholeNumberOption("max-output-bytes", "Bytes that one script may write; 65536 by default"),
      )
      .option(
        "allow-env",
        listOption("allow-env", "Name of a variable that scripts see; give it once for each"),
      ),
  run: async (given, context) => {
    const { serveUntilEnded } = await import("../scripts/serve.ts");
    const seconds = given["timeout-s"];
    await serveUntilEnded(
      {
        socketPath: given.socket,
        scriptsDir: given.scripts,
        cwd: given.cwd,
        timeoutMs: seconds === undefined ? undefined : seconds * 1000,
        maxOutputBytes: given["max-output-bytes"],
        allowEnv: given["allow-env"],
      },
      context,
    );
  },
});

const check = command({
  usage: "check",
  describe: "Say whether a service answers at a socket; silent when it does",
  options: (yargs) => yargs.option("socket", socketOption),
  run: async ({ socket }, { interrupts }) => {
    const { loadShed } = await import("../shed/shed-package.ts");
    const { checkScriptService } = await loadShed("scripts");
    await checkScriptService(socket, { signal: interrupts.signal });
  },
});

/** `scripts`: prepared scripts for agents elsewhere. */
export const scripts = group("scripts", "Serve prepared scripts to agents, and check that service", [
  serve,
  check,
]);
