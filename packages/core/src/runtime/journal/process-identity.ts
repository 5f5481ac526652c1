import { readFileSync } from "node:fs";

/** A process, told from a later one that got the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the kernel's ticks; null where the system does not say. */
  readonly startedAt: string | null;
  /** The boot it started in; null where the system does not say. */
  readonly boot: string | null;
}

/** Neither changes while a process lives. */
const known: { own?: ProcessIdentity; boot?: string | null } = {};

/** This process. */
export function ownIdentity(): ProcessIdentity {
  known.own ??= { pid: process.pid, startedAt: startOf(process.pid), boot: bootId() };
  return known.own;
}

/** Whether a process is still there. What the system does not tell counts as yes. */
export function isAlive({ pid, startedAt, boot }: ProcessIdentity): boolean {
  const currentBoot = bootId();
  if (boot !== null && currentBoot !== null && boot !== currentBoot) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process of another user may not be signalled, but is there.
    if (!(error instanceof Error && "code" in error && error.code === "EPERM")) return false;
  }
  const currentStart = startOf(pid);
  return startedAt === null || currentStart === null || startedAt === currentStart;
}

/** The 22nd field of the process's status line, after the name in parentheses, which may hold blanks (proc(5)). */
function startOf(pid: number): string | null {
  const status = readText(`/proc/${pid}/stat`);
  return status?.slice(status.lastIndexOf(")") + 2).split(" ")[19] ?? null;
}

function bootId(): string | null {
  known.boot ??= readText("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
  return known.boot;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
