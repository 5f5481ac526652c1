import { toMermaid, type AgentGraph } from "@roboz/core";

import { toSvg } from "./svg.ts";

/** Draws an agent's tools and links; the text ends with a line break. */
export function drawGraph(graph: AgentGraph, format: "mermaid" | "svg" | "json"): string {
  switch (format) {
    case "mermaid":
      return toMermaid(graph);
    case "svg":
      return toSvg(graph);
    case "json":
      return `${JSON.stringify(graph, null, 2)}\n`;
  }
}
