import { turningAgent } from "./agents.ts";
import { bareTurns } from "./bare.ts";
import { peakMebibytes } from "./peak-memory.ts";

/** Runs 1,000 of one kind at once in this process, and prints what it cost as JSON. */
const count = 1000;
const turns = 10;
const work: () => Promise<unknown> =
  process.argv[2] === "bare" ? () => bareTurns(turns) : () => turningAgent(turns).complete();

const before = process.cpuUsage();
await Promise.all(Array.from({ length: count }, work));
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1000, peakMb: peakMebibytes() }));
