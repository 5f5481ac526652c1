import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/*
 * How all processes of one script are found, also those that left its process group and whose parents are gone.
 *
 * Linux keeps a limit on file locks for every process (RLIMIT_LOCKS) that it has not applied since 2.4.25. Processes inherit it
 * across fork, exec and setsid, whatever they do to their environment and descriptors, and without privileges it can only be
 * lowered. So a script gets a number of its own there, and whoever has that number belongs to it. A script that runs an agent
 * which runs scripts gives them numbers just below its own, in the block of 2^32 that it was given.
 */
const blockBits = 32n;
const block = 1n << blockBits;
/** What a nested number is below its parent's, at most. */
const nestedRange = 1n << 24n;

/** Which of all processes belong to a script. */
export interface ProcessMarker {
  /** The number to give the script; undefined when there is none to give, and only its group is known. */
  readonly limit: bigint | undefined;
  /** Whether a process with this number belongs to the script. */
  readonly matches: (limit: bigint) => boolean;
}

/** A marker for one script, given the limit that this process has itself (undefined stands for none). */
export function newMarker(own: bigint | "unlimited" | undefined): ProcessMarker {
  if (own === "unlimited") {
    const first = (randomBits(28) + 1n) << blockBits;
    return { limit: first + block - 1n, matches: (limit) => limit >> blockBits === first >> blockBits };
  }
  const limit = own === undefined ? undefined : own - 1n - randomBits(24);
  // Too little room below: two scripts at once could get the same number.
  if (own === undefined || limit === undefined || own % block < nestedRange + 1n)
    return { limit: undefined, matches: () => false };
  return { limit, matches: (found) => found === limit };
}

function randomBits(count: number): bigint {
  return BigInt(`0x${randomBytes(8).toString("hex")}`) & ((1n << BigInt(count)) - 1n);
}

/** The hard limit on file locks of a process; undefined when it cannot be read. */
export function lockLimit(pid: number | "self"): bigint | "unlimited" | undefined {
  const [, hard] = /^Max file locks +\S+ +(\d+|unlimited) /m.exec(readProc(`${pid}/limits`) ?? "") ?? [];
  if (hard === undefined) return undefined;
  return hard === "unlimited" ? "unlimited" : BigInt(hard);
}

/** What is known of a process beside its number. */
export interface ProcessFacts {
  readonly group: number;
  /** In the kernel's ticks since it started. */
  readonly startedAt: number;
  /** Whether it has ended, and only waits to be asked for its status. */
  readonly isOver: boolean;
}

/** Facts of a process; undefined when there is none of that number. */
export function processFacts(pid: number): ProcessFacts | undefined {
  const stat = readProc(`${pid}/stat`);
  // The name stands in parentheses, and may hold anything, such as spaces and more of them.
  const [state = "", , group, ...rest] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
  if (group === undefined) return undefined;
  return { group: Number(group), startedAt: Number(rest[16]), isOver: state === "Z" || state === "X" };
}

/** As many looks at everything stand for one that nothing escapes, where the system does not say what it started last. */
const looksInTheDark = 3;
const mostLooks = 500;

/**
 * The processes that `isWanted`, by their numbers; some of them, or none when there is none. One look at all is not enough: a process
 * that starts another one and ends may do so between being listed and being looked at. So whatever was started meanwhile is looked at
 * too, until nothing was.
 */
export function findProcesses(isWanted: (pid: number) => boolean): readonly number[] {
  let newest = newestProcess();
  let found = listed().filter(isWanted);
  for (let look = 1; found.length === 0 && look < mostLooks; look += 1) {
    const now = newestProcess();
    if (now === undefined ? look >= looksInTheDark : now === newest) break;
    found = startedSince(newest, now).filter(isWanted);
    newest = now;
  }
  return found;
}

/** What was started between two readings; everything when the numbers have begun anew, or are not known. */
function startedSince(before: number | undefined, now: number | undefined): readonly number[] {
  if (before === undefined || now === undefined || now < before) return listed();
  return Array.from({ length: now - before }, (_, index) => now - index);
}

function listed(): readonly number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

/** The number that was given out last, to a process or a thread. */
function newestProcess(): number | undefined {
  const [, last] = / (\d+)\n$/.exec(readProc("loadavg") ?? "") ?? [];
  return last === undefined ? undefined : Number(last);
}

function readProc(file: string): string | undefined {
  try {
    return readFileSync(`/proc/${file}`, "latin1");
  } catch {
    return undefined;
  }
}
