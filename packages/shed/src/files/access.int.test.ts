import { mkdtempSync, readdirSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bestContainment, FileAccess } from "./access.ts";
import { treeBelow } from "./tree.ts";

describe.runIf(bestContainment() === "anchored")("anchored file access", () => {
  it("walks 3,000 nested directories up and down while few are held open (PB-19)", () => {
    const top = mkdtempSync(join(tmpdir(), "shed-access-"));
    const access = new FileAccess({ base: top });
    let location = top;
    for (let depth = 0; depth < 3000; depth++) {
      access.at(location).makeDirectory("dd");
      location = `${location}/dd`;
    }
    access.close();
    const before = readdirSync("/proc/self/fd").length;
    const locations = [...treeBelow(access, top)].map((entry) => entry.location);
    expect(locations).toHaveLength(3000);
    expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before + 16);
    for (const leaf of locations.reverse()) {
      const above = access.at(leaf.slice(0, -3));
      access.forget(leaf);
      above.removeDirectory("dd");
    }
    access.close();
    expect(readdirSync(top)).toEqual([]);
    rmdirSync(top);
  });
});
