import { writeSync } from "node:fs";
import { FileAccess } from "../../files/access.ts";
import { preparePatch } from "../patch.ts";

/** Replaces the text of one file by a longer and a shorter one in turn, and tells of each patch once it was done. */
const [base = "", ...texts] = process.argv.slice(2);
const access = new FileAccess({ base });
for (let round = 1; ; round += 1) {
  const letter = texts[round % texts.length] ?? "";
  const prepared = await preparePatch(
    { path: "f", oldText: "", newText: letter.repeat(100_000), replacesAll: false },
    { access, literal: (path) => Promise.resolve(access.lookUp(path)) },
  );
  const { isDone } = await prepared.run(new AbortController().signal);
  if (!isDone) throw new Error("The patch failed");
  writeSync(1, ".");
}
