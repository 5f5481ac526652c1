export { main } from "./main.ts";
export type { MainOptions } from "./main.ts";
export { Interrupts } from "./interrupts.ts";
export type { Terminal, TerminalInput, TerminalOutput } from "./terminal.ts";
export { CliError } from "./errors.ts";
export type { AnyCliError, CliErrorCode } from "./errors.ts";
