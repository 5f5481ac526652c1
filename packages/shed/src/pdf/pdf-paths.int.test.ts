import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";

import { PdfSession } from "./__fixtures__/pdf-session.ts";
import { pdfProcesses } from "./pdf-processes.ts";

let session: PdfSession;
beforeEach(() => {
  session = new PdfSession();
});
afterEach(() => {
  session.remove();
});
afterAll(() => {
  pdfProcesses.stop();
});

describe("PD-15: a path", () => {
  /** What `cat` says of it: how it ended, and the sentence about the path. */
  async function cat(path: string): Promise<string> {
    const call = {
      action: "run_file_command",
      value: [
        ["cat", "CMD"],
        [path, "PTH"],
      ],
    };
    const { messages } = await session.agent([call]).complete();
    const report = messages.map(({ content }) => content).find((content) => content.includes("Overall: "));
    return said(z.object({ value: z.string() }).parse(JSON.parse(report ?? "{}")).value);
  }

  function said(report: string): string {
    return /Denied read: .*/.exec(report)?.[0] ?? /(?<=(?:cat|process_pdf): ).*/.exec(report)?.[0] ?? "read";
  }

  beforeEach(() => {
    writeFileSync(join(session.top, "w/out/secret.txt"), "OUTSIDE");
    mkdirSync(join(session.top, "w/app-evil"));
    writeFileSync(join(session.top, "w/app-evil/x"), "OUTSIDE");
    symlinkSync(join(session.top, "w/out/secret.txt"), join(session.base, "notes/l"));
    symlinkSync(join(session.top, "w/out"), join(session.base, "notes/o"));
    symlinkSync("a.pdf", join(session.base, "notes/inside"));
    symlinkSync("l2", join(session.base, "notes/l1"));
    symlinkSync("l1", join(session.base, "notes/l2"));
    symlinkSync(join(session.top, "w/out/created"), join(session.base, "notes/new"));
    writeFileSync(join(session.base, "notes/h"), "x");
    linkSync(join(session.base, "notes/h"), join(session.base, "h2"));
    execFileSync("mkfifo", [join(session.base, "notes/p")]);
  });

  it.each([
    { case: "PB-01", path: "../app-evil/x" },
    { case: "PB-02", path: "notes/../../etc/passwd" },
    { case: "PB-02", path: "./notes//./d/../a.pdf", reads: true },
    { case: "PB-03", path: "other/a.pdf" },
    { case: "PB-04", path: "notes/" },
    { case: "PB-04", path: "notes2/a.pdf" },
    { case: "PB-16", path: "notes/%2e%2e/%2e%2e/etc/passwd" },
    { case: "PB-16", path: "notes\\..\\..\\etc" },
    { case: "PB-16", path: "file:///etc/passwd" },
    { case: "PB-19", path: `notes/${"x".repeat(300)}` },
    { case: "PB-19", path: `notes/${"x/".repeat(2_500)}` },
    { case: "PB-23", path: "notes/__proto__" },
    { case: "FT-02", path: "notes/$(touch pwned)" },
    { case: "SL-01", path: "notes/l" },
    { case: "SL-02", path: "notes/o/secret.txt" },
    { case: "SL-02", path: "notes/o/../a.pdf" },
    { case: "SL-03", path: "notes/inside" },
    { case: "SL-04", path: "notes/new" },
    { case: "SL-05", path: "notes/l1" },
    { case: "SL-09", path: ["/proc/self/root", "etc/passwd"].join("/") },
    { case: "SL-09", path: "/dev/fd/3" },
    { case: "SL-10", path: "notes/h" },
    { case: "SP-01", path: "notes/p" },
    { case: "SP-04", path: "/dev/zero" },
    { case: "SP-05", path: "notes/d" },
    { case: "shed 51", path: "notes/a.pdf/" },
    { case: "shed 51", path: "notes/a.pdf/.." },
    { case: "shed 57", path: "notes/[ab].pdf" },
    { case: "shed 57", path: "notes/?.pdf" },
    { case: "none", path: "notes/missing.pdf" },
    { case: "none", path: "" },
  ])("of $case has the same outcome as for cat", async ({ path, reads = false }) => {
    const { outcome, value } = await session.read({ path });
    expect(said(value)).toBe(await cat(path));
    expect(outcome).toBe(reads ? "done" : said(value).startsWith("Denied") ? "denied" : "refused");
    expect(value).not.toContain("OUTSIDE");
  });

  it.each([
    { why: "a NUL", path: "notes/a.pdf\0.txt" },
    { why: "half a character", path: "notes/\udc80" },
  ])("of FT-20 with $why is refused", async ({ path }) => {
    expect(await session.read({ path })).toMatchObject({ outcome: "refused" });
  });

  it("of GL-05 with a star is refused, since it is the path of one file", async () => {
    const { outcome, value } = await session.read({ path: "notes/*.pdf" });
    expect([outcome, value]).toEqual(["refused", expect.stringContaining("a pattern cannot stand here")]);
  });

  it("of SP-02 to a socket is refused as for cat", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(session.base, "notes/s"), resolve));
    expect(said((await session.read({ path: "notes/s" })).value)).toBe(await cat("notes/s"));
    server.close();
  });

  it("of PB-18 below a base that is gone fails, and makes nothing", async () => {
    rmSync(session.base, { recursive: true });
    expect(said((await session.read({ path: "notes/a.pdf" })).value)).toBe(await cat("notes/a.pdf"));
    mkdirSync(session.base);
  });
});
