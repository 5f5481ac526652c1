import { text } from "node:stream/consumers";

import * as z from "zod";

import { colourAgent } from "./colour-agent.ts";
import type { RunResult } from "../outcome.ts";
import type { RunSnapshot } from "../snapshot.ts";
import type { Stop } from "../../values/builtin.ts";

/** Resumes each snapshot of the list on standard input to its end, and prints the conversations and reports. */
const snapshots = z.array(z.custom<RunSnapshot>()).parse(JSON.parse(await text(process.stdin)));
const ends: RunResult<Stop>[] = [];
for (const snapshot of snapshots) {
  let result = await colourAgent().resume(snapshot, snapshot.pending === null ? undefined : "blue");
  if (result.status === "suspended") result = await colourAgent().resume(result.snapshot, "blue");
  ends.push(result);
}
process.stdout.write(JSON.stringify(ends));
