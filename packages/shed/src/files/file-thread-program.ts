// The program of the thread that FileThread starts.
import { parentPort } from "node:worker_threads";
import { FileWork } from "./file-jobs.ts";
import type { FileJob } from "./file-jobs.ts";

const work = new FileWork();
parentPort?.on("message", (job: FileJob) => {
  const reply = work.do(job);
  parentPort?.postMessage(reply, reply.kind === "join" ? [reply.joined.text.buffer] : []);
});
parentPort?.postMessage("ready");
