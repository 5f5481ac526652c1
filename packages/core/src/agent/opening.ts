import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { AgentDefinitionError } from "../errors.ts";
import { project } from "../tools/call.ts";
import { finaliseValue, parseMessage, userMessage, type Message } from "../values/message.ts";
import { All, Str, StrImage } from "../values/builtin.ts";
import { kindOf, metadataOf, type AnyValue, type AnyValueType } from "../values/value.ts";
import type { CompiledSkill } from "./compile-skills.ts";
import type { InitialMessage } from "./settings.ts";

/**
 * The messages that an agent's settings put before a conversation, read anew for each run.
 * Of a folder, the Markdown file with the greatest name is taken.
 */
export async function openingMessages(initial: readonly InitialMessage[]): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (const entry of initial) {
    if (typeof entry === "string") {
      messages.push(userMessage(entry, { messageKind: "startup_context" }));
      continue;
    }
    const file = await markdownAt(entry.path);
    if (file === undefined) continue;
    messages.push(
      finaliseValue(Str({ value: await readFile(file, "utf8") }), { messageKind: "startup_context" }),
    );
  }
  return messages;
}

async function markdownAt(path: string): Promise<string | undefined> {
  if (path.endsWith(".md")) return path;
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return undefined;
  const names = (await readdir(path)).filter((name) => name.endsWith(".md")).sort();
  const newest = names.at(-1);
  return newest === undefined ? undefined : join(path, newest);
}

/** What a conversation says of the skills that it starts with: nothing when there are none. */
export function autoLoadedMessages(skills: readonly CompiledSkill[]): readonly Message[] {
  const loaded = skills.filter(({ isAutoLoaded }) => isAutoLoaded);
  if (loaded.length === 0) return [];
  return [
    userMessage("The skills that follow are loaded; you need not load them.", {
      messageKind: "auto_load_banner",
    }),
    ...loaded.map(({ name, text }) =>
      finaliseValue(Str({ value: text() }), { caller: name, messageKind: "auto_loaded_skill" }),
    ),
  ];
}

/** Refuses what is neither a text nor a path. */
export function checkInitialMessages(
  agentName: string,
  initial: readonly unknown[],
): readonly InitialMessage[] {
  return initial.map((entry) => {
    if (typeof entry === "string") return entry;
    if (typeof entry === "object" && entry !== null && "path" in entry && typeof entry.path === "string")
      return { path: entry.path };
    throw new AgentDefinitionError({
      agentName,
      problems: [
        {
          code: "settings",
          toolNames: [],
          message: "an entry of `initialMessages` is neither a text nor { path }",
        },
      ],
    });
  });
}

/** The user message that an invocation's input makes; undefined when it carries no text. */
export function inputMessage(input: AnyValue): Message | undefined {
  if (!carriesText(input)) return undefined;
  if (!Str.is(input)) return finaliseValue(input);
  const message = userMessage(input.value, metadataOf(input));
  return StrImage.is(input) ? parseMessage({ ...message, images: input.images }) : message;
}

function carriesText(candidate: unknown): boolean {
  if (typeof candidate === "string") return candidate !== "";
  return typeof candidate === "object" && candidate !== null && Object.values(candidate).some(carriesText);
}

/**
 * An input as a run keeps it: of a type that the agent can restore, for the tools that take its fields. One of another
 * type becomes the nearest that any agent knows.
 */
export function storableInput(input: AnyValue, types: ReadonlyMap<string, AnyValueType>): AnyValue {
  if (types.has(kindOf(input))) return input;
  const nearest = StrImage.is(input) ? StrImage : Str.is(input) ? Str : All;
  const fitted = project(input, nearest);
  return "value" in fitted ? fitted.value : input;
}
