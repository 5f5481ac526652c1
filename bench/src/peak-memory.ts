import { existsSync, readFileSync } from "node:fs";

const status = "/proc/self/status";

/**
 * The most memory that this process has had resident, in MiB. On Linux the kernel's own figure: `maxRSS` begins there
 * with what the process had before it became this program, which is what its parent had.
 */
export function peakMebibytes(): number {
  const [, kibibytes] = existsSync(status)
    ? (/^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(status, "utf8")) ?? [])
    : [];
  return Number(kibibytes ?? process.resourceUsage().maxRSS) / 1024;
}
