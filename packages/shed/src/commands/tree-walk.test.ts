import { setImmediate } from "node:timers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FileAccess } from "../files/access.ts";
import { CommandRefusal } from "./command.ts";
import { Playground } from "./__fixtures__/playground.ts";
import { walkTree } from "./tree-walk.ts";

let play: Playground;
let access: FileAccess;

beforeEach(() => {
  play = new Playground();
  access = new FileAccess({ base: play.base });
  play.write({ "notes/a": "", "notes/b/c": "", "notes/d": "" });
});

afterEach(() => {
  vi.restoreAllMocks();
  access.close();
  play.remove();
});

/** The walk of a command, and the paths that it has met. */
function walk(signal: AbortSignal, checkBudget: (work: string) => void = () => undefined) {
  const met: string[] = [];
  const walking = async (): Promise<void> => {
    const top = { location: play.path("notes"), spelled: "./notes/" };
    for await (const { spelled } of walkTree(
      top,
      { access, checkBudget, signal },
      { name: "cp", work: "Copy" },
    ))
      met.push(spelled);
  };
  return { met, ended: walking() };
}

/** Every look at the clock finds that much time has passed. */
function makeSlow(): void {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 100));
}

describe("a command that looks at a tree", () => {
  it("meets parents before children, under the path it was given", async () => {
    const { met, ended } = walk(new AbortController().signal);
    await ended;
    expect(met).toEqual(["./notes/a", "./notes/b", "./notes/b/c", "./notes/d"]);
  });

  it("lets others work meanwhile, and ends when the run is cancelled by one of them", async () => {
    makeSlow();
    const cancelling = new AbortController();
    setImmediate(() => {
      cancelling.abort(new Error("enough"));
    });
    const { met, ended } = walk(cancelling.signal);
    await expect(ended).rejects.toThrow("enough");
    expect(met.length).toBeLessThan(4);
  });

  it("ends when its time is over", async () => {
    makeSlow();
    const { ended } = walk(new AbortController().signal, (work) => {
      throw new CommandRefusal(`${work} took too long`);
    });
    await expect(ended).rejects.toThrow("Copy took too long");
  });

  it("names what cannot be looked at", async () => {
    const list = vi.spyOn(access, "at");
    list
      .mockImplementationOnce((location) => access.at(location))
      .mockImplementation((location) => {
        throw Object.assign(new Error("denied"), { code: "EACCES", syscall: "open", path: location });
      });
    const { ended } = walk(new AbortController().signal);
    await expect(ended).rejects.toThrow("cp: './notes/': Permission denied");
  });
});
