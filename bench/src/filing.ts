import { Agent, MockLLMEndpoint, stop } from "@roboz/core";
import { fileCommandTools, PermissionPolicy } from "@roboz/shed";

/** One file command: texts and their tags. */
export type Tokens = readonly (readonly [text: string, tag: "CMD" | "FLG" | "ARG" | "PTH" | "CTL"])[];

/**
 * Has an agent with a scripted model send file commands, one in each turn, and gives what the last report says.
 *
 * @throws Error when a command did not end with status 0.
 */
export async function runCommands(base: string, commands: readonly Tokens[]): Promise<string> {
  const { tools } = fileCommandTools({ policy: PermissionPolicy.local(base) });
  const agent = new Agent({
    name: "filing",
    systemPrompt: "Work on files.",
    endpoint: new MockLLMEndpoint([
      ...commands.map((value) => ({ action: "run_file_command", rationale: "Measured.", value })),
      { action: "stop", rationale: "Done.", value: "done" },
    ]),
    tools: [...tools, stop],
    limits: { repeats: null },
  });
  const { messages } = await agent.complete();
  const reports = messages.flatMap(({ content }) => (content.includes('"ending":"') ? [content] : []));
  const failed = reports.find((report) => !report.includes("Overall: success"));
  if (failed !== undefined || reports.length !== commands.length)
    throw new Error(`A command failed: ${failed ?? "no report"}`);
  return reports.at(-1) ?? "";
}
