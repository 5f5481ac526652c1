import {
  NO_MESSAGE,
  Str,
  Suspend,
  tool,
  value,
  when,
  type AnyTool,
  type Of,
  type Tool,
  type ToolContext,
} from "@roboz/core";
import * as z from "zod";

import { approvalReply, permissionRequest, type GuardedToolOptions } from "../command-tools/approval.ts";
import { checkGuardedOptions } from "../command-tools/guard-settings.ts";
import { GuardedWork, type Unwanted } from "../command-tools/guarded-work.ts";
import { resumed, type Waited } from "../command-tools/guarding.ts";
import { exchangeSchema } from "../command-tools/payloads.ts";
import type { Exchange } from "../permissions/guard.ts";
import { pageFields, rangeOf } from "./page-range.ts";
import { pdfProcesses } from "./pdf-processes.ts";
import { mostCharacters, pdfText, type PdfText } from "./pdf-text.ts";
import { preparePdf, type PreparedPdf } from "./prepared-pdf.ts";

const pdfInput = z.strictObject({
  path: z.string().meta({ description: "One PDF file, relative to the base or absolute; no pattern." }),
  ...pageFields,
});

/** A PDF file that was looked at. */
const ResolvedPdf = value("resolved_pdf", { ...pdfInput.shape, id: z.string() });
type ResolvedPdf = Of<typeof ResolvedPdf>;

/** A PDF file that may be read. */
const GuardedPdf = ResolvedPdf.extend("guarded_pdf", {
  exchanges: z.array(exchangeSchema),
  fingerprint: z.string().nullable(),
});
type GuardedPdf = Of<typeof GuardedPdf>;

/** What reading a PDF file gave; `value` is the text that the model reads, or what is wrong. */
export const PdfReport = Str.extend("pdf_report", {
  /** `"refused"`: nothing was judged. `"failed"`: it was allowed, and there is no text. */
  outcome: z.enum(["done", "failed", "denied", "refused"]),
  /** How many pages the document has; null where that is not known. */
  page_count: z.int().nullable(),
  /** Whether the range has more text than is shown. */
  is_cut: z.boolean(),
});
export type PdfReport = Of<typeof PdfReport>;

/** The three tools that read a PDF file. */
export interface PdfTools {
  /** What the model calls: `process_pdf`. */
  readonly entry: AnyTool;
  /** The last one, whose {@link PdfReport} can be chained on: `execute_process_pdf`. */
  readonly execute: Tool<GuardedPdf, PdfReport, "execute_process_pdf">;
  /** All three, for an agent or a skill. */
  readonly tools: readonly AnyTool[];
}

/**
 * The guarded reader of a PDF file's text, as a chain of three tools: `process_pdf`, which the model calls, `guard_process_pdf` and
 * `execute_process_pdf`. It needs to read the file and nothing else.
 *
 * @throws {@link GuardSettingsError} (`shed/guard-settings`) for options that are not known or cannot be.
 */
export function getPdfTool(options: GuardedToolOptions): PdfTools {
  checkGuardedOptions("getPdfTool", options);
  const work = new GuardedWork<PdfInput, PreparedPdf>(
    {
      name: "process_pdf",
      guardName: "guard_process_pdf",
      words: ({ path }) => ["process_pdf", path],
      prepare: ({ path }, paths) => preparePdf(path, paths),
    },
    options,
  );
  const report = (
    request: PdfInput,
    { text, ...rest }: PdfText | Unwanted,
    exchanges: readonly Exchange[] = [],
  ): PdfReport =>
    PdfReport({ page_count: null, is_cut: false, ...rest, value: work.frame(request, text, exchanges) });
  const entry = tool({
    name: "process_pdf",
    description: `Read the text of a PDF file: pages \`start_page\` to \`end_page\`, each under its number. Images are left out. At most ${mostCharacters} characters of it are
      shown.`,
    input: pdfInput,
    output: [ResolvedPdf, PdfReport],
    run: async (request, context) => {
      const resolved = await work.resolve(request, context);
      if ("outcome" in resolved) return report(request, resolved);
      return ResolvedPdf({ ...inputOf(request), ...resolved }, { truncation: NO_MESSAGE });
    },
  });
  const judge = async (
    resolved: ResolvedPdf,
    ...rest: [ToolContext, Waited?]
  ): Promise<GuardedPdf | PdfReport | Suspend> => {
    const { id } = resolved;
    const judged = await work.guard({ request: resolved, id, payload: resolved }, ...rest);
    if ("outcome" in judged) {
      const { exchanges, ...denied } = judged;
      return report(resolved, denied, exchanges);
    }
    if ("request" in judged) return judged;
    const exchanges = [...judged.exchanges];
    return GuardedPdf({ ...inputOf(resolved), ...judged, id, exchanges }, { truncation: NO_MESSAGE });
  };
  const guard = tool({
    name: "guard_process_pdf",
    description: "Checks the reading of a PDF file against the permissions.",
    input: ResolvedPdf,
    output: [GuardedPdf, PdfReport, Suspend],
    chainedTo: when(entry, ResolvedPdf.is),
    suspends: {
      request: permissionRequest,
      reply: approvalReply,
      resume: (reply, state, context) => {
        const { payload, waited } = resumed(reply, state, ResolvedPdf.schema);
        return judge(ResolvedPdf(payload), context, waited);
      },
    },
    run: (resolved, context) => judge(resolved, context),
  });
  const execute = tool({
    name: "execute_process_pdf",
    description: "Reads a PDF file that may be read.",
    input: GuardedPdf,
    output: PdfReport,
    chainedTo: when(guard, GuardedPdf.is),
    run: async (guarded, context) => {
      const { id, exchanges, fingerprint } = guarded;
      const given = { request: guarded, id, exchanges, fingerprint };
      const read = () => work.execute(given, context, (pdf) => readText(pdf, guarded, context));
      // A file that was put back for a replay is none that a person was asked about.
      const ending =
        fingerprint === null
          ? await read()
          : await context.once(`pdf:${id}`, read, { onUncertain: "repeat" });
      return report(guarded, ending, exchanges);
    },
  });
  return { entry, execute, tools: [entry, guard, execute] };
}

type PdfInput = z.output<typeof pdfInput>;

async function readText(
  pdf: PreparedPdf,
  request: PdfInput,
  { signal, emit }: ToolContext,
): Promise<PdfText> {
  const file = pdf.bytes();
  if ("problem" in file) return { outcome: "failed", text: file.problem, page_count: null, is_cut: false };
  const reading = await pdfProcesses.read(
    { bytes: file.bytes, range: rangeOf(request), mostCharacters },
    {
      signal,
      onPage: (page, last) => {
        emit({
          type: "runtime",
          kind: "succeeded",
          level: "debug",
          message: `Read page ${page} of a PDF file, up to ${last}`,
          data: { page, last },
        });
      },
    },
  );
  return pdfText(reading, request.path);
}

function inputOf({ path, start_page, end_page }: PdfInput): PdfInput {
  return { path, start_page, end_page };
}
