import { NameError } from "../errors.ts";

const toolName = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;
const agentName = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const deviceName = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i;
const keywords = new Set(
  (
    "break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in " +
    "instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield await"
  ).split(" "),
);

/** Returns the name of a tool, factory, skill or value kind, or throws {@link NameError}. */
export function checkName(what: string, given: unknown): string {
  if (typeof given === "string" && toolName.test(given)) return given;
  throw new NameError({ what, given, rule: "in lower snake case, such as `ask_number`" });
}

/** Returns an agent's name without surrounding blanks, or throws {@link NameError}. */
export function checkAgentName(given: unknown): string {
  const rule =
    "with letters, digits and underscores, not starting with a digit, and neither a keyword nor a device name";
  const name = typeof given === "string" ? given.trim() : undefined;
  if (name === undefined || !agentName.test(name) || keywords.has(name) || deviceName.test(name)) {
    throw new NameError({ what: "An agent", given, rule });
  }
  return name;
}
