/** Year, month from 0, day, hour, minute and second. */
type Parts = readonly [
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
];

const unitMs: Readonly<Record<string, number>> = {
  second: 1000,
  sec: 1000,
  minute: 60_000,
  min: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 7 * 86_400_000,
  fortnight: 14 * 86_400_000,
};
const relativeDays: Readonly<Record<string, number>> = { now: 0, today: 0, yesterday: -1, tomorrow: 1 };

const isoDate =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?)?)?$/i;
const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const relative = /([+-]?\d+)\s*(second|sec|minute|min|hour|day|week|fortnight|month|year)s?(\s+ago)?/giy;

/**
 * The time a `-d` text means, in milliseconds since 1970: `@SECONDS`, ISO dates with or without a time and a zone,
 * `HH:MM`, `now`, `today`, `yesterday`, `tomorrow`, and sums such as `2 days ago` or `+1 week`. `undefined` for any
 * other text.
 */
export function parseDate(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  const epoch = /^@(-?\d+)(?:[.,](\d+))?$/.exec(trimmed);
  if (epoch !== null) return Number(`${epoch[1] ?? ""}.${epoch[2] ?? "0"}`) * 1000;
  const iso = isoDate.exec(trimmed);
  if (iso !== null) return fromIso(iso);
  const time = clock.exec(trimmed);
  if (time !== null) {
    const day = new Date(nowMs);
    return validTime(time) ? day.setHours(part(time, 1), part(time, 2), part(time, 3), 0) : undefined;
  }
  const days = relativeDays[trimmed.toLowerCase()];
  if (days !== undefined) return shifted(nowMs, "day", days);
  return fromRelative(trimmed, nowMs);
}

function fromIso(match: RegExpExecArray): number | undefined {
  const [, , , , , , , fraction = "", zone] = match;
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map((index) => part(match, index));
  const parts = [year ?? 0, (month ?? 0) - 1, day ?? 0, hour ?? 0, minute ?? 0, second ?? 0] as const;
  const utc = utcTime(parts);
  const isReal =
    utc.getUTCMonth() === parts[1] && utc.getUTCDate() === parts[2] && parts[3] < 24 && parts[4] < 60;
  if (!isReal || parts[5] > 60) return undefined;
  const ms = fraction === "" ? 0 : Number(`0.${fraction}`) * 1000;
  if (zone === undefined) return localTime(parts).getTime() + ms;
  return utc.getTime() + ms - zoneMs(zone);
}

function zoneMs(zone: string): number {
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone);
  if (match === null) return 0;
  return (match[1] === "-" ? -1 : 1) * (part(match, 2) * 60 + part(match, 3)) * 60_000;
}

function fromRelative(text: string, nowMs: number): number | undefined {
  let ms = nowMs;
  let at = 0;
  while (at < text.length) {
    relative.lastIndex = at;
    const match = relative.exec(text);
    if (match === null) return undefined;
    const [whole, count = "", unit = "", ago] = match;
    ms = shifted(ms, unit.toLowerCase(), Number(count) * (ago === undefined ? 1 : -1));
    at += whole.length;
    while (text[at] === " ") at++;
  }
  return text === "" ? undefined : ms;
}

function shifted(ms: number, unit: string, count: number): number {
  const date = new Date(ms);
  if (unit === "month") return date.setMonth(date.getMonth() + count);
  if (unit === "year") return date.setFullYear(date.getFullYear() + count);
  return ms + count * (unitMs[unit] ?? 0);
}

/** The time of a `-t` stamp, `[[CC]YY]MMDDhhmm[.ss]`; `undefined` for any other text. */
export function parseStamp(text: string, nowMs: number): number | undefined {
  const match = /^(?:(\d{2})?(\d{2}))?(\d{2})(\d{2})(\d{2})(\d{2})(?:\.(\d{2}))?$/.exec(text);
  if (match === null) return undefined;
  const [, century, short] = match;
  const year =
    short === undefined
      ? new Date(nowMs).getFullYear()
      : Number(century ?? (Number(short) < 69 ? "20" : "19")) * 100 + Number(short);
  const [month, day, hour, minute, second] = [3, 4, 5, 6, 7].map((index) => part(match, index));
  const date = localTime([year, (month ?? 0) - 1, day ?? 0, hour ?? 0, minute ?? 0, second ?? 0]);
  const isReal = date.getMonth() === (month ?? 0) - 1 && date.getDate() === day && date.getHours() === hour;
  return isReal && (minute ?? 0) < 60 && (second ?? 0) <= 60 ? date.getTime() : undefined;
}

/** The constructor of `Date` takes the years 0 to 99 for those of the last century. */
function localTime([year, month, day, hour, minute, second]: Parts): Date {
  const date = new Date(2000, 0, 1);
  date.setFullYear(year, month, day);
  date.setHours(hour, minute, second);
  return date;
}

function utcTime([year, month, day, hour, minute, second]: Parts): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  date.setUTCHours(hour, minute, second);
  return date;
}

function part(match: RegExpExecArray, index: number): number {
  return Number(match[index] ?? 0);
}

function validTime(match: RegExpExecArray): boolean {
  return part(match, 1) < 24 && part(match, 2) < 60 && part(match, 3) <= 60;
}
