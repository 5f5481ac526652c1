import * as z from "zod";
import { runCommands } from "./filing.ts";
import { peakMebibytes } from "./peak-memory.ts";

/** Runs one file command in this process, and prints its peak of resident memory in MiB. */
const tag = z.enum(["CMD", "FLG", "ARG", "PTH", "CTL"]);
const [base = "", tokens = ""] = process.argv.slice(2);
await runCommands(base, [z.array(z.tuple([z.string(), tag])).parse(JSON.parse(tokens))]);
process.stdout.write(String(peakMebibytes()));
