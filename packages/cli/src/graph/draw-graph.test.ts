import { type AgentGraph, Empty, Agent, MockLLMEndpoint, Stop, Str, tool, when } from "@roboz/core";
import { describe, expect, it } from "vitest";

import { drawGraph } from "./draw-graph.ts";

const ask = tool({
  name: "ask",
  description: 'Ask <Bob> & "co".',
  input: Empty,
  output: Str,
  run: () => Str({ value: "yes" }),
});
const again = tool({
  name: "again",
  description: "",
  input: Str,
  output: Str,
  chainedTo: when(ask, ({ value }) => value === "no"),
  run: (reply) => reply,
});
const end = tool({
  name: "end",
  description: "",
  input: Str,
  output: Stop,
  chainedTo: [when(ask, ({ value }) => value === "yes"), when(again, ({ value }) => value === "yes")],
  run: () => Stop({ value: "done" }),
});
again.chain(when(again, ({ value }) => value === "no"));
const graph = new Agent({
  name: "lunch",
  mode: "autonomous",
  systemPrompt: "x",
  endpoint: new MockLLMEndpoint([]),
  tools: [ask, again, end],
}).graph();

/** The names of the elements that are open and never closed, or closed and never opened. */
function unbalanced(xml: string): string[] {
  const open: string[] = [];
  for (const [, close = "", name = "", end = ""] of xml.matchAll(
    /<(\/?)([a-zA-Z]+)(?:[^"<>]|"[^"<>]*")*?(\/?)>/g,
  )) {
    if (end === "/") continue;
    if (close === "") open.push(name);
    else if (open.at(-1) === name) open.pop();
    else open.push(`/${name}`);
  }
  return open;
}

describe("drawGraph", () => {
  it("gives the graph itself as JSON", () => {
    expect(JSON.parse(drawGraph(graph, "json"))).toEqual(graph);
  });

  it("gives Mermaid text", () => {
    expect(drawGraph(graph, "mermaid")).toMatch(/^flowchart TD\n[\s\S]*ask[\s\S]*-\. when \.->[\s\S]*\n$/);
  });

  it("gives an SVG document with every tool and link", () => {
    const svg = drawGraph(graph, "svg");
    expect(svg).toMatch(
      /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="\d+" height="\d+"[\s\S]*<\/svg>\n$/,
    );
    expect(unbalanced(svg)).toEqual([]);
    expect(svg).toContain(">lunch: 3 tools</text>");
    for (const name of ["prompt_llm", "ask", "again", "end"]) expect(svg).toContain(`>${name}</text>`);
    expect(svg.match(/marker-end="url\(#conditional\)"\/>/g)).toHaveLength(4 + 1);
    expect(svg.match(/marker-end="url\(#call\)"\/>/g)).toHaveLength(1 + 1);
    expect(svg).toContain("<title>Ask &lt;Bob&gt; &amp; &quot;co&quot;.</title>");
  });

  it("cannot be broken out of by names or descriptions", () => {
    const hostile = `</text><script>alert("x")</script>\u0000\u001b\ud800`;
    const made: AgentGraph = {
      agentName: hostile,
      nodes: [
        {
          key: hostile,
          name: hostile,
          description: hostile,
          role: "active",
          input: hostile,
          outputs: [hostile],
        },
      ],
      edges: [{ from: hostile, to: "nowhere", kind: "chain", isConditional: false }],
    };
    const svg = drawGraph(made, "svg");
    expect(unbalanced(svg)).toEqual([]);
    expect(svg).not.toContain("<script");
    // eslint-disable-next-line no-control-regex -- what XML cannot hold
    expect(svg).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ud800-\udfff]/);
  });

  it("cuts names that would not fit, and leaves out what no tool explains", () => {
    const [node] = graph.nodes;
    const long = "a".repeat(200);
    const svg = drawGraph(
      {
        agentName: "long",
        nodes: node === undefined ? [] : [{ ...node, key: long, role: "default" }],
        edges: [],
      },
      "svg",
    );
    expect(svg).toContain(`>${"a".repeat(43)}…</text>`);
    expect(svg).toContain("default: runs when no link goes on");
    expect(svg).not.toContain("the model calls");
  });
});
