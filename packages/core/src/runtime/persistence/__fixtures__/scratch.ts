import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { onTestFinished } from "vitest";

/** A path in a new folder, with nothing at it, which goes when the test ends. */
export async function emptyPlace(name = "data"): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "roboz-documents-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, name);
}
