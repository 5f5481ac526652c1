import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";

import { bomb, endlessWork, nestedForms, textPdf } from "./__fixtures__/make-pdf.ts";
import { request, textOf } from "./__fixtures__/readings.ts";
import { sampleFiles } from "./__fixtures__/sample-files.ts";
import { PdfProcesses } from "./pdf-processes.ts";

const processes = new PdfProcesses({ most: 2 });
const hurried = new PdfProcesses({ most: 2, mostReadingMs: 1_000 });
afterAll(() => {
  processes.stop();
  hurried.stop();
});

const hello = textPdf([["Hello."]]);
const sample = sampleFiles().find(({ name }) => name === "ghostscript-table")?.bytes ?? new Uint8Array();

/** The processes that this one has started, with the bytes they have resident. Linux tells. */
function children(): readonly { readonly pid: number; readonly resident: number }[] {
  const pids = readFileSync(`/proc/self/task/${process.pid}/children`, "utf8")
    .trim()
    .split(" ")
    .filter(Boolean);
  return pids.flatMap((pid) => {
    try {
      const pages = readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1];
      return [{ pid: Number(pid), resident: Number(pages) * 4096 }];
    } catch {
      return [];
    }
  });
}

it("a process that cannot be started takes nobody's place: the next document is read", async () => {
  const { execPath } = process;
  const few = new PdfProcesses({ most: 1 });
  try {
    // As when the machine is out of memory: the start itself throws.
    process.execPath = "\0";
    await expect(few.read(request(hello))).rejects.toThrow();
  } finally {
    process.execPath = execPath;
  }
  const waited = AbortSignal.timeout(20_000);
  expect(textOf(await few.read(request(hello), { signal: waited }))).toBe("Hello.");
  few.stop();
});

describe("a hostile document", () => {
  it("PD-05: that unfolds to gigabytes costs its process, which stays below 512 MiB", async () => {
    let most = 0;
    const looks = setInterval(() => {
      most = Math.max(most, ...children().map(({ resident }) => resident));
    }, 5);
    const bytes = bomb();
    expect(bytes.length).toBeLessThan(4_096);
    expect(await processes.read(request(bytes))).toEqual({ status: "too-much-memory" });
    clearInterval(looks);
    expect(most).toBeLessThan(512 * 1024 * 1024);
    if (process.platform === "linux") expect(most).toBeGreaterThan(100 * 1024 * 1024);
  });

  it("PD-16: that never ends is given up, and the next one is read", async () => {
    expect(await hurried.read(request(endlessWork()))).toEqual({ status: "too-slow" });
    expect(textOf(await hurried.read(request(hello)))).toBe("Hello.");
  });

  it("PD-16: that takes ever more is given up, and the next one is read", async () => {
    const { status } = await hurried.read(request(nestedForms()));
    expect(["too-slow", "too-much-memory"]).toContain(status);
    expect(textOf(await hurried.read(request(hello)))).toBe("Hello.");
  });

  it("PD-17: among ten at once leaves nine", async () => {
    const readings = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        hurried.read(request(index === 3 ? endlessWork() : textPdf([[`This is ${index}.`]]))),
      ),
    );
    expect(readings.map(textOf)).toEqual(
      Array.from({ length: 10 }, (_, index) => (index === 3 ? "too-slow" : `This is ${index}.`)),
    );
  });
});

describe("the processes that read", () => {
  it("PD-18: are near their start after 500 documents", { timeout: 60_000 }, async () => {
    const one = new PdfProcesses({ most: 1 });
    const known = new Set(children().map(({ pid }) => pid));
    let start = 0;
    for (let index = 0; index < 500; index++) {
      expect((await one.read(request(index % 2 === 0 ? hello : sample))).status).toBe("read");
      if (index === 50) start = process.memoryUsage().heapUsed;
    }
    const own = children().filter(({ pid }) => !known.has(pid));
    one.stop();
    expect(own.filter(({ resident }) => resident > 250 * 1024 * 1024)).toEqual([]);
    expect(process.memoryUsage().heapUsed - start).toBeLessThan(50 * 1024 * 1024);
  });

  it("are kept for the next document", async () => {
    const one = new PdfProcesses({ most: 1 });
    const known = new Set(children().map(({ pid }) => pid));
    const own = (): readonly number[] => children().flatMap(({ pid }) => (known.has(pid) ? [] : [pid]));
    await one.read(request(hello));
    const first = own();
    await one.read(request(hello));
    expect(own()).toEqual(first);
    one.stop();
    await expect.poll(own).toEqual([]);
  });

  it("are stopped when a reading is given up, before and while it waits and while it is read", async () => {
    const one = new PdfProcesses({ most: 1 });
    const reason = new Error("enough");
    await expect(one.read(request(hello), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const [first, second] = [new AbortController(), new AbortController()];
    const reading = one.read(request(endlessWork()), { signal: first.signal });
    const waiting = one.read(request(hello), { signal: second.signal });
    second.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    first.abort(reason);
    await expect(reading).rejects.toBe(reason);
    expect(textOf(await one.read(request(hello)))).toBe("Hello.");
    one.stop();
  });

  it("let their host end, and end with it", async () => {
    const entry = new URL("./pdf-processes.ts", import.meta.url).href;
    const program = `
      import { pdfProcesses } from ${JSON.stringify(entry)};
      import { readFileSync } from "node:fs";
      const bytes = Buffer.from(process.argv[1], "base64");
      const { status } = await pdfProcesses.read({ bytes, range: { from: 1, to: null }, mostCharacters: 9 });
      console.log(status, readFileSync("/proc/self/task/" + process.pid + "/children", "utf8"));`;
    const words = [
      "--import",
      "tsx",
      "--input-type=module",
      "--eval",
      program,
      Buffer.from(hello).toString("base64"),
    ];
    const host = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    host.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    await once(host, "close");
    expect(host.exitCode).toBe(0);
    const [status, pid] = output.trim().split(" ");
    expect(status).toBe("read");
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
