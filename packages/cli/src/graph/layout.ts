import { layered, type Slot, type Wire } from "./layers.ts";

/** What is to be placed. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A node with its place; `x` and `y` are its centre. */
export interface Placed extends Size, Point {}

/** A drawing without its looks. */
export interface Layout extends Size {
  /** As the sizes were given. */
  readonly nodes: readonly Placed[];
  /** As the wires were given: points from the start of each to its end. */
  readonly wires: readonly (readonly Point[])[];
}

const gap = { between: 28, layers: 56, bend: 16, loop: 36 } as const;
const passes = 24;

/** Places nodes of different sizes in layers, and leads wires between them without touching others. */
export function layOut(sizes: readonly Size[], wires: readonly Wire[]): Layout {
  const { rows, ways, isUpwards } = layered(sizes.length, wires);
  const sizeOf = ({ node }: Slot): Size =>
    (node === undefined ? undefined : sizes[node]) ?? { width: gap.bend, height: 0 };
  const centres = alignRows(rows, (slot) => sizeOf(slot).width);
  const left = Math.min(0, ...[...centres].map(([slot, x]) => x - sizeOf(slot).width / 2));

  const places = new Map<Slot, Placed>();
  let top = 0;
  for (const row of rows) {
    const height = Math.max(0, ...row.map((slot) => sizeOf(slot).height));
    for (const slot of row) {
      places.set(slot, { ...sizeOf(slot), x: (centres.get(slot) ?? 0) - left, y: top + height / 2 });
    }
    top += height + gap.layers;
  }

  const nodes = sizes.map((size) => ({ ...size, x: 0, y: 0 }));
  for (const [{ node }, place] of places) if (node !== undefined) nodes[node] = place;
  const ends = spreadEnds(ways, places);
  const paths = wires.map(({ from }, index) => {
    const path = ends[index] ?? [];
    if (path.length > 0) return isUpwards[index] === true ? path.toReversed() : path;
    const node = nodes[from];
    return node === undefined ? [] : loopBeside(node);
  });
  const points = [
    ...nodes.flatMap(({ x, y, width, height }) => [{ x: x + width / 2, y: y + height / 2 }]),
    ...paths.flat(),
  ];
  return {
    nodes,
    wires: paths,
    width: Math.max(0, ...points.map(({ x }) => x)),
    height: Math.max(0, ...points.map(({ y }) => y)),
  };
}

/** The centre of each slot: close to the slots it is connected to, in the order of its row, and never overlapping. */
function alignRows(
  rows: readonly (readonly Slot[])[],
  widthOf: (slot: Slot) => number,
): ReadonlyMap<Slot, number> {
  const centres = new Map<Slot, number>();
  const apart = (one: Slot, other: Slot): number => (widthOf(one) + widthOf(other)) / 2 + gap.between;
  for (const row of rows) {
    let x = 0;
    row.forEach((slot, at) => {
      const before = row[at - 1];
      if (before !== undefined) x += apart(before, slot);
      centres.set(slot, x);
    });
  }
  for (let pass = 0; pass < passes; pass += 1) {
    const side = pass % 2 === 0 ? "above" : "below";
    for (const row of side === "above" ? rows : rows.toReversed()) {
      const wanted = row.map((slot) => {
        const near = slot[side].length === 0 ? [slot] : slot[side];
        return near.reduce((sum, each) => sum + (centres.get(each) ?? 0), 0) / near.length;
      });
      const settled = settle(wanted, row, apart);
      row.forEach((slot, at) => centres.set(slot, settled[at] ?? 0));
    }
  }
  return centres;
}

/** The places closest to the wanted ones that keep order and distance: those in conflict move as one block. */
function settle(
  wanted: readonly number[],
  row: readonly Slot[],
  apart: (one: Slot, other: Slot) => number,
): readonly number[] {
  const offsets: number[] = [];
  const blocks: { sum: number; length: number }[] = [];
  row.forEach((slot, at) => {
    const before = row[at - 1];
    const offset = before === undefined ? 0 : (offsets[at - 1] ?? 0) + apart(before, slot);
    offsets.push(offset);
    let block = { sum: (wanted[at] ?? 0) - offset, length: 1 };
    for (;;) {
      const last = blocks.at(-1);
      if (last === undefined || last.sum / last.length <= block.sum / block.length) break;
      blocks.pop();
      block = { sum: block.sum + last.sum, length: block.length + last.length };
    }
    blocks.push(block);
  });
  const shifts = blocks.flatMap(({ sum, length }) => Array.from({ length }, () => sum / length));
  return offsets.map((offset, at) => offset + (shifts[at] ?? 0));
}

/** The points of each way; where several meet a node they are spread along its edge, in the order of their other ends. */
function spreadEnds(
  ways: readonly (readonly Slot[])[],
  places: ReadonlyMap<Slot, Placed>,
): readonly (readonly Point[])[] {
  const ends = new Map<Slot, { readonly top: number[]; readonly bottom: number[] }>();
  const xOf = (slot: Slot | undefined): number => (slot === undefined ? 0 : (places.get(slot)?.x ?? 0));
  const note = (slot: Slot | undefined, side: "top" | "bottom", way: number): void => {
    if (slot === undefined) return;
    const noted = ends.get(slot) ?? { top: [], bottom: [] };
    noted[side].push(way);
    ends.set(slot, noted);
  };
  ways.forEach((way, index) => {
    note(way[0], "bottom", index);
    note(way.at(-1), "top", index);
  });
  for (const { top, bottom } of ends.values()) {
    bottom.sort((one, other) => xOf(ways[one]?.[1]) - xOf(ways[other]?.[1]));
    top.sort((one, other) => xOf(ways[one]?.at(-2)) - xOf(ways[other]?.at(-2)));
  }
  const endOf = (slot: Slot, side: "top" | "bottom", way: number): Point => {
    const place = places.get(slot) ?? { x: 0, y: 0, width: 0, height: 0 };
    const met = ends.get(slot)?.[side] ?? [];
    const share = (met.indexOf(way) + 0.5) / met.length - 0.5;
    const y = place.y + (side === "top" ? -place.height / 2 : place.height / 2);
    return { x: place.x + share * place.width * 0.7, y };
  };
  return ways.map((way, index) =>
    way.map((slot, at) => {
      if (at === 0) return endOf(slot, "bottom", index);
      if (at === way.length - 1) return endOf(slot, "top", index);
      return places.get(slot) ?? { x: 0, y: 0 };
    }),
  );
}

/** A wire from a node to itself, at its right side. */
function loopBeside({ x, y, width, height }: Placed): readonly Point[] {
  const right = x + width / 2;
  return [
    { x: right, y: y - height / 4 },
    { x: right + gap.loop, y },
    { x: right, y: y + height / 4 },
  ];
}
