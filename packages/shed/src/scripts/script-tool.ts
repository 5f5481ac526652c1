import {
  ExecutableDependency,
  factory,
  value,
  type Environment,
  type ExternalDependency,
  type Of,
  type ToolContext,
} from "@roboz/core";
import * as z from "zod";

import { ScriptSettingsError } from "./errors.ts";
import { checkLimits, type ScriptLimits } from "./limits.ts";
import { LocalScripts, ScriptTurn } from "./local-scripts.ts";
import { outcome, scriptStatuses, type ScriptHost, type ScriptOutcome } from "./outcome.ts";
import { RemoteScripts } from "./remote-scripts.ts";
import { ScriptSocket } from "./script-socket.ts";
import { checkFolder } from "./serve-scripts.ts";
import { checkSocketPath } from "./socket-path.ts";

/** What `run_shell_script` gives. */
export const ScriptReport = value("script_report", {
  /** `refused`: the name is of no script. `busy`: another one runs. `output_limit` and `timeout`: it was stopped. */
  status: z.enum(scriptStatuses),
  /** Only when they were listed. */
  scripts: z.array(z.strictObject({ script: z.string(), description: z.string() })),
  /** Null for a script that did not start, or was stopped. */
  exit_code: z.int().nullable(),
  /** What it wrote, both streams in their order; then, on a line of its own, what else there is to say. */
  output: z.string(),
});
export type ScriptReport = Of<typeof ScriptReport>;

/** Scripts of this machine, run by this process. Relative paths start from the working directory. */
export interface LocalScriptSettings extends ScriptLimits {
  /** Where the scripts are; it may come into being later. Links in it are not followed. */
  readonly scriptsDir: string;
  readonly socketPath?: undefined;
  /** Where the variables named in `allowEnv` come from; the process's own by default. */
  readonly environment?: Environment | undefined;
}

/** Scripts that a service runs, which says what they may take. Linux only. */
export interface RemoteScriptSettings {
  /** Where the service listens. */
  readonly socketPath: string;
  readonly scriptsDir?: undefined;
  readonly timeoutMs?: undefined;
  readonly maxOutputBytes?: undefined;
  readonly allowEnv?: undefined;
  readonly environment?: undefined;
}

/** Scripts that are set up, for any number of tools; one of them runs at a time. */
export interface Scripts {
  /** Needs a working directory for the scripts, unless a service has one. */
  readonly hostIn: (cwd: string | undefined) => ScriptHost;
  readonly dependency: ExternalDependency;
}

const limitNames = ["timeoutMs", "maxOutputBytes", "allowEnv", "environment"] as const;

/** @throws {@link ScriptSettingsError} (`shed/script-settings`) */
export function scriptsOf(settings: LocalScriptSettings | RemoteScriptSettings): Scripts {
  const turn = new ScriptTurn();
  const { scriptsDir, socketPath } = settings;
  if ((scriptsDir === undefined) === (socketPath === undefined))
    throw new ScriptSettingsError({
      setting: "scriptsDir",
      problem: "and `socketPath` exclude each other; give one of them",
    });
  if (socketPath === undefined) {
    const folder = checkFolder("scriptsDir", scriptsDir);
    const bash = new ExecutableDependency("bash");
    const limits = checkLimits(settings);
    const { environment = process.env } = settings;
    const parts = { scriptsDir: folder, limits, environment, bash, turn };
    return { hostIn: (cwd = process.cwd()) => new LocalScripts({ ...parts, cwd }), dependency: bash };
  }
  const path = checkSocketPath(socketPath);
  const given: object = settings;
  for (const setting of limitNames)
    if (Reflect.get(given, setting) !== undefined)
      throw new ScriptSettingsError({
        setting,
        problem: "is the service's affair; leave it out with `socketPath`",
      });
  if (process.platform !== "linux")
    throw new ScriptSettingsError({
      setting: "socketPath",
      problem: "needs Linux; give `scriptsDir` instead",
    });
  const host = new RemoteScripts({ socketPath: path, turn });
  return { hostIn: () => host, dependency: new ScriptSocket(path) };
}

/** What a script tool is bound to. */
interface ScriptContext {
  readonly host: ScriptHost;
  readonly externalDependencies: () => readonly ExternalDependency[];
}

const bind = factory<ScriptContext>()({
  name: "run_shell_script",
  description: `Runs a prepared script, or lists the scripts there are. Without \`script\`: the list, with what each does. With the name of
    one, as listed: runs it, without arguments or input, and gives its exit code and what it wrote. One runs at a time.`,
  input: z.object({
    script: z
      .string()
      .nullish()
      .meta({ description: "A script's name, exactly as listed; left out to list them." }),
  }),
  output: ScriptReport,
  run: async ({ script = null }, context, { host }) => report(await called(host, script, context)),
});

/** Calls, and runs a script once: a resumed run does not repeat one that was under way when its process ended. */
async function called(host: ScriptHost, script: string | null, context: ToolContext): Promise<ScriptOutcome> {
  const call = (): Promise<ScriptOutcome> =>
    host.call(script, {
      signal: context.signal,
      onOutput: (content) => {
        context.emit({ type: "script-output", content });
      },
    });
  if (script === null || context.step === undefined) return call();
  return context.once(`script:${context.step}:${script}`, call, { verify: () => interrupted });
}

const interrupted = outcome("failed", {
  diagnostic:
    "This process ended while the script ran. How far it came is unknown; find out before it is run again.",
});

function report({ status, scripts, exitCode, output, diagnostic }: ScriptOutcome): ScriptReport {
  const isOpenLine = output !== "" && diagnostic !== "" && !output.endsWith("\n");
  return ScriptReport({
    status,
    scripts: scripts.map((entry) => ({ ...entry })),
    exit_code: exitCode,
    output: `${output}${isOpenLine ? "\n" : ""}${diagnostic}`,
  });
}

/** `run_shell_script` on scripts that are set up. */
export function scriptToolOf({ hostIn, dependency }: Scripts, cwd: string | undefined): ScriptTool {
  return bind({ host: hostIn(cwd), externalDependencies: () => [dependency] });
}

/** The tool `run_shell_script`. */
export type ScriptTool = ReturnType<typeof bind>;

/**
 * The tool `run_shell_script` for an agent of its own: lists scripts, and runs one at a time. What a script writes is streamed as
 * events of the run. No permissions apply to what a script does: whoever can write the directory decides what is run.
 *
 * @param settings.cwd - Where local scripts run; the working directory by default.
 * @throws {@link ScriptSettingsError} (`shed/script-settings`)
 */
export function scriptTool(
  settings: (LocalScriptSettings & { readonly cwd?: string | undefined }) | RemoteScriptSettings,
): ScriptTool {
  const cwd: unknown = "cwd" in settings ? settings.cwd : undefined;
  const folder = cwd === undefined ? undefined : checkFolder("cwd", cwd);
  return scriptToolOf(scriptsOf(settings), folder);
}
