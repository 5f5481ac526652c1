import {
  Empty,
  isValue,
  MockLLMEndpoint,
  type AnyTool,
  type MockEntry,
  type RunDocument,
  type RunDocumentMessage,
  type ToolContext,
  type ToolEvent,
} from "@roboz/core";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

import { Sandbox } from "../../permissions/sandbox.ts";
import type { Records } from "../records.ts";

/** A project with nothing in it, gone after the test. */
export interface Project {
  readonly sandbox: Sandbox;
  readonly records: Records;
  /** Writes a file below the project, with its folders. */
  readonly put: (path: string, content: string | Uint8Array) => string;
  readonly read: (path: string) => string;
  /** The files below a folder of the project, from there. */
  readonly list: (folder: string) => Promise<readonly string[]>;
}

export function makeProject(): Project {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "roboz-memory-")));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const sandbox = new Sandbox({ root, scope: "mine" });
  const at = (path: string): string => join(sandbox.projectDir, path);
  return {
    sandbox,
    records: sandbox,
    put: (path, content) => {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
      return at(path);
    },
    read: (path) => readFileSync(at(path), "utf8"),
    list: async (folder) => {
      const entries = await readdir(at(folder), { recursive: true, withFileTypes: true }).catch(() => []);
      const files = entries.filter((entry) => entry.isFile());
      return files.map(({ parentPath, name }) => join(parentPath, name).slice(at(folder).length + 1)).sort();
    },
  };
}

type RowFacts = Partial<RunDocumentMessage>;

/** A row of a conversation. */
export function row(sequence: number, content: string, facts: RowFacts = {}): RunDocumentMessage {
  return {
    message_id: `m${sequence}`,
    sequence,
    created_at: `2026-05-01T10:00:${String(sequence % 60).padStart(2, "0")}.000Z`,
    role: "user",
    content,
    truncation: { threshold: 0, severity: 1 },
    message_kind: null,
    endpoint: null,
    model: null,
    token_input: null,
    token_output: null,
    images: [],
    ...facts,
  };
}

/** The text of a log. */
export function log(
  id: string,
  messages: readonly RunDocumentMessage[],
  facts: Partial<RunDocument> = {},
): string {
  const isRunning = facts.status === undefined || facts.status === "running";
  const document: RunDocument = {
    schema_version: 3,
    conversation_id: id,
    agent_name: "clerk",
    parent_conversation_id: null,
    started_at: "2026-05-01T10:00:00.000Z",
    ended_at: isRunning ? null : "2026-05-01T11:00:00.000Z",
    status: "running",
    metadata: { environment: null, agent_description: "Keeps the files.", tags: [], custom: {} },
    messages: [...messages],
    runtime_events: [],
    ...facts,
  };
  return JSON.stringify(document);
}

/** A moment, and its stamp with so many microseconds. */
export const noon = Date.parse("2026-05-01T12:00:00.000Z");
export function stampAt(micros: number): string {
  return `20260501T120000${String(micros).padStart(6, "0")}Z`;
}

/** A tool called alone, with what it told. */
export async function called(
  tool: AnyTool,
  context: Partial<ToolContext> = {},
): Promise<{ readonly fields: Readonly<Record<string, unknown>>; readonly events: readonly ToolEvent[] }> {
  const events: ToolEvent[] = [];
  const emit = (event: ToolEvent): void => {
    events.push(event);
  };
  const output: unknown = await Reflect.apply(tool.invoke, tool, [Empty(), { emit, ...context }]);
  if (!isValue(output)) throw new Error("The tool returned no value");
  return { fields: { ...output }, events };
}

/** A model that is asked for summaries, and what it was sent to summarise, in order. */
export function summariser(...script: readonly MockEntry[]) {
  const endpoint = new MockLLMEndpoint(script);
  const sources = (): readonly string[] =>
    endpoint.requests.map(({ messages }) => messages[1]?.content ?? "");
  return { endpoint, sources };
}

export const usual = { maxChars: 8_000, tolerancePercent: 15, timeoutMs: 300_000 };

/** A promise that others settle. */
export function deferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
