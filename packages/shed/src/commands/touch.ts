import { closeSync, constants, fstatSync, futimesSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import type { FileAccess } from "../files/access.ts";
import { kindOf } from "../files/entry.ts";
import { lastName, parentLocation } from "../files/file-name.ts";
import { systemCode } from "../files/system-error.ts";
import { quoted } from "../permissions/quote.ts";
import type { CommandDefinition, PathOperand } from "./command.ts";
import { CommandRefusal } from "./command.ts";
import { fingerprintOf, read, refusal, shownArguments, whyNoFile } from "./inputs.ts";
import { Output } from "./output.ts";
import { checkTarget, create, gnuQuoted, writeNeeds } from "./targets.ts";
import { parseDate, parseStamp } from "./touch-date.ts";

/** Times in milliseconds since 1970; `undefined` leaves one as it is. */
interface Times {
  readonly accessed: number | undefined;
  readonly modified: number | undefined;
}

/** `touch`: sets the times of files, and makes those that are missing. */
export const touch: CommandDefinition = {
  name: "touch",
  options: {
    options: [
      { key: "access", forms: ["-a"] },
      { key: "modification", forms: ["-m"] },
      { key: "no-create", forms: ["-c", "--no-create"] },
      { key: "date", forms: ["-d", "--date"], value: "ARG" },
      { key: "stamp", forms: ["-t"], value: "ARG" },
      { key: "reference", forms: ["-r", "--reference"], value: "PTH" },
    ],
    conflicts: [
      ["stamp", "date"],
      ["stamp", "reference"],
    ],
  },
  async prepare(command, { access, paths }) {
    const { options, operands } = command;
    if (operands.length === 0) throw new CommandRefusal("touch: it needs at least one path");
    const text = options.get("reference");
    const reference = typeof text === "string" ? await paths.literal(text) : undefined;
    if (reference !== undefined) checkReference(reference);
    const targets: PathOperand[] = [];
    for (const operand of operands) {
      if (operand.tag !== "PTH")
        throw new CommandRefusal(`touch: ${quoted(operand.text)} is no path; give it as PTH`);
      targets.push(...(await paths.source(operand.text)));
    }
    for (const target of targets) if (!isDirectory(target)) checkTarget("touch", target);
    const times = timesOf(options, reference?.stats);
    return {
      needs: [
        ...(reference === undefined ? [] : [read(reference.location)]),
        ...targets.flatMap((target) =>
          isDirectory(target) ? [create(target.location)] : writeNeeds(target),
        ),
      ],
      shown: shownArguments(
        command,
        targets.map(({ spelled }) => ({ shown: spelled })),
      ),
      fingerprint: () => fingerprintOf(reference === undefined ? targets : [reference, ...targets]),
      async run(io) {
        const output = new Output("touch", io);
        const made = new Map<string, BigIntStats>();
        for (const target of targets) {
          const { location, spelled } = target;
          try {
            const stats = target.stats ?? made.get(location);
            if (stats !== undefined && kindOf(stats) === "directory") {
              setDirectory(access, location, stats, times());
            } else if (stats !== undefined || !options.has("no-create")) {
              made.set(location, setFile(access, location, stats, times()));
            }
          } catch (error) {
            await output.complainAbout(`cannot touch ${gnuQuoted(spelled)}`, error);
          }
          if (output.isDue) await output.flow();
        }
        return output.status;
      },
    };
  },
};

function isDirectory({ stats }: PathOperand): boolean {
  return stats !== undefined && kindOf(stats) === "directory";
}

function checkReference(reference: PathOperand): void {
  const { stats } = reference;
  if (stats === undefined) throw refusal("touch", reference, "No such file or directory");
  const kind = kindOf(stats);
  if (kind === "directory") return;
  if (kind !== "file" || stats.nlink > 1n) throw refusal("touch", reference, whyNoFile(stats));
}

/** Reads the times once, so that a bad one refuses the command; "now" is asked for at each file. */
function timesOf(
  options: ReadonlyMap<string, string | true>,
  reference: BigIntStats | undefined,
): () => Times {
  const only = { access: options.has("access"), modification: options.has("modification") };
  const pick = (accessed: number, modified: number): Times => ({
    accessed: only.modification && !only.access ? undefined : accessed,
    modified: only.access && !only.modification ? undefined : modified,
  });
  const from = { accessed: ms(reference?.atimeNs), modified: ms(reference?.mtimeNs) };
  const date = options.get("date");
  if (typeof date === "string") {
    const at = (start: number): number => known(parseDate(date, start), date);
    const now = Date.now();
    const fixed = { accessed: at(from.accessed ?? now), modified: at(from.modified ?? now) };
    return () => pick(fixed.accessed, fixed.modified);
  }
  const stamp = options.get("stamp");
  if (typeof stamp === "string") {
    const fixed = known(parseStamp(stamp, Date.now()), stamp);
    return () => pick(fixed, fixed);
  }
  const { accessed, modified } = from;
  if (accessed !== undefined && modified !== undefined) return () => pick(accessed, modified);
  return () => {
    const now = performance.timeOrigin + performance.now();
    return pick(now, now);
  };
}

function ms(nanoseconds: bigint | undefined): number | undefined {
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6;
}

function known(time: number | undefined, text: string): number {
  if (time !== undefined && Number.isFinite(time)) return time;
  throw new CommandRefusal(
    `touch: invalid date: ${quoted(text)}; use for example "2031-05-04 13:00", "@1900000000", "2 days ago", or -t with [[CC]YY]MMDDhhmm[.ss]`,
  );
}

function setFile(
  access: FileAccess,
  location: string,
  expected: BigIntStats | undefined,
  times: Times,
): BigIntStats {
  const directory = access.at(parentLocation(location));
  const name = lastName(location);
  const descriptor = expected === undefined ? directory.createFile(name, constants.O_WRONLY) : openForTimes();
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    futimesSync(descriptor, seconds(times.accessed, stats.atimeNs), seconds(times.modified, stats.mtimeNs));
    return stats;
  } finally {
    closeSync(descriptor);
  }

  /** The owner of a file may set its times without a right to write it. */
  function openForTimes(): number {
    try {
      return directory.openFile(name, constants.O_WRONLY, expected).descriptor;
    } catch (error) {
      if (systemCode(error) !== "EACCES") throw error;
      return directory.openFile(name, constants.O_RDONLY, expected).descriptor;
    }
  }
}

function setDirectory(access: FileAccess, location: string, stats: BigIntStats, times: Times): void {
  access
    .at(location)
    .setTimes(seconds(times.accessed, stats.atimeNs), seconds(times.modified, stats.mtimeNs));
}

function seconds(time: number | undefined, kept: bigint): number | Date {
  const given = time ?? Number(kept) / 1e6;
  // Node takes a number below zero for the present; a `Date` it takes for what it says.
  return given < 0 ? new Date(Math.floor(given)) : given / 1000;
}
