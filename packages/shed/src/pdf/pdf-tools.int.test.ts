import { Agent, MockLLMEndpoint, stop, type RunEvent } from "@roboz/core";
import { Capability, DeployableAgent, SkillLabel, ToolLabel } from "@roboz/deployment";
import { mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";

import { PermissionPolicy } from "../permissions/policy.ts";
import { Sandbox } from "../permissions/sandbox.ts";
import { encryptedPdf, endlessWork, textPdf } from "./__fixtures__/make-pdf.ts";
import { PdfSession, reading, reportsOf } from "./__fixtures__/pdf-session.ts";
import { pdfInstructions } from "./instructions.ts";
import { pdfProcesses } from "./pdf-processes.ts";
import { pdfSkill } from "./pdf-skill.ts";
import { PdfReport } from "./pdf-tools.ts";
import { Pdf } from "./pdf.ts";

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

const asking = { ...reading, ask: [{ pattern: "notes/a.pdf", operations: ["read"] as const }] };

describe("process_pdf", () => {
  it("shed 108: returns one page of three, labelled by its number", async () => {
    const { value, caller, ...rest } = await session.read({
      path: "notes/a.pdf",
      start_page: 2,
      end_page: 2,
    });
    expect(value).toBe(
      "--- begin: process_pdf notes/a.pdf ---\n--- page 2 of 3 ---\nPage two.\n--- end: process_pdf notes/a.pdf ---",
    );
    expect({ caller, ...rest }).toEqual({
      caller: "execute_process_pdf",
      outcome: "done",
      page_count: 3,
      is_cut: false,
      prompts: [],
    });
  });

  it("reads all pages when none are named", async () => {
    const { value } = await session.read({ path: join(session.base, "notes/a.pdf") });
    expect(value.match(/^Page .*$/gm)).toEqual(["Page one.", "Page two.", "Page three."]);
  });

  it.each([
    { why: "a user password", user: "secret" },
    { why: "an empty user password and an owner's", user: "" },
  ])("shed 109, PD-01: asks for a decrypted copy of a file with $why", async ({ user }) => {
    session.write("locked", encryptedPdf(user));
    const { outcome, value } = await session.read({ path: "notes/locked.pdf" });
    expect(outcome).toBe("failed");
    expect(value).toContain("decrypted copy");
    expect(value).not.toContain("Hello");
  });

  it("shed 110: denies a file before it is looked at, when nothing allows it", async () => {
    const events: RunEvent[] = [];
    const { outcome, value, caller } = await session.read({ path: "notes/none.pdf" }, { rules: {}, events });
    expect([outcome, caller]).toEqual(["denied", "process_pdf"]);
    expect(value).toContain(`Denied read: '${join(session.base, "notes/none.pdf")}'`);
    const audits = events.flatMap((event) =>
      event.type === "runtime" && "audit" in event.data ? [event.data] : [],
    );
    expect(audits).toMatchObject([
      { audit: "permission", verdict: "deny", operation: "read", command: "process_pdf" },
    ]);
  });

  it("asks a person where a rule wants that, and shows the exchange", async () => {
    const approved = await session.read({ path: "notes/a.pdf" }, { rules: asking, reply: "yes" });
    expect(approved.prompts).toEqual([`Allow read for '${join(session.base, "notes/a.pdf")}'? (yes/no)`]);
    expect(approved.value).toMatch(/^Permission prompt: [^]*Decision: allowed\n--- begin:[^]*Page one\./);
    const declined = await session.read({ path: "notes/a.pdf" }, { rules: asking, reply: "no" });
    expect(declined.outcome).toBe("denied");
    expect(declined.value).not.toContain("Page one.");
  });

  it("goes on with the reply when nobody could be asked, unless another file stands there by then", async () => {
    const agent = session.agent([{ path: "notes/a.pdf", start_page: 3 }], asking);
    const suspended = await agent.invoke();
    if (suspended.status !== "suspended") throw new Error(suspended.status);
    expect(suspended.request).toMatchObject({ operation: "read", command: "process_pdf notes/a.pdf" });
    const [report] = reportsOf(await session.agent([], asking).resume(suspended.snapshot, "yes"));
    expect(report).toMatchObject({ outcome: "done", page_count: 3 });
    expect(report?.value).toContain("Page three.");
    rmSync(join(session.base, "notes/a.pdf"));
    session.write("a", textPdf([["Other."]]));
    const [other] = reportsOf(await session.agent([], asking).resume(suspended.snapshot, "yes"));
    expect(other).toMatchObject({ outcome: "denied" });
  });

  describe("PD-10: of a document with 12 pages", () => {
    beforeEach(() => {
      session.write("long", textPdf(Array.from({ length: 12 }, (_, index) => [`Page no ${index + 1}.`])));
    });

    it.each([
      [0, 1],
      [-1, 2],
      [5, 3],
      [13, 14],
      [1.5, 2],
      ["a", 2],
    ])("refuses pages %s to %s and says how many there are", async (start_page, end_page) => {
      const report = await session.read({ path: "notes/long.pdf", start_page, end_page });
      expect(report).toMatchObject({ outcome: "failed", page_count: 12 });
      expect(report.value).toContain("12 pages");
      expect(report.value).not.toContain("Page no");
    });

    it("ends pages 11 to 20 with the last one", async () => {
      const { value } = await session.read({ path: "notes/long.pdf", start_page: 11, end_page: 20 });
      expect(value.match(/Page no \d+/g)).toEqual(["Page no 11", "Page no 12"]);
    });
  });

  it("PD-11: cuts more text than the limit, and says how to go on", async () => {
    const page = Array.from({ length: 60 }, () => "all work and no play ".repeat(4));
    session.write("long", textPdf(Array.from({ length: 20 }, () => page)));
    const { value, is_cut, outcome } = await session.read({ path: "notes/long.pdf" });
    expect([outcome, is_cut]).toEqual(["done", true]);
    expect(value).toMatch(/smaller range from page \d+ ---\n--- end:/);
    expect(value.length).toBeLessThan(40_000);
    expect(value.length).toBeGreaterThan(30_000);
  });

  it("PD-12: shows a page with only an image as one without text", async () => {
    const image = "q 50 0 0 50 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \xff EI Q";
    session.write("image", textPdf([{ draws: image }, ["Text."]]));
    const { value } = await session.read({ path: "notes/image.pdf" });
    expect(value).toContain("--- page 1 of 2 ---\n[no text on this page]\n\n--- page 2 of 2 ---\nText.");
  });

  it("tells the run's sinks of each page, never of its text", async () => {
    const events: RunEvent[] = [];
    await session.read({ path: "notes/a.pdf" }, { events });
    const pages = events.flatMap((event) =>
      event.type === "runtime" && "page" in event.data ? [event] : [],
    );
    expect(pages.map(({ data }) => data)).toEqual([1, 2, 3].map((page) => ({ page, last: 3 })));
    expect(JSON.stringify(pages)).not.toContain("Page one");
  });

  it("ends with its run, and the next one reads again", async () => {
    session.write("endless", endlessWork());
    const stopping = new AbortController();
    const sinks = [
      (event: RunEvent) => {
        if (JSON.stringify(event).includes("Permission to read"))
          setImmediate(() => {
            stopping.abort();
          });
      },
    ];
    const { status } = await session.agent([{ path: "notes/endless.pdf" }]).invoke(undefined, {
      signal: stopping.signal,
      sinks,
    });
    expect(status).toBe("cancelled");
    expect((await session.read({ path: "notes/a.pdf", end_page: 1 })).value).toContain("Page one.");
  });

  it("does not read a file that is larger than it takes", async () => {
    truncateSync(join(session.base, "notes/a.pdf"), 65 * 1024 * 1024);
    const { outcome, value } = await session.read({ path: "notes/a.pdf" });
    expect([outcome, value]).toEqual(["failed", expect.stringContaining("64 MiB")]);
  });

  it("takes nothing but its fields", async () => {
    const { messages } = await session
      .agent([{ path: "notes/a.pdf", base: "/" }, { path: "notes/a.pdf" }], reading)
      .complete();
    expect(messages.filter(({ content }) => content.includes("Page one."))).toHaveLength(1);
  });
});

describe("the skill pdf", () => {
  it("has instructions that can be followed word by word", async () => {
    writeFileSync(join(session.base, "report.pdf"), textPdf([["One."], ["Two."], ["Three."]]));
    const lines = pdfInstructions.split("\n").filter((line) => line.startsWith("{"));
    const inputs = lines.map((line) => z.looseObject({ path: z.string() }).parse(JSON.parse(line)));
    const endpoint = new MockLLMEndpoint([
      ...inputs.map((input) => ({ action: "process_pdf", rationale: "As told.", ...input })),
      { action: "stop", rationale: "Done.", value: "done" },
    ]);
    const skill = pdfSkill({ policy: PermissionPolicy.local(session.base) });
    const agent = new Agent({
      name: "reader",
      systemPrompt: "Read.",
      endpoint,
      tools: [stop],
      autoLoadedSkills: [skill],
    });
    const reports = reportsOf(await agent.invoke());
    expect(inputs.length).toBeGreaterThan(1);
    expect(reports.map(({ outcome }) => outcome)).toEqual(inputs.map(() => "done"));
    expect(reports[1]?.value.match(/^\w+\.$/gm)).toEqual(["Two.", "Three."]);
  });

  it("consists of the one tool, its guard and its executor", () => {
    const { name, tools } = pdfSkill({ policy: PermissionPolicy.local(session.base) });
    expect([name, ...tools.map((tool) => tool.name)]).toEqual([
      "pdf",
      "process_pdf",
      "guard_process_pdf",
      "execute_process_pdf",
    ]);
  });

  it("gives a report that can be chained on", () => {
    expect(PdfReport.is(PdfReport({ value: "x", outcome: "done", page_count: 1, is_cut: false }))).toBe(true);
  });
});

describe("the capability Pdf", () => {
  it("reads in the sandbox of its agent and nowhere else", async () => {
    mkdirSync(join(session.base, "projects/mine"), { recursive: true });
    writeFileSync(join(session.base, "projects/mine/a.pdf"), textPdf([["Mine."]]));
    writeFileSync(join(session.top, "w/out/b.pdf"), textPdf([["Not mine."]]));
    const ending = new Capability({ label: ToolLabel("stop"), value: stop });
    const sandbox = new Sandbox({ root: session.base, scope: "mine" });
    const assistant = new DeployableAgent({
      name: "assistant",
      systemPrompt: "Read.",
      capabilities: [new Pdf(), ending],
      attributes: { sandbox },
    });
    const call = (path: string): object => ({ action: "process_pdf", rationale: "Read.", path });
    assistant.setAgentEndpoint(
      new MockLLMEndpoint([
        call("projects/mine/a.pdf"),
        call("../out/b.pdf"),
        { action: "stop", rationale: "Done.", value: "" },
      ]),
    );
    const reports = reportsOf(await assistant.build().root.invoke());
    expect(reports.map(({ outcome }) => outcome)).toEqual(["done", "denied"]);
    expect(reports[0]?.value).toContain("Mine.");
  });

  it("is a skill called pdf, loaded when a run starts, unless its label says otherwise", () => {
    expect(new Pdf().label).toMatchObject({ kind: "skill", name: "pdf", loading: "automatic" });
    const label = SkillLabel("papers", { selectable: true });
    expect(new Pdf({ label }).label).toEqual(label);
  });

  it("requires a sandbox", () => {
    const agent: DeployableAgent = new DeployableAgent({ name: "assistant", systemPrompt: "x" });
    agent.addCapabilities(new Pdf());
    expect(() => {
      agent.validate();
    }).toThrow(/sandbox/);
  });
});
