import type { CommandToken } from "../command.ts";
import type { Random } from "./random.ts";
import { sampleFiles } from "./sample-tree.ts";

/** A command that both our tool and the real program are given. */
export interface GeneratedCommand {
  readonly name: string;
  readonly tokens: readonly CommandToken[];
  readonly stdin?: string;
  /** Whether the order of the output's lines is the file system's, so that both sides are sorted first. */
  readonly isUnordered?: boolean;
}

const flag = (text: string): CommandToken => ({ text, tag: "FLG" });
const argument = (text: string): CommandToken => ({ text, tag: "ARG" });
const path = (text: string): CommandToken => ({ text, tag: "PTH" });
const flags = (texts: readonly string[]): readonly CommandToken[] => texts.map(flag);

const files = Object.keys(sampleFiles);
const folders = [".", "dir", "dir/deep", "odd", "void", ".dot", "dir/", "./dir", "dir/../odd"];
const texts = files.filter((file) => !file.endsWith(".bin"));

function someFiles(random: Random, most = 3): readonly CommandToken[] {
  const chosen = random.some(files, most);
  return (chosen.length === 0 ? [random.pick(files)] : chosen).map(path);
}

function readerInput(
  random: Random,
): Pick<GeneratedCommand, "stdin"> & { operands: readonly CommandToken[] } {
  if (random.chance(0.8)) return { operands: someFiles(random) };
  const stdin = random.pick(["", "a\nb\nc", "one two\n\n\nthree\n", "x\ty\n\n", "grüße 日本\n"]);
  return random.chance(0.5)
    ? { stdin, operands: [] }
    : { stdin, operands: [...someFiles(random, 1), argument("-")] };
}

function end(random: Random): readonly CommandToken[] {
  const count = random.pick(["0", "1", "2", "3", "10", "25", "1000", "00007"]);
  const amount = random.chance(0.8)
    ? [flag(random.pick(["-n", "--lines", "-c", "--bytes"])), argument(count)]
    : [];
  return [...amount, ...flags(random.some(["-q", "-v"], 1))];
}

function findTests(random: Random): readonly CommandToken[] {
  const test = (): readonly CommandToken[] => {
    switch (random.below(8)) {
      case 0:
        return [
          flag("-name"),
          argument(random.pick(["*.txt", "[ab]*", "?.txt", "*", ".*", "*[!t]", "d*", "\\-dash", "*'*"])),
        ];
      case 1:
        return [flag("-iname"), argument(random.pick(["A*", "*.MD", "D??"]))];
      case 2:
        return [flag("-path"), argument(random.pick(["*deep*", "./dir/*", "*/*.md", "dir/deep"]))];
      case 3:
        return [flag("-type"), argument(random.pick(["f", "d", "l", "f,d"]))];
      case 4:
        return [flag("-size"), argument(random.pick(["+0", "1", "-2k", "+10c", "0", "12c", "+1k"]))];
      case 5:
        return [flag("-empty")];
      case 6:
        return [flag(random.pick(["-mtime", "-mmin"])), argument(random.pick(["+10", "-100000", "+500"]))];
      default:
        return [flag("!"), flag("-name"), argument(random.pick(["*.txt", "dir"]))];
    }
  };
  const joined = random.chance(0.4)
    ? [...test(), flag(random.pick(["-o", "-a", "-or", "-and"])), ...test()]
    : test();
  const depth = random.chance(0.3)
    ? [flag(random.pick(["-maxdepth", "-mindepth"])), argument(random.pick(["0", "1", "2"]))]
    : [];
  const action = random.pick([[], [], ["-print"], ["-print0"], ["-prune", "-o", "-print"], ["-depth"]]);
  const grouped = random.chance(0.3) ? [flag("("), ...joined, flag(")")] : joined;
  return [...depth, ...grouped, ...flags(action)];
}

function search(random: Random, own: readonly string[]): Omit<GeneratedCommand, "name"> {
  const isGrep = own.includes("-E");
  const plain = ["-n", "-i", "-v", "-F", "-w", "-x", "-c", "-l", "-q", "-o", "-H", ...own];
  const options = random.some(plain, 3);
  // The programs differ on pairs that exclude each other, and what -o means beside -v or -c.
  const apart = [
    ["-H", "-h"],
    ["-H", "-I"],
    ["-F", "-E"],
    ["-o", "-v"],
    ["-o", "-c"],
  ];
  const kept = apart.some((pair) => pair.every((option) => options.includes(option))) ? ["-n"] : options;
  const isShort = ["-c", "-l", "-q"].some((option) => kept.includes(option));
  const context =
    !isShort && random.chance(0.25)
      ? [flag(random.pick(["-A", "-B", "-C", "-m"])), argument(random.pick(["0", "1", "2"]))]
      : [];
  // Looking for lines only, -m 0 of rg 13 means no limit, and contexts of -o are not shown alike.
  const noContext = kept.includes("-o") || kept.includes("-v") ? [] : context;
  const pattern = random.pick([
    "needle",
    "n.*e",
    "^one$",
    "o",
    "x",
    "grüße",
    "t",
    "four",
    "-",
    "absent",
    "e\\b",
    "[aeiou]{2}",
  ]);
  const isTree = random.chance(0.4);
  const tree = isTree ? random.some(["dir", ".", "odd", "ignored", "dir/deep", "./dir"], 2) : [];
  const operands = tree.length > 0 ? tree : random.some(files, 3);
  const chosen = operands.length > 0 ? operands : [random.pick(files)];
  const recursive = isGrep && tree.length > 0 ? [flag("-r")] : [];
  return {
    tokens: [...flags(kept), ...noContext, ...recursive, argument(pattern), ...chosen.map(path)],
    isUnordered: tree.length > 0 || !isGrep,
  };
}

function copy(random: Random): readonly CommandToken[] {
  const target = random.pick(["new", "void", "dir/new", "void/new", "empty.txt", "dir"]);
  const source = random.pick(random.chance(0.4) ? ["dir/deep", "odd", ".dot", "dir"] : files);
  return [path(source), path(target)];
}

const makers: Readonly<Record<string, (random: Random) => Omit<GeneratedCommand, "name">>> = {
  cat: (random) => {
    const { operands, ...input } = readerInput(random);
    return { ...input, tokens: [...flags(random.some(["-n", "-b", "-s", "-E", "-T"], 3)), ...operands] };
  },
  head: (random) => {
    const { operands, ...input } = readerInput(random);
    return { ...input, tokens: [...end(random), ...operands] };
  },
  tail: (random) => {
    const { operands, ...input } = readerInput(random);
    return { ...input, tokens: [...end(random), ...operands] };
  },
  wc: (random) => {
    const { operands, ...input } = readerInput(random);
    return { ...input, tokens: [...flags(random.some(["-l", "-w", "-c", "-m", "-L"], 3)), ...operands] };
  },
  ls: (random) => {
    const options = random.some(
      ["-l", "-a", "-A", "-h", "-d", "-R", "-1", "-r", "-t", "-S", "-F", "-p", "-s", "-n"],
      4,
    );
    const operands = random.chance(0.2)
      ? []
      : [...random.some([...files, ...folders], 2), random.pick(folders)];
    // The real `ls -lF` looks behind links, which ours does not.
    const isBehindLinks = options.includes("-F") && (options.includes("-l") || options.includes("-n"));
    return {
      tokens: [
        ...flags(isBehindLinks ? options.filter((option) => option !== "-F") : options),
        ...operands.map(path),
      ],
    };
  },
  find: (random) => ({
    tokens: [...random.some(folders, 2).map(path), ...findTests(random)],
    isUnordered: true,
  }),
  diff: (random) => ({
    tokens: [
      ...flags(random.some(["-u", "-q", "-s", "-i", "-w"], 2)),
      path(random.pick(files)),
      path(random.pick(texts)),
    ],
  }),
  cp: (random) => ({
    isUnordered: true,
    tokens: [...flags(random.some(["-r", "-v", "-f"], 3)), ...copy(random)],
  }),
  mv: (random) => ({ tokens: [...flags(random.some(["-v", "-f"], 2)), ...copy(random)] }),
  rm: (random) => ({
    tokens: [
      ...flags(random.some(["-r", "-f"], 2)),
      ...random
        .some(
          [...files, ...folders.filter((folder) => folder !== "."), "void/link", "void/dangling", "missing"],
          2,
        )
        .map(path),
    ],
  }),
  mkdir: (random) => ({
    tokens: [
      ...flags(random.some(["-p", "-v"], 2)),
      ...[
        random.pick(["new", "new/a/b", "dir/x", "dir", "void/y/../z", "a/b/c"]),
        ...random.some(["other", "other/in"], 2),
      ].map(path),
    ],
  }),
  touch: (random) => {
    const time = random.pick([
      [],
      [
        flag("-d"),
        argument(random.pick(["2001-02-03", "2001-02-03 04:05:06", "@86400", "2020-12-31T23:59:59Z"])),
      ],
      [flag("-t"), argument(random.pick(["200102030405", "0102030405.06", "12312359"]))],
      [flag("-r"), path("b.txt")],
    ]);
    return {
      tokens: [
        ...flags(random.some(["-a", "-m", "-c"], 1)),
        ...time,
        ...[random.pick(["new", "a.txt", "dir", "dir/new"])].map(path),
      ],
    };
  },
  tee: (random) => ({
    stdin: random.pick(["", "text\n", "grüße\nx"]),
    tokens: [...flags(random.some(["-a"], 1)), ...random.some(["new", "a.txt", "dir/new"], 2).map(path)],
  }),
  grep: (random) => search(random, ["-h", "-E"]),
  rg: (random) => search(random, ["-I", "--hidden", "--no-ignore"]),
  pwd: () => ({ tokens: [] }),
};

/** Whether a command may change the tree. */
export const changingCommands: ReadonlySet<string> = new Set(["cp", "mv", "rm", "mkdir", "touch", "tee"]);

export function generateCommand(random: Random): GeneratedCommand {
  const name = random.pick(Object.keys(makers));
  const made = makers[name]?.(random);
  return { name, tokens: [], ...made };
}
