/** A directed connection between two nodes, by their positions in the list of nodes. */
export interface Wire {
  readonly from: number;
  readonly to: number;
}

/** A place in a layer: a node, or a bend of a wire that passes through. */
export interface Slot {
  /** The node; undefined for a bend. */
  readonly node: number | undefined;
  readonly above: Slot[];
  readonly below: Slot[];
}

/** Nodes and bends in layers, each ordered from left to right. */
export interface Layers {
  readonly rows: readonly (readonly Slot[])[];
  /** By wire: its way through the layers, from top to bottom; empty for a wire from a node to itself. */
  readonly ways: readonly (readonly Slot[])[];
  /** By wire: whether it leads upwards, and its way stands the other way round. */
  readonly isUpwards: readonly boolean[];
}

/**
 * Puts nodes in layers so that wires lead downwards, but for those that would close a cycle, and orders each layer so that few of
 * them cross.
 */
export function layered(count: number, wires: readonly Wire[]): Layers {
  const { isUpwards, order } = untangle(count, wires);
  const rank = ranks(count, order, wires, isUpwards);
  const rows: Slot[][] = Array.from({ length: Math.max(0, ...rank) + 1 }, () => []);
  const add = (row: number, node: number | undefined): Slot => {
    const slot: Slot = { node, above: [], below: [] };
    rows[row]?.push(slot);
    return slot;
  };
  const slots = new Map(rank.map((row, node) => [node, add(row, node)]));
  const ways = wires.map(({ from, to }, index) => {
    if (from === to) return [];
    const [top, bottom] = isUpwards[index] === true ? [to, from] : [from, to];
    const [first, last] = [slots.get(top), slots.get(bottom)];
    if (first === undefined || last === undefined) return [];
    const way = [first];
    for (let row = (rank[top] ?? 0) + 1; row < (rank[bottom] ?? 0); row += 1) way.push(add(row, undefined));
    way.push(last);
    way.forEach((slot, at) => {
      const next = way[at + 1];
      if (next === undefined) return;
      slot.below.push(next);
      next.above.push(slot);
    });
    return way;
  });
  return { rows: uncrossed(rows), ways, isUpwards };
}

/** Which wires lead back to where their way came from, and the nodes in an order in which all others lead forward. */
function untangle(
  count: number,
  wires: readonly Wire[],
): { readonly isUpwards: readonly boolean[]; readonly order: readonly number[] } {
  const leaving: number[][] = Array.from({ length: count }, () => []);
  wires.forEach(({ from }, index) => leaving[from]?.push(index));
  const isUpwards = wires.map(() => false);
  const state: ("new" | "open" | "done")[] = Array.from({ length: count }, () => "new");
  const finished: number[] = [];
  for (let root = 0; root < count; root += 1) {
    // A stack of our own: a chain may be longer than the engine's.
    const stack = state[root] === "new" ? [{ node: root, next: 0 }] : [];
    while (stack.length > 0) {
      const top = stack.at(-1);
      if (top === undefined) break;
      state[top.node] = "open";
      const index = leaving[top.node]?.[top.next];
      top.next += 1;
      if (index === undefined) {
        state[top.node] = "done";
        finished.push(top.node);
        stack.pop();
        continue;
      }
      const to = wires[index]?.to ?? top.node;
      if (state[to] === "open") isUpwards[index] = true;
      else if (state[to] === "new") stack.push({ node: to, next: 0 });
    }
  }
  return { isUpwards, order: finished.reverse() };
}

/** The layer of each node: one below the lowest that leads to it. */
function ranks(
  count: number,
  order: readonly number[],
  wires: readonly Wire[],
  isUpwards: readonly boolean[],
): readonly number[] {
  const rank = Array.from({ length: count }, () => 0);
  const leading: (readonly [number, number])[][] = Array.from({ length: count }, () => []);
  wires.forEach(({ from, to }, index) => {
    if (from === to) return;
    const [top, bottom] = isUpwards[index] === true ? [to, from] : [from, to];
    leading[top]?.push([top, bottom]);
  });
  for (const node of order) {
    for (const [top, bottom] of leading[node] ?? []) {
      rank[bottom] = Math.max(rank[bottom] ?? 0, (rank[top] ?? 0) + 1);
    }
  }
  return rank;
}

const sweeps = 12;

/** Moves each slot to the middle of those it is connected to, downwards and upwards in turn; keeps the best order seen. */
function uncrossed(rows: readonly (readonly Slot[])[]): readonly (readonly Slot[])[] {
  let current = rows.map((row) => [...row]);
  let best = { rows: current, crossings: crossings(current) };
  for (let sweep = 0; sweep < sweeps && best.crossings > 0; sweep += 1) {
    const side = sweep % 2 === 0 ? "above" : "below";
    const place = new Map(current.flatMap((row) => row.map((slot, at) => [slot, at] as const)));
    const next = current.map((row) => [...row]);
    for (const row of side === "above" ? next : next.toReversed()) {
      const wanted = new Map(row.map((slot) => [slot, middle(slot[side], place) ?? place.get(slot) ?? 0]));
      row.sort((one, other) => (wanted.get(one) ?? 0) - (wanted.get(other) ?? 0));
      row.forEach((slot, at) => place.set(slot, at));
    }
    current = next;
    const crossed = crossings(current);
    if (crossed < best.crossings) best = { rows: current, crossings: crossed };
  }
  return best.rows;
}

function middle(slots: readonly Slot[], place: ReadonlyMap<Slot, number>): number | undefined {
  if (slots.length === 0) return undefined;
  return slots.reduce((sum, slot) => sum + (place.get(slot) ?? 0), 0) / slots.length;
}

function crossings(rows: readonly (readonly Slot[])[]): number {
  let count = 0;
  rows.forEach((row, index) => {
    const place = new Map((rows[index + 1] ?? []).map((slot, at) => [slot, at]));
    // In the order of the upper ends, each lower end crosses those before it that stand further right.
    const ends = row.flatMap(({ below }) =>
      below.map((slot) => place.get(slot) ?? 0).sort((one, other) => one - other),
    );
    ends.forEach((end, at) => {
      for (let before = 0; before < at; before += 1) if ((ends[before] ?? 0) > end) count += 1;
    });
  });
  return count;
}
