import { afterAll, expect, it } from "vitest";

import { Random } from "../commands/__fixtures__/random.ts";
import { sampleFiles } from "./__fixtures__/sample-files.ts";
import { PdfProcesses } from "./pdf-processes.ts";

const count = process.env["ROBOZ_LONG"] === "1" ? 10_000 : 1_000;
const seed = Number(process.env["ROBOZ_SEED"] ?? "4711");
const processes = new PdfProcesses({ most: 2 });
afterAll(() => {
  processes.stop();
});

it(
  `ends ${count} documents of which one byte is wrong, each with an answer`,
  { timeout: 600_000 },
  async () => {
    // Small ones of each kind: a change in them is more often one that matters.
    const files = sampleFiles().filter(({ bytes }) => bytes.length < 13_000);
    const random = new Random(seed);
    const endings = new Map<string, number>();
    const lane = async (): Promise<void> => {
      for (let index = 0; index < count / 2; index++) {
        const { bytes, name } = random.pick(files);
        const at = random.below(bytes.length);
        const mutant = Uint8Array.from(bytes);
        mutant[at] = random.below(256);
        const { status } = await processes.read({
          bytes: mutant,
          range: { from: 1, to: null },
          mostCharacters: 36_000,
        });
        endings.set(status, (endings.get(status) ?? 0) + 1);
        expect(status, `${name}, byte ${at} as ${mutant[at]}`).not.toBe("crashed");
      }
    };
    await Promise.all([lane(), lane()]);
    expect([...endings.values()].reduce((sum, each) => sum + each, 0)).toBe(count);
    expect(endings.get("read")).toBeGreaterThan(count / 2);
    expect(endings.get("damaged")).toBeGreaterThan(0);
  },
);
