import type { AgentGraph, AgentGraphEdge, AgentGraphNode } from "@roboz/core";

import { layOut, type Placed, type Point } from "./layout.ts";

const font = { size: 13, small: 11, advance: 0.602 } as const;
const margin = 24;
const longestLabel = 44;

/** How a tool of each role looks; the same colours as in the Mermaid drawing. */
const looks = {
  active: { fill: "#dbeafe", stroke: "#1d4ed8", corner: 3, meaning: "the model may call it" },
  passive: { fill: "#f3f4f6", stroke: "#6b7280", corner: 14, meaning: "runs by its links only" },
  default: { fill: "#dcfce7", stroke: "#15803d", corner: 22, meaning: "runs when no link goes on" },
  prompter: { fill: "#fef3c7", stroke: "#b45309", corner: 3, meaning: "asks the model" },
} as const satisfies Record<AgentGraphNode["role"], object>;

const lines = {
  call: { stroke: "#b45309", dash: "", width: 1, meaning: "the model calls" },
  chain: { stroke: "#374151", dash: "", width: 1.6, meaning: "always follows" },
  conditional: { stroke: "#374151", dash: "5 4", width: 1.6, meaning: "follows under a condition" },
} as const;
type LineKind = keyof typeof lines;

/** Draws a graph as an SVG document that stands alone: layers from top to bottom, roles and conditions told apart. */
export function toSvg(graph: AgentGraph): string {
  const labels = graph.nodes.map(labelsOf);
  const sizes = labels.map(({ name, values }) => ({
    width: Math.max(textWidth(name, font.size), textWidth(values, font.small)) + 36,
    height: 46,
  }));
  const position = new Map(graph.nodes.map(({ key }, index) => [key, index]));
  // An edge to a tool that is not drawn would have no end.
  const edges = graph.edges.flatMap((edge) => {
    const [from, to] = [position.get(edge.from), position.get(edge.to)];
    return from === undefined || to === undefined ? [] : [{ edge, from, to }];
  });
  const layout = layOut(sizes, edges);
  const count = graph.nodes.filter(({ role }) => role !== "prompter").length;
  const title = `${graph.agentName}: ${count} ${count === 1 ? "tool" : "tools"}`;
  const top = margin + font.size + 16;
  const legend = drawLegend(graph, top + layout.height + 32);
  const width = Math.ceil(Math.max(layout.width, legend.width, textWidth(title, font.size)) + 2 * margin);
  const height = Math.ceil(top + layout.height + 32 + legend.height + margin);
  const body = [
    ...edges.map(({ edge }, index) => drawWire(lineKind(edge), layout.wires[index] ?? [])),
    ...graph.nodes.map((node, index) => drawNode(node, labels[index], layout.nodes[index])),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${font.size}">`,
    `<title>${escaped(title)}</title>`,
    `<defs>${Object.entries(lines)
      .map(([kind, { stroke }]) => arrowHead(kind, stroke))
      .join("")}</defs>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${margin}" y="${margin + font.size - 3}" font-weight="bold" fill="#111827">${escaped(title)}</text>`,
    `<g transform="translate(${margin} ${top})">`,
    ...body,
    "</g>",
    ...legend.elements,
    "</svg>",
    "",
  ].join("\n");
}

interface Labels {
  readonly name: string;
  /** What the tool takes and returns. */
  readonly values: string;
}

function labelsOf({ key, input, outputs }: AgentGraphNode): Labels {
  return { name: cut(key), values: cut(`${input} → ${outputs.join(" | ")}`) };
}

function drawNode({ role, description }: AgentGraphNode, labels?: Labels, place?: Placed): string {
  if (labels === undefined || place === undefined) return "";
  const { x, y } = place;
  const text = (label: string, at: number, size: number, fill: string): string =>
    `<text x="${round(x)}" y="${round(at)}" text-anchor="middle" font-size="${size}" fill="${fill}">${escaped(label)}</text>`;
  return [
    description === "" ? "<g>" : `<g><title>${escaped(description)}</title>`,
    shape(role, place),
    text(labels.name, y - 3, font.size, "#111827"),
    text(labels.values, y + 13, font.small, "#4b5563"),
    "</g>",
  ].join("");
}

function shape(role: AgentGraphNode["role"], { x, y, width, height }: Placed): string {
  const { fill, stroke, corner } = looks[role];
  const [left, right] = [x - width / 2, x + width / 2];
  const [top, bottom] = [y - height / 2, y + height / 2];
  const paint = `fill="${fill}" stroke="${stroke}" stroke-width="1.4"`;
  if (role === "prompter") {
    const corners = [
      [left, y],
      [left + 12, top],
      [right - 12, top],
      [right, y],
      [right - 12, bottom],
      [left + 12, bottom],
    ];
    return `<polygon points="${corners.map((at) => at.map(round).join(",")).join(" ")}" ${paint}/>`;
  }
  return `<rect x="${round(left)}" y="${round(top)}" width="${round(width)}" height="${round(height)}" rx="${corner}" ${paint}/>`;
}

function lineKind({ kind, isConditional }: AgentGraphEdge): LineKind {
  return kind === "call" ? "call" : isConditional ? "conditional" : "chain";
}

/** A curve that leaves and meets each point straight from above or below. */
function drawWire(kind: LineKind, points: readonly Point[]): string {
  const [start, ...rest] = points;
  if (start === undefined) return "";
  const isLoop = points.length === 3 && points[0]?.x === points[2]?.x && (points[1]?.x ?? 0) > start.x;
  let from = start;
  const curves = rest.map((to) => {
    const middle = (from.y + to.y) / 2;
    const bends = isLoop ? [(from.x + to.x) / 2, from.y, to.x, from.y] : [from.x, middle, to.x, middle];
    const lastBends = isLoop && to === rest.at(-1) ? [from.x, to.y, (from.x + to.x) / 2, to.y] : bends;
    from = to;
    return `C${[...lastBends, to.x, to.y].map(round).join(" ")}`;
  });
  const { stroke, dash, width } = lines[kind];
  const dashes = dash === "" ? "" : ` stroke-dasharray="${dash}"`;
  return `<path d="M${round(start.x)} ${round(start.y)}${curves.join("")}" fill="none" stroke="${stroke}" stroke-width="${width}"${dashes} marker-end="url(#${kind})"/>`;
}

function arrowHead(id: string, fill: string): string {
  return `<marker id="${id}" viewBox="0 0 8 8" refX="7.5" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5L8 4L0 7.5z" fill="${fill}"/></marker>`;
}

/** Says what the looks mean that this drawing uses. */
function drawLegend(
  { nodes, edges }: AgentGraph,
  top: number,
): { readonly elements: readonly string[]; readonly width: number; readonly height: number } {
  const roles = new Set(nodes.map(({ role }) => role));
  const kinds = new Set(edges.map(lineKind));
  const entries = [
    ...Object.entries(looks)
      .filter(([role]) => [...roles].some((each) => each === role))
      .map(([role, { fill, stroke, meaning }]) => ({
        sign: (y: number) =>
          `<rect x="${margin}" y="${y - 10}" width="26" height="12" rx="3" fill="${fill}" stroke="${stroke}"/>`,
        text: `${role}: ${meaning}`,
      })),
    ...Object.entries(lines)
      .filter(([kind]) => [...kinds].some((each) => each === kind))
      .map(([kind, { stroke, dash, width, meaning }]) => ({
        sign: (y: number) =>
          `<line x1="${margin}" y1="${y - 4}" x2="${margin + 26}" y2="${y - 4}" stroke="${stroke}" stroke-width="${width}" stroke-dasharray="${dash}" marker-end="url(#${kind})"/>`,
        text: meaning,
      })),
  ];
  const elements = entries.map(({ sign, text }, index) => {
    const y = top + index * 18 + 10;
    return `${sign(y)}<text x="${margin + 36}" y="${y}" font-size="${font.small}" fill="#4b5563">${text}</text>`;
  });
  const width = Math.max(0, ...entries.map(({ text }) => textWidth(text, font.small) + 36));
  return { elements, width, height: entries.length * 18 };
}

function textWidth(text: string, size: number): number {
  return Array.from(text).length * size * font.advance;
}

function cut(label: string): string {
  const characters = Array.from(label);
  return characters.length > longestLabel ? `${characters.slice(0, longestLabel - 1).join("")}…` : label;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as XML may hold it: without the control characters that no entity can stand for. */
function escaped(text: string): string {
  return text
    .replace(/(?![\t\n])[\p{Cc}\p{Surrogate}\uFFFE\uFFFF]/gu, "\uFFFD")
    .replace(/[&<>"]/g, (character) => entities[character] ?? "");
}
