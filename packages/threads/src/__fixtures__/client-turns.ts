import { clientTool, type ClientTool } from "../client/tools/client-tool.ts";
import { answer, type ScriptedServer, type Step } from "./scripted-server.ts";
import { delta, message } from "./thread-data.ts";

/** What a server says that takes results. */
export const accepted = answer({ status: "roboto_turn", remaining: [] });
/** The step after which it is the user's turn. */
export const finished = delta({}, "user_turn");

/** A tool that does what is given. */
export function tool(name: string, execute: (args: Record<string, unknown>) => unknown): ClientTool {
  return clientTool({ name, description: "Does it.", input: { type: "object" }, execute });
}

/** The step that asks the client for calls. */
export function asks(...calls: readonly object[]): Step {
  return delta({ 1: message("assistant", calls) }, "client_tool_turn");
}

/** The results that were submitted, one request after the other. */
export function submitted(server: ScriptedServer): unknown[] {
  return server.requests.flatMap(({ path, body }) => {
    if (!path.endsWith("/tool-results") || typeof body !== "object" || body === null) return [];
    return "tool_results" in body ? [body.tool_results] : [];
  });
}
