import type { ExternalDependency } from "@roboz/core";
import type { HealthLogEntry, HealthRecord } from "@roboz/shed";

import type { CommandContext } from "../command.ts";
import { UnavailableError } from "../errors.ts";
import { errorLine } from "../error-line.ts";
import { loadShed } from "../shed/shed-package.ts";
import { healthTable } from "./health-table.ts";

/** What is checked, and how. */
export interface HealthRequest {
  readonly dependencies: readonly ExternalDependency[];
  readonly json?: boolean | undefined;
  readonly intervalMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/**
 * Checks everything once, and prints what came of it.
 *
 * @throws {@link UnavailableError} (`cli/unavailable`) when something cannot be used.
 */
export async function checkHealth(
  { dependencies, json, ...times }: HealthRequest,
  { terminal, interrupts }: CommandContext,
): Promise<void> {
  const { DependencyHealthMonitor } = await loadShed("health");
  const monitor = new DependencyHealthMonitor(dependencies, times);
  const stop = (): void => void monitor.stop();
  interrupts.signal.addEventListener("abort", stop, { once: true });
  const records = await monitor.runOnce();
  interrupts.signal.throwIfAborted();
  terminal.output.write(json === true ? `${JSON.stringify(records, null, 2)}\n` : healthTable(records));
  throwForUnavailable(records);
}

/** Signals that end the watch, as Ctrl-C does. */
const endings = ["SIGTERM", "SIGHUP"] as const;

/**
 * Checks everything again and again until it is ended: prints all of it once, then what changes.
 *
 * @throws {@link UnavailableError} (`cli/unavailable`) at its end, when something cannot be used then.
 */
export async function watchHealth(
  { dependencies, json, ...times }: HealthRequest,
  { terminal, interrupts }: CommandContext,
): Promise<void> {
  const { DependencyHealthMonitor } = await loadShed("health");
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  /** Those of which nothing was heard yet; once there are none, all are printed. */
  const unheard = new Set(dependencies.map(({ dependencyId }) => dependencyId));
  const log = (entry: HealthLogEntry): void => {
    const isFirst = unheard.size > 0;
    if (entry.data !== null) unheard.delete(entry.data.dependencyId);
    if (json === true) printJson(entry, isFirst);
    else if (isFirst && unheard.size === 0) terminal.output.write(healthTable(monitor.records()));
    else if (!isFirst && entry.level !== "debug") terminal.output.write(changeLine(entry));
  };
  const printJson = ({ level, data }: HealthLogEntry, isFirst: boolean): void => {
    if (data !== null && (isFirst || level !== "debug")) terminal.output.write(`${JSON.stringify(data)}\n`);
  };
  const monitor = new DependencyHealthMonitor(dependencies, { ...times, log });
  if (dependencies.length === 0) terminal.output.write(healthTable([]));
  const unhandle = interrupts.handle(end);
  interrupts.signal.addEventListener("abort", end);
  for (const signal of endings) process.on(signal, end);
  try {
    monitor.start();
    await ended;
  } finally {
    await monitor.stop();
    unhandle();
    interrupts.signal.removeEventListener("abort", end);
    for (const signal of endings) process.off(signal, end);
  }
  interrupts.signal.throwIfAborted();
  throwForUnavailable(monitor.records());
}

/** A change on one line, with the time at which it was seen. */
function changeLine({ message, data }: HealthLogEntry): string {
  const at = data?.checkedAt ?? new Date();
  return `${at.toISOString()}  ${errorLine(message)}\n`;
}

function throwForUnavailable(records: readonly HealthRecord[]): void {
  const ids = records.flatMap(({ status, dependencyId }) => (status === "unavailable" ? [dependencyId] : []));
  if (ids.length > 0) throw new UnavailableError({ dependencyIds: ids, checked: records.length });
}
