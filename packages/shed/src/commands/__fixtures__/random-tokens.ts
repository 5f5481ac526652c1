import type { CommandToken } from "../command.ts";
import { commandNames } from "../command.ts";
import type { Random } from "./random.ts";

const components = [
  "notes",
  "d1",
  "d2",
  "f1",
  "f2",
  "a",
  "b",
  "sub",
  "secret.txt",
  "plain",
  "link",
  "loop",
  "dangling",
  "hard",
  "fifo",
  "new",
  "*",
  "*",
  "**",
  ".*",
  "..",
  "..",
  ".",
  "out",
  "-rf",
  "odd name",
  ".d1.real",
  ".d1.link",
  "p*",
  "s*t",
];
const flags = [
  "-n",
  "-r",
  "-R",
  "-f",
  "-v",
  "-l",
  "-a",
  "-p",
  "-c",
  "-t",
  "-T",
  "-d",
  "-L",
  "-i",
  "-q",
  "-la",
  "-H",
  "-s",
  "-m",
  "--",
  "-print",
  "-name",
  "-type",
  "-uu",
  "--no-ignore",
  "--hidden",
  "-exec",
  "-delete",
  "!",
  "(",
  ")",
  "-o",
  "-maxdepth",
];
const words = [
  "-",
  "2",
  "0",
  "1",
  "f",
  "d",
  "*",
  "OUT",
  "inside",
  "trash",
  "",
  "2001-01-01",
  "99999999999999999999",
  "../../out",
  "text\n",
];

/** Places where something stands, or could. */
const likelyPaths = [
  "notes/d1/a",
  "notes/d1/secret.txt",
  "notes/d1/sub/c",
  "notes/d1/sub",
  "notes/d1/new",
  "notes/d1/*",
  "notes/d2",
  "notes/d2/b",
  "notes/d2/**/c",
  "notes/f1",
  "notes/f2",
  "notes/plain/a",
  "notes/plain/deep/new",
  "notes/new",
  "notes/*",
];

function randomPath(random: Random, places: readonly string[]): string {
  if (random.chance(0.6)) return random.pick(likelyPaths);
  const start = random.chance(0.65) ? "notes" : random.pick(places);
  const picked = Array.from({ length: random.below(4) }, () => random.pick(components));
  // A deep pattern that starts elsewhere would walk the whole machine.
  const isNear = start === "notes" && !picked.includes("..");
  const rest = isNear ? picked : picked.filter((component) => component !== "**");
  return [start, ...rest].join("/") + (random.chance(0.1) ? "/" : "");
}

function randomToken(random: Random, places: readonly string[]): CommandToken {
  const roll = random.next();
  if (roll < 0.2) return { text: random.pick(flags), tag: "FLG" };
  if (roll < 0.3) return { text: random.pick(words), tag: "ARG" };
  return { text: randomPath(random, places), tag: "PTH" };
}

const likely: Readonly<Record<string, readonly (readonly CommandToken[])[]>> = {
  grep: [
    [
      { text: "-r", tag: "FLG" },
      { text: "S", tag: "ARG" },
    ],
    [{ text: "I", tag: "ARG" }],
  ],
  rg: [
    [
      { text: "-uu", tag: "FLG" },
      { text: "S", tag: "ARG" },
    ],
    [{ text: "I", tag: "ARG" }],
  ],
  gio: [[{ text: "trash", tag: "ARG" }]],
  cp: [[{ text: "-r", tag: "FLG" }], []],
  rm: [
    [{ text: "-r", tag: "FLG" }],
    [
      { text: "-r", tag: "FLG" },
      { text: "-f", tag: "FLG" },
    ],
    [],
  ],
  mkdir: [[{ text: "-p", tag: "FLG" }], []],
  tee: [[{ text: "MINE", tag: "ARG" }], []],
};
const cheap = commandNames.filter((name) => name !== "grep" && name !== "rg");

/** Commands that meet a file or a directory when they are given one. */
const meeting = ["cat", "head", "tail", "wc", "touch", "tee", "rm", "mkdir", "cp", "mv"] as const;
const takesTwo = new Set<string>(["cp", "mv"]);

/** A command that somebody could mean, at places that are likely to be there. */
function sensibleCommand(random: Random): { name: string; tokens: readonly CommandToken[] } {
  const name = random.pick(meeting);
  const paths = Array.from({ length: takesTwo.has(name) ? 2 : 1 }, () => random.pick(likelyPaths));
  return {
    name,
    tokens: [...random.pick(likely[name] ?? [[]]), ...paths.map((text) => ({ text, tag: "PTH" as const }))],
  };
}

/** A command that may be sensible or not. The programs are started seldom, for they take long to start. */
export function randomCommand(
  random: Random,
  places: readonly string[],
): { name: string; tokens: readonly CommandToken[] } {
  if (random.chance(0.4)) return sensibleCommand(random);
  const name = random.chance(0.02) ? random.pick(["grep", "rg"]) : random.pick(cheap);
  const start = random.chance(0.8) ? random.pick(likely[name] ?? [[]]) : [];
  const more = Array.from({ length: random.below(4) }, () =>
    random.chance(0.7)
      ? { text: randomPath(random, places), tag: "PTH" as const }
      : randomToken(random, places),
  );
  return { name, tokens: [...start, ...more] };
}
