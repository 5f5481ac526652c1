import { describe, expect, it } from "vitest";
import { Output } from "./output.ts";
import { SearchOutput } from "./search-output.ts";

const written = [
  "/fd/3\x001:first",
  "/fd/3\x002-second",
  "--",
  "/fd/4\x0010:a\x00b: 7:-",
  "/fd/4\x0011:",
  "/fd/4: binary file matches",
  "",
].join("\n");
const names = new Map([
  ["/fd/3", "one"],
  ["/fd/4", "dir/two"],
]);

async function shown(
  chunks: readonly string[],
  layout: { readonly hasNames: boolean; readonly hasNumbers: boolean },
  needsSeparator = false,
): Promise<string> {
  const parts: Buffer[] = [];
  const output = new Output("grep", {
    stdin: null,
    stdout: { write: (bytes) => void parts.push(Buffer.from(bytes)) },
    stderr: { write: () => undefined },
    signal: new AbortController().signal,
    mayRead: () => true,
    leftOut: () => undefined,
  });
  const result = new SearchOutput({ form: "lines", ...layout }, output, names, needsSeparator);
  for (const chunk of chunks) result.take(Buffer.from(chunk, "latin1"));
  await output.flush();
  return Buffer.concat(parts).toString("latin1");
}

describe("the output of a search program", () => {
  it.each([
    {
      hasNames: true,
      hasNumbers: true,
      lines: ["one:1:first", "one-2-second", "--", "dir/two:10:a\x00b: 7:-"],
    },
    { hasNames: true, hasNumbers: false, lines: ["one:first", "one-second", "--", "dir/two:a\x00b: 7:-"] },
    { hasNames: false, hasNumbers: true, lines: ["1:first", "2-second", "--", "10:a\x00b: 7:-"] },
    { hasNames: false, hasNumbers: false, lines: ["first", "second", "--", "a\x00b: 7:-"] },
  ])("is the same wherever it is cut: %o", async ({ lines, ...layout }) => {
    const whole = await shown([written], layout);
    expect(whole.split("\n").slice(0, lines.length)).toEqual(lines);
    for (let at = 0; at <= written.length; at++)
      expect(await shown([written.slice(0, at), written.slice(at)], layout)).toBe(whole);
    expect(await shown(Array.from(written), layout)).toBe(whole);
  });

  it("is handed on before a long line ends", async () => {
    const layout = { hasNames: true, hasNumbers: true };
    const pieces = ["/fd/3\x0012:be", "gin ", "goes on"];
    expect(await shown(pieces, layout, true)).toBe("--\none:12:begin goes on");
    expect(await shown([...pieces, " end\n/fd/4\x00", "1", ":x\n"], layout)).toBe(
      "one:12:begin goes on end\ndir/two:1:x\n",
    );
  });
});
