import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { AgentDefinitionError } from "../errors.ts";
import { finaliseValue, userMessage, type Message } from "../values/message.ts";
import { Str, StrImage } from "../values/builtin.ts";
import type { AnyValue } from "../values/value.ts";
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
  if (StrImage.is(input)) return { ...userMessage(input.value), images: input.images };
  if (Str.is(input)) return userMessage(input.value);
  const carriesText = Object.values(input).some((field: unknown) => typeof field === "string");
  return carriesText ? finaliseValue(input) : undefined;
}
