import { DependencyFailure, isExternalDependency, type ExternalDependency } from "@roboz/core";

import { DependencyHealthMonitor, type HealthLogEntry, type HealthMonitorSettings } from "../monitor.ts";
import { ManualClock } from "./manual-clock.ts";

export type Check = ExternalDependency["check"];

/** Something from outside, with parts that the compiler would not take. */
export function service(id: string, check: unknown, parts: object = {}): ExternalDependency {
  const made: unknown = {
    dependencyId: id,
    kind: "network_service",
    redactedMetadata: () => ({}),
    check,
    ...parts,
  };
  if (isExternalDependency(made)) return made;
  throw new TypeError("no dependency");
}

export const fails = (message: string): DependencyFailure =>
  new DependencyFailure({ reasonCode: "connection_failed", message });
export const ok: Check = () => Promise.resolve(null);
export const never: Check = () => new Promise(() => undefined);

/** Gives one result after the other. */
export function scripted(...results: readonly (DependencyFailure | null)[]): Check {
  const left = [...results];
  return () => Promise.resolve(left.shift() ?? null);
}

/** A monitor on a clock that stands still, and what it says. */
export function watched(dependencies: Iterable<ExternalDependency>, settings: HealthMonitorSettings = {}) {
  const clock = new ManualClock();
  const entries: HealthLogEntry[] = [];
  const log = (entry: HealthLogEntry): void => {
    entries.push(entry);
  };
  const now = (): Date => new Date(clock.now());
  const monitor = new DependencyHealthMonitor(dependencies, { clock, log, now, ...settings });
  return { clock, entries, monitor };
}
