/** Replaces one file without end, in turn by two contents, until it is killed. */
import { replaceOwnerOnly } from "../src/secrets/env-file.ts";

const path = process.argv[2] ?? "";
await replaceOwnerOnly(path, "A".repeat(200_000));
process.stdout.write("ready\n");
for (let turn = 0; ; turn++) await replaceOwnerOnly(path, (turn % 2 === 0 ? "B" : "A").repeat(200_000));
