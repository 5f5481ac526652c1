import { cliUserIo } from "./cli-io.ts";
import { noUserIo, type UserIo } from "./user-io.ts";

/**
 * The channel of a run that was given none: the terminal, where a person sits at both ends of it. Elsewhere nobody can
 * answer, and a run that wants to ask suspends.
 */
export function defaultUserIo(): UserIo {
  return process.stdin.isTTY && process.stdout.isTTY ? cliUserIo() : noUserIo;
}
