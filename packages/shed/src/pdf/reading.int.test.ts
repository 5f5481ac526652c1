import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { afterAll, describe, expect, it } from "vitest";

import { pdfOf, textPdf, type PdfObject } from "./__fixtures__/make-pdf.ts";
import { sampleFiles } from "./__fixtures__/sample-files.ts";
import { request, textOf } from "./__fixtures__/readings.ts";
import type { Reading } from "./pdf-process.ts";
import { PdfProcesses } from "./pdf-processes.ts";

const processes = new PdfProcesses({ most: 2 });
afterAll(() => {
  processes.stop();
});

const hello = textPdf([["Hello."]]);
const sample = sampleFiles().find(({ name }) => name === "ghostscript-table")?.bytes ?? new Uint8Array();

function read(bytes: Uint8Array, from?: number, to?: number): Promise<Reading> {
  return processes.read(request(bytes, from, to));
}

const catalog = "<< /Type /Catalog /Pages 2 0 R >>";
const emptyPage = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>";
const cut = (bytes: Uint8Array, tenths: number): Uint8Array =>
  bytes.slice(0, Math.floor((bytes.length * tenths) / 10));
const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, "latin1"));

describe("a document", () => {
  it.each<{ why: string; bytes: Uint8Array }>([
    { why: "a PNG", bytes: bytesOf("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0") },
    { why: "an HTML page", bytes: bytesOf("<!doctype html><title>%PDF-1.7</title>") },
    { why: "empty", bytes: new Uint8Array() },
    {
      why: "random bytes",
      bytes: Uint8Array.from(createHash("shake256", { outputLength: 9_999 }).update("4").digest()),
    },
  ])("PD-02: that is $why is damaged", async ({ bytes }) => {
    expect(await read(bytes)).toEqual({ status: "damaged" });
  });

  it("PD-03: that was cut gives text or is damaged", async () => {
    const statuses = [];
    for (let tenths = 1; tenths < 10; tenths++) {
      for (const whole of [hello, sample]) statuses.push((await read(cut(whole, tenths))).status);
    }
    expect(statuses.filter((status) => status !== "damaged" && status !== "read")).toEqual([]);
  });

  it.each([
    {
      why: "without a cross-reference table",
      bytes: bytesOf(latin(hello).replace(/xref[^]*(?=trailer)/, "")),
    },
    { why: "without the place of its trailer", bytes: bytesOf(latin(hello).replace(/startxref[^]*/, "")) },
    { why: "behind 1,000 other bytes", bytes: bytesOf("x".repeat(1_000) + latin(hello)) },
  ])("PD-03: $why is read", async ({ bytes }) => {
    expect(textOf(await read(bytes))).toBe("Hello.");
  });

  it.each<{ why: string; bytes: Uint8Array }>([
    {
      why: "a page tree that refers to itself",
      bytes: pdfOf([catalog, "<< /Type /Pages /Kids [2 0 R] /Count 1 >>"]),
    },
    { why: "an object that is its own value", bytes: pdfOf([catalog, "2 0 R"]) },
    {
      why: "PD-06: a /Count of -1",
      bytes: pdfOf([catalog, `<< /Type /Pages /Kids [3 0 R] /Count -1 >>`, emptyPage]),
    },
  ])("PD-04: with $why is damaged", async ({ bytes }) => {
    expect(await read(bytes)).toEqual({ status: "damaged" });
  });

  it("PD-04: whose cross-reference table comes before itself ends", async () => {
    const start = /startxref\n(\d+)/.exec(latin(hello))?.[1];
    const reading = await read(bytesOf(latin(hello).replace("/Root", `/Prev ${start} /Root`)));
    expect(["read", "damaged"]).toContain(reading.status);
  });

  it.each(["/Size 2147483647", "/Size -1"])("PD-06: with a %s ends", async (trailer) => {
    expect(["read", "damaged"]).toContain(
      (await read(bytesOf(latin(hello).replace(/\/Size \d+/, trailer)))).status,
    );
  });

  it("PD-06: with a /Count of 2,147,483,647 has the pages that it has", async () => {
    const reading = await read(
      pdfOf([catalog, "<< /Type /Pages /Kids [3 0 R] /Count 2147483647 >>", emptyPage]),
    );
    expect(reading).toMatchObject({ status: "read", pageCount: 1 });
  });

  it("PD-07: with forms nested 10,000 deep ends", async () => {
    const forms = Array.from({ length: 10_000 }, (_, index): PdfObject => ({
      entries: `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${index + 5} 0 R >> >>`,
      data: "/X Do",
    }));
    const page = `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents ${forms.length + 4} 0 R /Resources << /XObject << /X 4 0 R >> >> >>`;
    const reading = await read(
      pdfOf([
        catalog,
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page,
        ...forms,
        { entries: "", data: "/X Do" },
      ]),
    );
    expect(["read", "damaged", "too-much-memory", "crashed"]).toContain(reading.status);
    expect(textOf(await read(hello))).toBe("Hello.");
  });

  it("PD-07: with a form that draws itself ends", async () => {
    const reading = await read(
      textPdf([{ draws: "/X Do" }], {
        page: "/Resources << /XObject << /X 4 0 R >> >>",
        more: [
          {
            entries: "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 4 0 R >> >>",
            data: "/X Do",
          },
        ],
      }),
    );
    expect(["read", "damaged"]).toContain(reading.status);
  });

  it("PD-08: fetches nothing, whatever its actions, links and files are", async () => {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      response.end();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/x`;
    const reading = await read(
      textPdf([["Hello."]], {
        catalog: `/OpenAction << /S /JavaScript /JS (app.launchURL("${url}"); fetch("${url}")) >> /AA << /WC << /S /Launch /F (/bin/touch) >> >> /Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (${url}) /FS /URL >>] >> >> /AcroForm << /XFA 3 0 R /Fields [] >>`,
        page: `/Annots [<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (${url}) >> >>] /AA << /O << /S /SubmitForm /F (${url}) >> >> /Resources << /Font << /F << /Type /Font /Subtype /TrueType /BaseFont /Remote /FontDescriptor << /Type /FontDescriptor /FontName /Remote /Flags 32 /FontFile2 4 0 R >> >> >> >>`,
        more: [{ entries: `/F << /FS /URL /F (${url}) >> /FFilter /FlateDecode`, data: "" }],
      }),
    );
    server.close();
    expect(textOf(reading)).toBe("Hello.");
    expect(calls).toBe(0);
  });

  it("PD-09: runs nothing of a font's matrix or name", async () => {
    const script = "1\\); process.exit\\(7\\); \\(0";
    const font = `<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica#29#3bprocess.exit /FontMatrix [(${script}) 0 0 0.001 0 0] /FontDescriptor << /Type /FontDescriptor /FontName /X /FontMatrix [0.001 0 0 0.001 0 (${script})] /Flags 4 >> >>`;
    const reading = await read(textPdf([["Hello."]], { page: `/Resources << /Font << /F ${font} >> >>` }));
    expect(textOf(reading)).toBe("Hello.");
  });

  it("PD-14: with 5,000 pages gives page 4,999 in time", async () => {
    const long = textPdf(Array.from({ length: 5_000 }, (_, index) => [`This is page ${index + 1}.`]));
    const inTime = new PdfProcesses({ most: 1, mostReadingMs: 5_000 });
    const reading = await inTime.read(request(long, 4_999, 4_999));
    inTime.stop();
    expect(textOf(reading)).toBe("This is page 4999.");
  });

  it("is read up to the limit of characters, a line at a time", async () => {
    const pages = textPdf([["a".repeat(50), "b".repeat(50)], ["c"], ["d"]]);
    const reading = await processes.read({ ...request(pages), mostCharacters: 80 });
    expect(reading).toMatchObject({
      status: "read",
      pages: [{ page: 1, text: "a".repeat(50), isCut: true }],
    });
  });

  it("tells of each page as it is read", async () => {
    const told: string[] = [];
    await processes.read(request(textPdf([["a"], ["b"], ["c"]]), 2), {
      onPage: (page, last) => told.push(`${page}/${last}`),
    });
    expect(told).toEqual(["2/3", "3/3"]);
  });
});
