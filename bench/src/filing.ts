import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Agent, MockLLMEndpoint, stop, Str, tool, type AnyTool } from "@roboz/core";
import { fileCommandTools, PermissionPolicy } from "@roboz/shed";
import * as z from "zod";

/** One file command: texts and their tags. */
export type Tokens = readonly (readonly [text: string, tag: "CMD" | "FLG" | "ARG" | "PTH" | "CTL"])[];

/**
 * Has an agent with a scripted model send file commands, one in each turn, and gives what the last report says.
 *
 * @throws Error when a command did not end with status 0.
 */
export async function runCommands(base: string, commands: readonly Tokens[]): Promise<string> {
  const { tools } = fileCommandTools({ policy: PermissionPolicy.local(base) });
  const messages = await callInTurns(
    tools,
    commands.map((value) => ({ action: "run_file_command", value })),
  );
  const reports = messages.flatMap(({ content }) => (content.includes('"ending":"') ? [content] : []));
  const failed = reports.find((report) => !report.includes("Overall: success"));
  if (failed !== undefined || reports.length !== commands.length)
    throw new Error(`A command failed: ${failed ?? "no report"}`);
  return reports.at(-1) ?? "";
}

const start = promisify(execFile);

/** The same with programs, by a tool that only starts one and gives what it prints. */
export async function startPrograms(base: string, commands: readonly (readonly string[])[]): Promise<void> {
  const starting = tool({
    name: "start_program",
    description: "Starts a program.",
    input: z.strictObject({ program: z.string(), words: z.array(z.string()) }),
    output: Str,
    run: async ({ program, words }) => Str({ value: (await start(program, words, { cwd: base })).stdout }),
  });
  await callInTurns(
    [starting],
    commands.map(([program = "", ...words]) => ({ action: "start_program", program, words })),
  );
}

/** Has a scripted model call tools, one in each turn. */
async function callInTurns(
  tools: readonly AnyTool[],
  calls: readonly { readonly action: string; readonly [field: string]: unknown }[],
): Promise<readonly { readonly content: string }[]> {
  const agent = new Agent({
    name: "filing",
    systemPrompt: "Work on files.",
    endpoint: new MockLLMEndpoint([
      ...calls.map((call) => ({ ...call, rationale: "Measured." })),
      { action: "stop", rationale: "Done.", value: "done" },
    ]),
    tools: [...tools, stop],
    limits: { repeats: null },
  });
  return (await agent.complete()).messages;
}
