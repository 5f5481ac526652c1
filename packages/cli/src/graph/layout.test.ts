import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { layered, type Wire } from "./layers.ts";
import { layOut, type Placed, type Size } from "./layout.ts";

const size: Size = { width: 100, height: 40 };

/** Boxes of different sizes, and wires between any two of them. */
const drawings = fc.integer({ min: 1, max: 14 }).chain((count) =>
  fc.record({
    sizes: fc.array(
      fc.record({ width: fc.integer({ min: 20, max: 300 }), height: fc.integer({ min: 20, max: 80 }) }),
      { minLength: count, maxLength: count },
    ),
    wires: fc.array(fc.record({ from: fc.nat({ max: count - 1 }), to: fc.nat({ max: count - 1 }) }), {
      maxLength: 30,
    }),
  }),
);

function overlap(one: Placed, other: Placed): boolean {
  const isBeside = Math.abs(one.x - other.x) >= (one.width + other.width) / 2;
  const isBelow = Math.abs(one.y - other.y) >= (one.height + other.height) / 2;
  return !isBeside && !isBelow;
}

describe("layOut", () => {
  it("never lets two nodes overlap, and keeps all of them on the sheet", () => {
    fc.assert(
      fc.property(drawings, ({ sizes, wires }) => {
        const { nodes, width, height } = layOut(sizes, wires);
        nodes.forEach((node, at) => {
          expect({ width: node.width, height: node.height }).toEqual(sizes[at]);
          expect(node.x - node.width / 2).toBeGreaterThan(-0.001);
          expect(node.x + node.width / 2).toBeLessThan(width + 0.001);
          expect(node.y - node.height / 2).toBeGreaterThan(-0.001);
          expect(node.y + node.height / 2).toBeLessThan(height + 0.001);
          expect(nodes.slice(0, at).filter((other) => overlap(node, other))).toEqual([]);
        });
      }),
    );
  });

  it("leads each wire from the edge of its first node to the edge of its second", () => {
    fc.assert(
      fc.property(drawings, ({ sizes, wires }) => {
        const { nodes, wires: paths } = layOut(sizes, wires);
        wires.forEach(({ from, to }, at) => {
          const path = paths[at] ?? [];
          for (const [node, point] of [
            [nodes[from], path[0]],
            [nodes[to], path.at(-1)],
          ] as const) {
            const across = Math.abs((node?.x ?? NaN) - (point?.x ?? NaN)) / (node?.width ?? NaN);
            const along = Math.abs((node?.y ?? NaN) - (point?.y ?? NaN)) / (node?.height ?? NaN);
            expect(Math.max(across, along)).toBeCloseTo(0.5, 6);
          }
        });
      }),
    );
  });

  it("stacks a chain", () => {
    const { nodes } = layOut(
      [size, size, size],
      [
        { from: 2, to: 0 },
        { from: 0, to: 1 },
      ],
    );
    expect(new Set(nodes.map(({ x }) => x)).size).toBe(1);
    expect(nodes.map(({ y }) => y)).toEqual([116, 212, 20]);
  });

  it("puts a fork and its join around their middle", () => {
    const { nodes } = layOut(
      [size, size, size, size],
      [
        { from: 0, to: 1 },
        { from: 0, to: 2 },
        { from: 1, to: 3 },
        { from: 2, to: 3 },
      ],
    );
    const [top, left, right, bottom] = nodes.map(({ x }) => x);
    expect(top).toBeCloseTo(bottom ?? NaN);
    expect(((left ?? NaN) + (right ?? NaN)) / 2).toBeCloseTo(top ?? NaN);
  });

  it("draws a chain of 3,000 tools and a model that calls all of 300", () => {
    const chain = Array.from({ length: 3000 }, (_, from) => ({ from, to: from + 1 }));
    expect(
      layOut(
        Array.from({ length: 3001 }, () => size),
        chain,
      ).nodes,
    ).toHaveLength(3001);
    const star = Array.from({ length: 300 }, (_, at) => ({ from: 0, to: at + 1 }));
    expect(
      layOut(
        Array.from({ length: 301 }, () => size),
        star,
      ).nodes,
    ).toHaveLength(301);
  });

  it("places nothing on an empty sheet", () => {
    expect(layOut([], [])).toEqual({ nodes: [], wires: [], width: 0, height: 0 });
  });
});

describe("layered", () => {
  it("leads every wire downwards but those that close a cycle", () => {
    fc.assert(
      fc.property(drawings, ({ sizes, wires }) => {
        const { rows, isUpwards } = layered(sizes.length, wires);
        const row = new Map(rows.flatMap((slots, at) => slots.map(({ node }) => [node, at] as const)));
        wires.forEach(({ from, to }, at) => {
          if (from === to) return;
          const [top = NaN, bottom = NaN] = [row.get(from), row.get(to)];
          expect(isUpwards[at] === true ? bottom < top : top < bottom).toBe(true);
        });
      }),
    );
  });

  it("turns no wire upwards where there is no cycle", () => {
    const forward = drawings.map(({ sizes, wires }) => ({
      count: sizes.length,
      wires: wires
        .filter(({ from, to }) => from !== to)
        .map(({ from, to }): Wire => (from < to ? { from, to } : { from: to, to: from })),
    }));
    fc.assert(
      fc.property(forward, ({ count, wires }) => {
        expect(layered(count, wires).isUpwards).not.toContain(true);
      }),
    );
  });

  it("uncrosses two wires", () => {
    const { rows } = layered(4, [
      { from: 0, to: 3 },
      { from: 1, to: 2 },
    ]);
    expect(rows.map((row) => row.map(({ node }) => node))).toEqual([
      [0, 1],
      [3, 2],
    ]);
  });
});
