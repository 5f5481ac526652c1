import { setTimeout as sleep } from "node:timers/promises";

import { findProcesses, lockLimit, newMarker, processFacts, type ProcessMarker } from "./process-marker.ts";

/** How long a process has between the request to end and its end. */
const graceMs = 2000;
/** How long processes that make ever more of themselves are chased. */
const chaseMs = 5000;
const mostRounds = 100;

/** How a script is started so that its processes can be found. */
export interface StartPlan {
  readonly marker: ProcessMarker;
  readonly bashArguments: readonly string[];
}

const plainBash = ["--noprofile", "--norc"];
/** Sets the number and becomes the script. */
const markAndBecome = `ulimit -x "$1" 2>/dev/null; exec "$0" ${plainBash.join(" ")} "$2"`;

/** What bash is started with to run a script, marked where that can be done. */
export function startPlan(bash: string, script: string): StartPlan {
  const marker = newMarker(process.platform === "linux" ? lockLimit("self") : undefined);
  const { limit } = marker;
  if (limit === undefined) return { marker, bashArguments: [...plainBash, script] };
  return { marker, bashArguments: [...plainBash, "-c", markAndBecome, bash, String(limit), script] };
}

/** Those that run now; ended with this process, should it end before them. */
const running = new Set<ScriptProcesses>();

function killRunning(): void {
  for (const processes of running) processes.kill();
}

/** All processes of one script: its group, and on Linux those that left it. */
export class ScriptProcesses {
  readonly #leader: number;
  readonly #marker: ProcessMarker;
  readonly #startedAt: number;

  /** @param leader - The number of the process that leads the group; it was started just now. */
  constructor(leader: number, marker: ProcessMarker) {
    this.#leader = leader;
    this.#marker = marker;
    this.#startedAt = (process.platform === "linux" ? processFacts(leader)?.startedAt : undefined) ?? 0;
    if (running.size === 0) process.on("exit", killRunning);
    running.add(this);
  }

  /**
   * Ends whatever is left: asks, waits two seconds, kills.
   *
   * @returns How many are still there, which is none unless they belong to another user or the system hides them.
   */
  async end(): Promise<number> {
    try {
      return await this.#end();
    } finally {
      running.delete(this);
      if (running.size === 0) process.off("exit", killRunning);
    }
  }

  async #end(): Promise<number> {
    const asked = this.#alive();
    if (asked.length === 0) return 0;
    for (const pid of asked) signalProcess(pid, "SIGTERM");
    const deadline = performance.now() + graceMs;
    for (let waitMs = 5; performance.now() < deadline; waitMs = Math.min(waitMs * 2, 100)) {
      await sleep(waitMs);
      if (this.#alive().length === 0) return 0;
    }
    const lastMoment = performance.now() + chaseMs;
    for (let waitMs = 1; ; waitMs = Math.min(waitMs * 2, 100)) {
      this.kill();
      await sleep(waitMs);
      const { length } = this.#alive();
      if (length === 0 || performance.now() >= lastMoment) return length;
    }
  }

  /** Kills whatever is there now. Those that make more of themselves are stopped first, until no new one turns up. */
  kill(): void {
    // All of a group at once: no member can start another one meanwhile.
    if (this.#hasGroup()) signalProcess(this.#group, "SIGKILL");
    const stopped = new Set<number>();
    for (let round = 0; round < mostRounds; round += 1) {
      const fresh = this.#alive(stopped);
      if (fresh.length === 0) break;
      for (const pid of fresh) {
        signalProcess(pid, "SIGSTOP");
        stopped.add(pid);
      }
    }
    for (const pid of stopped) signalProcess(pid, "SIGKILL");
  }

  /** Processes that are there; on systems without `/proc` the group stands for all of them, as one negative number. */
  #alive(beside?: ReadonlySet<number>): readonly number[] {
    const isKnown = (pid: number): boolean => beside?.has(pid) === true;
    if (process.platform !== "linux")
      return isThere(this.#group) && !isKnown(this.#group) ? [this.#group] : [];
    return findProcesses((pid) => {
      if (isKnown(pid)) return false;
      const facts = processFacts(pid);
      if (facts === undefined || facts.isOver || facts.startedAt < this.#startedAt) return false;
      if (facts.group === this.#leader) return true;
      const limit = lockLimit(pid);
      return typeof limit === "bigint" && this.#marker.matches(limit);
    });
  }

  /** Whether the group is there: once it is gone, its number may become somebody else's. */
  #hasGroup(): boolean {
    if (process.platform !== "linux") return isThere(this.#group);
    const inGroup = findProcesses((pid) => {
      const facts = processFacts(pid);
      return facts?.group === this.#leader && !facts.isOver && facts.startedAt >= this.#startedAt;
    });
    return inGroup.length > 0;
  }

  /** Windows has no groups. */
  get #group(): number {
    return process.platform === "win32" ? this.#leader : -this.#leader;
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or belongs to somebody else; the next look tells.
  }
}
