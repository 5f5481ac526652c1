import { contentObject, MockLLMEndpoint, type MockEntry } from "@roboz/core";

import { project } from "./desk-folder.ts";

const notes = `projects/${project}/notes`;

/** A file command as the model gives it: each text with its tag. */
type Tokens = readonly (readonly [text: string, tag: "CMD" | "FLG" | "ARG" | "PTH" | "CTL"])[];

/**
 * A model that needs no key, and does the desk's task in a few calls: it searches, reads, edits, shares a summary, and tries one
 * thing that is denied.
 */
export function scriptedModel({ hasSayings }: { readonly hasSayings: boolean }): MockLLMEndpoint {
  const withSaying: readonly MockEntry[] = [
    { action: "sayings", rationale: "A summary deserves a saying." },
    { action: "get_saying", rationale: "One will do." },
    ({ messages }) => share(String(contentObject(messages.at(-1)?.content ?? "")?.["value"])),
  ];
  return new MockLLMEndpoint([
    files("What is there to do?", [
      ["grep", "CMD"],
      ["-r", "FLG"],
      ["-n", "FLG"],
      ["TODO", "ARG"],
      [notes, "PTH"],
      ["&&", "CTL"],
      ["cat", "CMD"],
      [`${notes}/*.md`, "PTH"],
      ["|", "CTL"],
      ["wc", "CMD"],
      ["-l", "FLG"],
    ]),
    tickOff("monday", "Watering the ferns is done."),
    tickOff("tuesday", "Both of Tuesday's are done."),
    ...(hasSayings ? withSaying : [share()]),
    files("The password may stand in the project.", [
      ["cat", "CMD"],
      [`projects/${project}/.env`, "PTH"],
    ]),
    {
      action: "stop",
      rationale: "The rest is not for me.",
      value: "Three things are ticked off. I may not look up passwords.",
    },
  ]);
}

function files(rationale: string, value: Tokens): object {
  return { action: "run_file_command", rationale, value };
}

function tickOff(day: string, rationale: string): object {
  const path = `${notes}/${day}.md`;
  return {
    action: "apply_patch",
    rationale,
    path,
    old_string: "TODO:",
    new_string: "DONE:",
    replace_all: true,
  };
}

function share(saying?: string): object {
  const below = saying === undefined ? "" : `\n> ${saying}\n`;
  return {
    action: "apply_patch",
    rationale: "Everybody should know.",
    path: "shared/summary.md",
    old_string: "",
    new_string: `Three things were to do, and three are done.\n${below}`,
  };
}
