import type { BigIntStats } from "node:fs";
import { kindOf } from "../files/entry.ts";
import { compareNames } from "../files/file-name.ts";
import { readAccounts } from "./accounts.ts";
import type { Accounts } from "./accounts.ts";
import type { ListStyle } from "./ls-options.ts";

/** One line of a listing. */
export interface Listed {
  readonly name: string;
  readonly stats: BigIntStats;
  /** What a link says, for a long listing. */
  readonly link?: string | undefined;
}

export function sortListed<T extends Listed>(
  entries: readonly T[],
  { sort, isReversed }: ListStyle,
): readonly T[] {
  if (sort === "none") return entries;
  const sorted = [...entries].sort((one, other) => {
    if (sort === "time" && one.stats.mtimeNs !== other.stats.mtimeNs) {
      return one.stats.mtimeNs > other.stats.mtimeNs ? -1 : 1;
    }
    if (sort === "size" && one.stats.size !== other.stats.size)
      return one.stats.size > other.stats.size ? -1 : 1;
    return compareNames(one.name, other.name);
  });
  return isReversed ? sorted.reverse() : sorted;
}

/**
 * The lines of one block; columns are as wide as the widest entry.
 *
 * @param alongside - Entries that are not shown, and still have a say in how wide the columns are.
 */
export function rowsOf(
  shown: readonly Listed[],
  style: ListStyle,
  nowMs: number,
  alongside: readonly Listed[] = [],
): string {
  const entries = [...shown, ...alongside];
  const names = style.isLong && entries.length > 0 ? accounts(style) : undefined;
  const columns = entries.map((entry) =>
    names === undefined ? [] : longColumns(entry, style, names, nowMs),
  );
  const inodes = style.withInode ? padded(entries.map(({ stats }) => String(stats.ino))) : undefined;
  const blocks = style.withBlocks
    ? padded(entries.map(({ stats }) => blockText(stats.blocks, style)))
    : undefined;
  const widths = [0, 1, 2, 3, 4].map((column) =>
    Math.max(0, ...columns.map((row) => row[column]?.length ?? 0)),
  );
  return shown
    .map((entry, index) => {
      const before = [inodes?.[index], blocks?.[index]].filter((text) => text !== undefined);
      const long = (columns[index] ?? []).map((text, column) => {
        const isLeft = column === 0 || ((column === 2 || column === 3) && !/^\d+$/.test(text));
        return isLeft ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0);
      });
      return [...before, ...long, shownName(entry, style)].join(" ");
    })
    .map((line) => `${line}\n`)
    .join("");
}

/** The line that says how much space a directory's entries take. */
export function totalOf(entries: readonly Listed[], style: ListStyle): string {
  const blocks = entries.reduce((sum, { stats }) => sum + stats.blocks, 0n);
  return `total ${blockText(blocks, style)}\n`;
}

function accounts({ isNumeric }: ListStyle): Accounts {
  return isNumeric ? { user: String, group: String } : readAccounts();
}

function longColumns(
  { stats }: Listed,
  style: ListStyle,
  { user, group }: Accounts,
  nowMs: number,
): readonly string[] {
  const isDevice = stats.isBlockDevice() || stats.isCharacterDevice();
  const size = style.isHuman ? humanSize(stats.size) : String(stats.size);
  return [
    permissionText(stats),
    String(stats.nlink),
    user(stats.uid),
    group(stats.gid),
    isDevice ? deviceText(stats.rdev) : size,
    timeText(stats, nowMs),
  ];
}

function padded(texts: readonly string[]): readonly string[] {
  const width = Math.max(0, ...texts.map((text) => text.length));
  return texts.map((text) => text.padStart(width));
}

/** The kind of a file and who may do what with it, as ten letters. */
function permissionText(stats: BigIntStats): string {
  const mode = Number(stats.mode);
  const bits = Array.from("rwxrwxrwx", (letter, index) => ((mode & (0o400 >> index)) === 0 ? "-" : letter));
  const special = [
    [2, 0o4000, "s"],
    [5, 0o2000, "s"],
    [8, 0o1000, "t"],
  ] as const;
  for (const [index, bit, letter] of special) {
    if ((mode & bit) !== 0) bits[index] = bits[index] === "-" ? letter.toUpperCase() : letter;
  }
  return kindLetter(stats) + bits.join("");
}

function kindLetter(stats: BigIntStats): string {
  if (stats.isDirectory()) return "d";
  if (stats.isSymbolicLink()) return "l";
  if (stats.isFIFO()) return "p";
  if (stats.isSocket()) return "s";
  if (stats.isBlockDevice()) return "b";
  return stats.isCharacterDevice() ? "c" : "-";
}

function deviceText(device: bigint): string {
  const major = ((device >> 8n) & 0xfffn) | ((device >> 32n) & 0xfffff000n);
  const minor = (device & 0xffn) | ((device >> 12n) & 0xffffff00n);
  return `${major}, ${minor}`;
}

const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const halfYearMs = (31_556_952 / 2) * 1000;

/** The local time of the last change; the year instead of the time when that is half a year ago or in the future. */
function timeText({ mtimeNs }: BigIntStats, nowMs: number): string {
  const ms = Number(mtimeNs / 1_000_000n);
  const date = new Date(ms);
  const day = `${months[date.getMonth()] ?? ""} ${String(date.getDate()).padStart(2)}`;
  if (ms <= nowMs && ms > nowMs - halfYearMs) {
    return `${day} ${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
  }
  return `${day}  ${date.getFullYear()}`;
}

function blockText(blocks: bigint, { isHuman }: ListStyle): string {
  return isHuman ? humanSize(blocks * 512n) : String((blocks + 1n) / 2n);
}

/** A size with a unit of 1,024, rounded up: one decimal below ten. */
function humanSize(bytes: bigint): string {
  if (bytes < 1024n) return String(bytes);
  let unit = 1024n;
  let power = 0;
  while (bytes >= unit * 1024n && power < 5) {
    unit *= 1024n;
    power++;
  }
  const tenths = (bytes * 10n + unit - 1n) / unit;
  if (tenths < 100n) return `${tenths / 10n}.${tenths % 10n}${"KMGTPE"[power] ?? ""}`;
  const whole = (bytes + unit - 1n) / unit;
  if (whole === 1024n && power < 5) return `1.0${"KMGTPE"[power + 1] ?? ""}`;
  return `${whole}${"KMGTPE"[power] ?? ""}`;
}

function shownName({ name, stats, link }: Listed, { indicator, isLong }: ListStyle): string {
  if (isLong && link !== undefined) return `${name} -> ${link}`;
  const kind = kindOf(stats);
  if (indicator === "none") return name;
  if (kind === "directory") return `${name}/`;
  if (indicator === "slash") return name;
  if (kind === "link") return `${name}@`;
  if (stats.isFIFO()) return `${name}|`;
  if (stats.isSocket()) return `${name}=`;
  return kind === "file" && (Number(stats.mode) & 0o111) !== 0 ? `${name}*` : name;
}
