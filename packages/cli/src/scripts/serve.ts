import type { ScriptServer, ScriptServerSettings } from "@roboz/shed";

import type { CommandContext } from "../command.ts";
import { UsageError } from "../errors.ts";
import { loadShed, type ShedPackage } from "../shed/shed-package.ts";

/** Signals that end a service: somebody stops it, or closes its terminal. */
const endings = ["SIGTERM", "SIGHUP"] as const;

/** Serves scripts until somebody ends it, then tidies up. */
export async function serveUntilEnded(
  settings: ScriptServerSettings,
  { terminal, interrupts }: CommandContext,
): Promise<void> {
  const shed = await loadShed("scripts");
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  // From before the service is there, so that a signal meanwhile is not lost.
  const unhandle = interrupts.handle(end);
  interrupts.signal.addEventListener("abort", end);
  for (const signal of endings) process.on(signal, end);
  try {
    const server = await started(shed, settings);
    try {
      terminal.output.write(`Serving the scripts of ${settings.scriptsDir} at ${server.socketPath}\n`);
      if ((await shed.scriptContainment()) !== "descendants")
        terminal.output.write("Processes that leave a script's process group may survive it here\n");
      await ended;
    } finally {
      await server.close();
    }
  } finally {
    unhandle();
    interrupts.signal.removeEventListener("abort", end);
    for (const signal of endings) process.off(signal, end);
  }
  interrupts.signal.throwIfAborted();
}

const options: Readonly<Record<string, string>> = {
  socketPath: "socket",
  scriptsDir: "scripts",
  cwd: "cwd",
  timeoutMs: "timeout-s",
  maxOutputBytes: "max-output-bytes",
  allowEnv: "allow-env",
};

/** Starts the service; settings that cannot be are a wrong usage of the command. */
async function started(shed: ShedPackage, settings: ScriptServerSettings): Promise<ScriptServer> {
  try {
    return await shed.serveScripts(settings);
  } catch (error) {
    if (!(error instanceof Error) || !("setting" in error) || typeof error.setting !== "string") throw error;
    const option = options[error.setting] ?? error.setting;
    throw new UsageError(error.message.replace(/^`\w+` of scripts/, `\`--${option}\``));
  }
}
