import { join } from "node:path";
import { text } from "node:stream/consumers";

import * as z from "zod";

import { fileJournalStore, resumeRun, type RunSnapshot } from "../../index.ts";
import { newspaperAgent } from "./newspaper-agent.ts";

/** What a process is to do with its stretch of the run; answers with the result on standard output. */
const { folder, by, reply, snapshot } = z
  .object({
    folder: z.string(),
    by: z.enum(["journal", "snapshot"]),
    reply: z.unknown().optional(),
    snapshot: z.custom<RunSnapshot>().optional(),
  })
  .parse(JSON.parse(await text(process.stdin)));
const agent = newspaperAgent(join(folder, "ledger"));
const journal = by === "journal" ? fileJournalStore(join(folder, "runs")) : undefined;
const isFirst = reply === undefined;
const result = isFirst
  ? await agent.invoke("A paper, please.", { journal, runId: "paper" })
  : journal === undefined
    ? await agent.resume(z.custom<RunSnapshot>().parse(snapshot), reply)
    : await resumeRun(journal, "paper", agent, { reply });
process.stdout.write(JSON.stringify(result));
