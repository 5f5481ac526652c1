import { directoriesOf } from "../files/listed-tree.ts";
import type { CommandDefinition } from "./command.ts";
import { fingerprintOf } from "./inputs.ts";
import { searchOptions } from "./search-options.ts";
import {
  patternOf,
  planOperand,
  planSearch,
  searchedPlaces,
  searchNeeds,
  shownOperands,
} from "./search-plan.ts";
import type { SearchOperand } from "./search-plan.ts";
import { runSearch } from "./search-run.ts";
import type { SearchItem } from "./search-texts.ts";
import { DirectoryFiles, FoundFiles } from "./search-tree.ts";

/** `grep`: lines that match, by the real program. */
export const grep: CommandDefinition = {
  name: "grep",
  options: {
    options: [
      ...searchOptions,
      { key: "extended-regexp", forms: ["-E", "--extended-regexp"] },
      { key: "no-filename", forms: ["-h", "--no-filename"] },
      { key: "recursive", forms: ["-r", "--recursive"] },
      { key: "dereference-recursive", forms: ["-R", "--dereference-recursive"] },
    ],
    conflicts: [
      ["extended-regexp", "fixed-strings"],
      ["with-filename", "no-filename"],
      ["recursive", "dereference-recursive"],
    ],
  },
  async prepare(command, context) {
    const { options, operands, tokens } = command;
    const pattern = patternOf("grep", operands);
    const isStrict = options.has("dereference-recursive");
    const isRecursive = isStrict || options.has("recursive");
    const planned = [...(await planSearch("grep", operands.slice(1), { isRecursive, isStrict }, context))];
    const hasOperands = planned.length > 0;
    if (!hasOperands && !isRecursive) planned.push({ kind: "stdin" });
    if (!hasOperands && isRecursive) {
      // A search of the base that nobody named shows names without a `./`.
      const unnamed = { isRecursive, isStrict, prefix: "" };
      planned.push(await planOperand("grep", await context.paths.literal("."), unnamed, context));
    }
    return {
      ...searchNeeds(planned),
      shown: [
        ...tokens.slice(0, tokens.length - operands.length).map(({ text }) => text),
        "-e",
        pattern,
        ...(hasOperands ? ["--", ...shownOperands(planned)] : []),
      ],
      fingerprint: () => fingerprintOf(searchedPlaces(planned)),
      run: (io) =>
        runSearch(
          {
            name: "grep",
            options,
            pattern,
            hasNames: hasNames(options, planned),
            more: options.has("extended-regexp") ? ["--extended-regexp"] : [],
            tellsFoundFiles: false,
          },
          { items: planned.map(itemOf), passedOver: [] },
          { access: context.access, io },
        ),
    };
  },
};

function hasNames(options: ReadonlyMap<string, unknown>, planned: readonly SearchOperand[]): boolean {
  if (options.has("with-filename")) return true;
  if (options.has("no-filename")) return false;
  return planned.length > 1 || planned[0]?.kind === "tree";
}

function itemOf(operand: SearchOperand): SearchItem {
  if (operand.kind === "stdin") return "stdin";
  if (operand.kind === "file") return operand.file;
  const found = new FoundFiles(operand.shown);
  for (const directory of directoriesOf(operand.top))
    found.directories.push(new DirectoryFiles(directory, operand.shown));
  return found;
}
