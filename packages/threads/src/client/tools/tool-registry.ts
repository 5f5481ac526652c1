import type { ClientToolSpec } from "../../wire/client-tools.ts";
import { ClientTool } from "./client-tool.ts";

/** A tool with its function, or only what the model is told of it. */
export type DeclaredTool = ClientTool | ClientToolSpec;

/** The client tools that one instance of a thread knows. */
export class ToolRegistry {
  readonly #declared = new Set<string>();
  readonly #tools = new Map<string, ClientTool>();

  /** The names of the tools that can be run here, in the order in which they were registered. */
  get names(): string[] {
    return [...this.#tools.keys()];
  }

  /** Takes up tools that the server has been told of. */
  declare(tools: readonly DeclaredTool[]): void {
    for (const tool of tools) {
      if (ClientTool.is(tool)) this.register(tool);
      else this.#declared.add(tool.name);
    }
  }

  register(tool: ClientTool): void {
    this.#declared.add(tool.name);
    this.#tools.set(tool.name, tool);
  }

  /** Forgets the function and keeps the name, so that calls are answered with an error. */
  unregister(name: string): boolean {
    return this.#tools.delete(name);
  }

  /** Whether a name is one of a client tool. */
  isDeclared(name: string): boolean {
    return this.#declared.has(name);
  }

  find(name: string): ClientTool | undefined {
    return this.#tools.get(name);
  }
}

/** What the server is told of tools; nothing when none are given. */
export function specsOf(tools: readonly DeclaredTool[] | undefined): ClientToolSpec[] | undefined {
  return tools?.map((tool) => (ClientTool.is(tool) ? tool.spec : tool));
}
