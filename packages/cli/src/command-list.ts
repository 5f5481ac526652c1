import type { Command } from "./command.ts";

/** A command of the first level, not loaded yet. */
export interface ListedCommand {
  readonly name: string;
  /** The name, and what stands behind it. */
  readonly usage: string;
  readonly describe: string;
  readonly load: () => Promise<Command>;
}

/** The commands in the order in which help lists them. Each module is loaded when its command is named. */
export const commandList: readonly ListedCommand[] = [
  {
    name: "run",
    usage: "run <module>",
    describe: "Run an exported agent in the terminal",
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "graph",
    usage: "graph <module>",
    describe: "Draw the tools of an exported agent",
    load: async () => (await import("./commands/graph.ts")).graph,
  },
  {
    name: "runs",
    usage: "runs",
    describe: "List, show, resume, fork, replay and export kept runs",
    load: async () => (await import("./commands/runs.ts")).runs,
  },
  {
    name: "threads",
    usage: "threads",
    describe: "Serve durable threads, talk to them, and make tokens",
    load: async () => (await import("./commands/threads.ts")).threads,
  },
  {
    name: "example",
    usage: "example",
    describe: "Run a bundled example, without a key",
    load: async () => (await import("./commands/example.ts")).example,
  },
  {
    name: "inventory",
    usage: "inventory",
    describe: "Write a model catalogue and generate its module",
    load: async () => (await import("./commands/inventory.ts")).inventory,
  },
  {
    name: "env",
    usage: "env",
    describe: "Encrypt and check environment files",
    load: async () => (await import("./commands/env.ts")).env,
  },
  {
    name: "health",
    usage: "health <module>",
    describe: "Check what exported agents need from outside",
    load: async () => (await import("./commands/health.ts")).health,
  },
  {
    name: "scripts",
    usage: "scripts",
    describe: "Serve prepared scripts to agents, and check that service",
    load: async () => (await import("./commands/scripts.ts")).scripts,
  },
  {
    name: "tool",
    usage: "tool",
    describe: "Create a tool capability to edit",
    load: async () => (await import("./commands/capability-package.ts")).tool,
  },
  {
    name: "skill",
    usage: "skill",
    describe: "Create a skill capability to edit",
    load: async () => (await import("./commands/capability-package.ts")).skill,
  },
];
