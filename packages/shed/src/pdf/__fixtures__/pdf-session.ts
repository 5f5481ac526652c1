import {
  Agent,
  apiUserIo,
  MockLLMEndpoint,
  stop,
  Str,
  type RunEvent,
  type RunResult,
  type Stop,
} from "@roboz/core";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";

import { fileCommandTools } from "../../command-tools/file-commands.ts";
import { PermissionPolicy, type PermissionPolicySettings } from "../../permissions/policy.ts";
import { getPdfTool } from "../pdf-tools.ts";
import { textPdf } from "./make-pdf.ts";

type Rules = Omit<PermissionPolicySettings, "base">;

/** Rules that allow to read the notes. */
export const reading: Rules = { allow: [{ pattern: "notes/**", operations: ["read"] }] };

const reportFields = z.object({
  caller: z.string(),
  value: z.string(),
  outcome: z.string(),
  page_count: z.number().nullable(),
  is_cut: z.boolean(),
});
type ReportFields = z.output<typeof reportFields>;

/** The reports that the model was shown. */
export function reportsOf({ messages }: RunResult<Stop>): readonly ReportFields[] {
  return messages.flatMap(({ content }) => {
    const { data } = reportFields.safeParse(content.startsWith("{") ? JSON.parse(content) : undefined);
    return data === undefined ? [] : [data];
  });
}

/** A folder with a base that holds `notes/a.pdf` of three pages, and one beside it; agents that read there. */
export class PdfSession {
  /** Holds `w/app`, the base, and `w/out`. */
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), "roboz-pdf-")));
  readonly base = join(this.top, "w/app");

  constructor() {
    mkdirSync(join(this.base, "notes/d"), { recursive: true });
    mkdirSync(join(this.top, "w/out"));
    this.write("a", textPdf([["Page one."], ["Page two."], ["Page three."]]));
  }

  /** Puts `name.pdf` to the notes. */
  write(name: string, bytes: Uint8Array): void {
    writeFileSync(join(this.base, `notes/${name}.pdf`), bytes);
  }

  remove(): void {
    rmSync(this.top, { recursive: true });
  }

  /** An agent whose model makes these calls, of `process_pdf` where none is named. */
  agent(calls: readonly object[], rules = reading): Agent {
    const policy = new PermissionPolicy({ base: this.base, ...rules });
    const endpoint = new MockLLMEndpoint([
      ...calls.map((call) => ({ action: "process_pdf", rationale: "Read.", ...call })),
      { action: "stop", rationale: "Done.", value: "done" },
    ]);
    const tools = [...getPdfTool({ policy }).tools, ...fileCommandTools({ policy }).tools, stop];
    return new Agent({ name: "reader", systemPrompt: "Read.", endpoint, tools });
  }

  /** @param options.reply - What a live person says. */
  async read(
    call: object,
    { rules, reply, events = [] }: { rules?: Rules; reply?: string; events?: RunEvent[] } = {},
  ): Promise<ReportFields & { readonly prompts: readonly string[] }> {
    const prompts: string[] = [];
    const io = apiUserIo({
      requestInput: (question) => {
        prompts.push(question);
        return Promise.resolve(Str({ value: reply ?? "" }));
      },
      notify: () => undefined,
    });
    const sinks = [(event: RunEvent) => void events.push(event)];
    const result = await this.agent([call], rules).invoke(
      undefined,
      reply === undefined ? { sinks } : { io, sinks },
    );
    const [report] = reportsOf(result);
    if (report === undefined) throw new Error("There is no report");
    return { ...report, prompts };
  }
}
