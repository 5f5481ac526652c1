/** The moment that names a snapshot or memory file, such as `20260501T100000123456Z`: UTC, to the microsecond. */
export type Stamp = string;

const form = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})(\d{3})(\d{3})Z$/;

/** @param micros - Microseconds since 1970. */
export function stampOf(micros: number): Stamp {
  const whole = Math.floor(micros);
  const ms = Math.floor(whole / 1_000);
  const rest = String(whole - ms * 1_000).padStart(3, "0");
  return `${new Date(ms).toISOString().replace(/[-:.Z]/g, "")}${rest}Z`;
}

/** Microseconds since 1970; undefined for what names no moment. */
export function microsOf(text: string): number | undefined {
  const [, year, month, day, hour, minute, second, milli, micro] = form.exec(text) ?? [];
  if (micro === undefined) return undefined;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${milli}Z`);
  if (Number.isNaN(ms)) return undefined;
  const micros = ms * 1_000 + Number(micro);
  // The 31st of June is another day.
  return stampOf(micros) === text ? micros : undefined;
}

/** A stamp for now that is later than others, also when the clock was set back meanwhile. */
export function stampAfter(nowMs: number, ...earlier: readonly (Stamp | undefined)[]): Stamp {
  const now = Math.floor(nowMs) * 1_000;
  const before = earlier.map((stamp) => (stamp === undefined ? undefined : microsOf(stamp)));
  return stampOf(Math.max(now, ...before.map((micros) => (micros === undefined ? now : micros + 1))));
}

/** The stamp of a file called `STAMP.md`; undefined for any other name. */
export function stampOfFile(name: string): Stamp | undefined {
  if (!name.endsWith(".md")) return undefined;
  const text = name.slice(0, -3);
  return microsOf(text) === undefined ? undefined : text;
}
