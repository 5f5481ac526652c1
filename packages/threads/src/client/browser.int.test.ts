import { existsSync } from "node:fs";
import { isBuiltin } from "node:module";
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { bundleForBrowsers } from "../__fixtures__/client-bundle.ts";
import { answer, raw, refuse, stream, withServer, type Step } from "../__fixtures__/scripted-server.ts";
import { delta, deltaData, message, say, threadData, use } from "../__fixtures__/thread-data.ts";
import { stringifyJson } from "../wire/json.ts";

const executablePath = "/usr/bin/chromium";
const without = existsSync(executablePath) ? "" : ` (skipped: there is no ${executablePath})`;

function html(module: string): Step {
  const policy = { "content-security-policy": "default-src 'self'; script-src 'self' 'unsafe-inline'" };
  const page = `<!doctype html><link rel="icon" href="data:,"><script type="module">
    import { talk } from "${module}";
    const textContent = JSON.stringify(await talk(location.origin).catch((error) => String(error)));
    document.body.append(Object.assign(document.createElement("output"), { textContent }));
  </script>`;
  return raw(200, page, { "content-type": "text/html", ...policy });
}

function sent(event: string, data: object): string {
  return `event: ${event}\ndata: ${stringifyJson(data)}\n\n`;
}

it("has no module of Node in its graph", async () => {
  const { modules, code } = await bundleForBrowsers(new URL("./index.ts", import.meta.url));
  expect(modules.some((id) => id.includes("/zod/"))).toBe(true);
  expect(modules.some((id) => id.endsWith("/core/src/portable.ts"))).toBe(true);
  expect(
    modules.filter((id) => id.startsWith("node:") || isBuiltin(id) || id.includes("browser-external")),
  ).toEqual([]);
  expect(code).not.toMatch(/\bfrom\s*["']node:|\bBuffer\b/);
});

describe.skipIf(without !== "")(`the client in Chromium${without}`, () => {
  it("starts a thread, answers a tool, streams, and gives up", async () => {
    const { code } = await bundleForBrowsers(new URL("../__fixtures__/browser-talk.ts", import.meta.url));
    const transcriptHasCall: unknown = expect.stringContaining(
      '[tool_use remember 1] {"fact":"blue","at":1733850000123456789}',
    );
    const input = { fact: "blue", at: 1733850000123456789n };
    const steps = [
      html("/talk.js"),
      raw(200, code, { "content-type": "text/javascript" }),
      answer(threadData({ messages: [message("user", [say("Remember blue.")])] }), 201),
      delta({ 1: message("assistant", [say("Sure. "), use("remember", "1", input)]) }, "client_tool_turn"),
      answer({ status: "roboto_turn", remaining: [] }),
      delta({ 2: message("assistant", [say("It did not work.")]) }, "user_turn"),
      answer({ message_sequence_num: 3, status: "roboto_turn" }),
      delta({}, "roboto_turn"),
      stream([
        sent("delta", deltaData({ 4: message("assistant", [say("As you")], "generating") }, "roboto_turn")),
        sent("delta", deltaData({ 4: message("assistant", [say(" say 🌍")]) }, "user_turn")),
        sent("done", { status: "user_turn" }),
      ]),
      delta({}, "user_turn"),
      refuse(403, "RobotoThreadReadOnlyException"),
    ];
    await withServer(steps, async ({ server }) => {
      const browser = await chromium.launch({
        executablePath,
        args: [
          "--no-sandbox",
          "--disable-gpu",
          "--no-first-run",
          "--disable-background-networking",
          "--disable-sync",
        ],
      });
      try {
        const page = await browser.newPage();
        const failures: string[] = [];
        page.on("pageerror", (error) => failures.push(String(error)));
        await page.goto(`http://127.0.0.1:${server.port}/`);
        const shown = await page.locator("output").textContent();
        expect(JSON.parse(shown ?? "null")).toEqual({
          hasProcess: false,
          events: [
            ...["text_start", "Sure. ", "text_end", "tool_use"],
            ...["text_start", "It did not work.", "text_end"],
            ...["text_start", "As you", " say 🌍", "text_end"],
          ],
          transcript: transcriptHasCall,
          facts: ["blue 1733850000123456789"],
          refusal: "RobotoThreadReadOnlyException threads/thread-read-only",
          givenUp: "AbortError",
          digits: "1733850000123456789",
        });
        expect(failures).toEqual([]);
      } finally {
        await browser.close();
      }
      const submission = server.requests.find(({ path }) => path.endsWith("/tool-results"));
      expect(submission?.body).toMatchObject({
        tool_results: [{ status: "error", output: { error: "Error: Bearer [redacted] is no token" } }],
      });
      expect(submission?.headers["authorization"]).toBe("Bearer t");
    });
  });
});
