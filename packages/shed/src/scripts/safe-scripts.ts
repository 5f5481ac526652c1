import { Capability, ToolLabel, type ToolCapabilitySettings } from "@roboz/deployment";
import * as z from "zod";

import {
  scriptsOf,
  scriptToolOf,
  type LocalScriptSettings,
  type RemoteScriptSettings,
} from "./script-tool.ts";

/** How the capability is labelled; `safe_scripts` by default. */
interface Labelled {
  readonly label?: ToolLabel | undefined;
}

/** What {@link SafeScripts} takes: scripts of this machine, or a service that runs them. */
export type SafeScriptsSettings = Labelled & (LocalScriptSettings | RemoteScriptSettings);

/** What local {@link SafeScripts} require of an agent. */
export interface NeedsSandboxRoot {
  /** Scripts run in its root. */
  readonly sandbox: { readonly root: string };
}

/** What {@link SafeScripts} require: a sandbox for local scripts, and nothing for those of a service. */
export type ScriptNeeds<Settings> = Settings extends { readonly socketPath: string }
  ? object
  : NeedsSandboxRoot;

/**
 * The capability to run prepared scripts, and no others: the tool `run_shell_script`. One script runs at a time for all agents that
 * have this same object. Local scripts run in the root of the agent's `sandbox`; its permissions do not restrict what they do.
 *
 * @throws `ScriptSettingsError` (`shed/script-settings`) unless there is either a `scriptsDir` or a `socketPath`, and for limits
 * that cannot be.
 */
export class SafeScripts<
  Settings extends SafeScriptsSettings = Labelled & LocalScriptSettings,
> extends Capability<ScriptNeeds<Settings>> {
  constructor(settings: Settings) {
    super(definitionOf(settings));
  }
}

/** The seam between what was given and what is required. */
function definitionOf<Settings extends SafeScriptsSettings>(
  settings: Settings,
): ToolCapabilitySettings<ScriptNeeds<Settings>>;
function definitionOf(
  settings: SafeScriptsSettings,
): ToolCapabilitySettings<NeedsSandboxRoot> | ToolCapabilitySettings<object> {
  return settings.socketPath === undefined ? localDefinition(settings) : remoteDefinition(settings);
}

const defaultLabel = ToolLabel("safe_scripts");

function localDefinition({
  label = defaultLabel,
  ...settings
}: Labelled & LocalScriptSettings): ToolCapabilitySettings<NeedsSandboxRoot> {
  const scripts = scriptsOf(settings);
  return {
    label,
    requiredAttributes: { sandbox: sandboxSchema },
    build: ({ attributes }) => [scriptToolOf(scripts, attributes.sandbox.root)],
  };
}

function remoteDefinition({
  label = defaultLabel,
  ...settings
}: Labelled & RemoteScriptSettings): ToolCapabilitySettings<object> {
  const scripts = scriptsOf(settings);
  return { label, build: () => [scriptToolOf(scripts, undefined)] };
}

const sandboxSchema = z
  .custom<NeedsSandboxRoot["sandbox"]>(
    (given) =>
      typeof given === "object" && given !== null && "root" in given && typeof given.root === "string",
  )
  .meta({ title: "Sandbox" });
