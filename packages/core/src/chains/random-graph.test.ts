import fc from "fast-check";
import { expect, it } from "vitest";

import { Agent } from "../agent/agent.ts";
import { failedRunOf } from "../agent/failed-run.ts";
import { when } from "../tools/link.ts";
import { tool, type AnyTool } from "../tools/tool.ts";
import { Int, Stop } from "../values/builtin.ts";

/** A link of a random graph: `isTrue` has its condition's answers, by the number of the step before it. */
interface Edge {
  readonly from: number;
  readonly to: number;
  readonly isTrue: readonly boolean[];
}

interface Plan {
  readonly size: number;
  readonly edges: readonly Edge[];
  readonly stopAt: number;
}

const plans: fc.Arbitrary<Plan> = fc.integer({ min: 1, max: 6 }).chain((size) =>
  fc.record({
    size: fc.constant(size),
    stopAt: fc.integer({ min: 1, max: 25 }),
    edges: fc.array(
      fc.record({
        from: fc.nat(size - 1),
        to: fc.integer({ min: 1, max: size }).filter((to) => to < size || size === 1),
        isTrue: fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
      }),
      { maxLength: 8 },
    ),
  }),
);

const holds = ({ isTrue }: Edge, step: number): boolean => isTrue[step % isTrue.length] ?? false;

/** The rules, on paper: which tools run, by number, and whether an ambiguous fork ends it. */
function expected({ size, edges, stopAt }: Plan): {
  readonly order: readonly number[];
  readonly isAmbiguous: boolean;
} {
  const isChained = (node: number): boolean => edges.some(({ to }) => to === node);
  const defaults = Array.from({ length: size }, (_, node) => node).filter((node) => !isChained(node));
  const order: number[] = [];
  let turn = 0;
  let current = defaults[0] ?? 0;
  for (let step = 1; ; step += 1) {
    order.push(current);
    if (step >= stopAt) return { order, isAmbiguous: false };
    const last = current;
    const next = edges.filter((edge) => edge.from === last && holds(edge, step));
    if (next.length > 1) return { order, isAmbiguous: true };
    turn += next.length === 0 ? 1 : 0;
    current = next[0]?.to ?? defaults[turn % defaults.length] ?? 0;
  }
}

function agentOf({ size, edges, stopAt }: Plan, order: number[]): Agent {
  const tools: AnyTool[] = Array.from({ length: size }, (_, node) =>
    tool({
      name: `t${node}`,
      description: "",
      input: Int,
      output: [Int, Stop],
      run: ({ value }) => {
        order.push(node);
        return value + 1 >= stopAt ? Stop() : Int({ value: value + 1 });
      },
    }),
  );
  for (const edge of edges) {
    const [parent, child] = [tools[edge.from], tools[edge.to]];
    if (parent === undefined || child === undefined) continue;
    child.chain(when(parent, (output) => Int.is(output) && holds(edge, output.value)));
  }
  const isChained = (node: number): boolean => edges.some(({ to }) => to === node);
  return new Agent({
    name: "random",
    mode: "deterministic",
    defaultTools: tools.filter((_, node) => !isChained(node)),
    tools: tools.filter((_, node) => isChained(node)),
  });
}

it(
  "property: the tools of a random graph run in the order that the rules give",
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        plans.map((plan) => ({ ...plan, edges: plan.edges.filter(({ to }) => to < plan.size) })),
        async (plan) => {
          const order: number[] = [];
          const { order: ruled, isAmbiguous } = expected(plan);
          const run = agentOf(plan, order).invoke(Int({ value: 0 }));
          if (isAmbiguous) {
            const error: unknown = await run.catch((caught: unknown) => caught);
            expect(error).toMatchObject({ code: "core/ambiguous-link" });
            expect(failedRunOf(error)?.report.steps).toBe(ruled.length);
          } else {
            expect(await run).toMatchObject({ status: "completed", report: { steps: ruled.length } });
          }
          expect(order).toEqual(ruled);
        },
      ),
      { numRuns: 500 },
    );
  },
);
