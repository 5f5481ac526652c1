import { describe, expect, it } from "vitest";

import { Empty, Stop, Str } from "../values/builtin.ts";
import { factory } from "./factory.ts";
import { when } from "./link.ts";
import { toolState } from "./state.ts";
import { tool, type AnyTool } from "./tool.ts";

const sound = { name: "note", description: "Notes.", input: Str, output: Str };

/** Declares a factory as code without types does. */
function declare(changes: object): (context?: unknown) => AnyTool {
  return Reflect.apply(factory<unknown>(), undefined, [
    { ...sound, run: () => Str({ value: "" }), ...changes },
  ]);
}

const collect = factory<unknown[]>()({
  ...sound,
  run: (input, _run, notes) => {
    notes.push(input.value);
    return input;
  },
});

describe("a factory", () => {
  it("core 14: says nothing of a wrong contract until a context is bound", () => {
    for (const changes of [
      { input: Stop },
      { output: [] },
      { description: 1 },
      { chainedTo: "nobody" },
      { run: 1 },
    ]) {
      const bind = declare(changes);
      expect(() => bind("context")).toThrow(
        expect.objectContaining({ code: "core/tool-definition", toolName: "note" }),
      );
    }
  });

  it("core 15: refuses a bad name at once", () => {
    expect(() => declare({ name: "Bad-Name" })).toThrow(expect.objectContaining({ code: "core/name" }));
    expect(() => declare({ name: undefined })).toThrow(expect.objectContaining({ code: "core/name" }));
  });

  it("has no use for a fourth parameter", () => {
    expect(() =>
      declare({ run: (a: unknown, b: unknown, c: unknown, d: unknown) => [a, b, c, d] })("context"),
    ).toThrow(expect.objectContaining({ code: "core/tool-definition" }));
  });

  it("core 16: gives its identity to every tool bound from it, and a copy has one of its own", () => {
    const [one, other] = [collect([]), collect([])];
    expect([one.id, other.id, one.name]).toEqual([collect.id, collect.id, "note"]);
    expect(one.copy({ name: "other" }).id).not.toBe(collect.id);
    expect(collect.factoryName).toBe("note");
    expect(Object.isFrozen(collect)).toBe(true);
  });

  it("may name itself and others as parents, and be one", () => {
    const child = factory<string>()({
      ...sound,
      chainedTo: [collect, when(collect, ({ value }) => value !== "")],
      run: (input) => input,
    });
    expect(toolState(child("x"))?.links.map(({ parentId }) => parentId)).toEqual([collect.id, collect.id]);
    const log = tool({ ...sound, name: "log", chainedTo: child, run: (input) => input });
    expect(toolState(log)?.links[0]?.parentId).toBe(child("x").id);
  });
});

describe("a context", () => {
  it("core 24: is kept by reference, also through copies", async () => {
    const notes: unknown[] = [];
    const bound = collect(notes);
    await bound.invoke(Str({ value: "a" }));
    await bound.copy({ name: "other" }).invoke(Str({ value: "b" }));
    await collect(notes).invoke(Str({ value: "c" }));
    expect(notes).toEqual(["a", "b", "c"]);
    expect(toolState(bound)?.bound?.context).toBe(notes);
  });

  it("core 23: may have `externalDependencies` only as a function, whatever that returns", () => {
    const bind = declare({});
    for (const externalDependencies of [null, undefined, [], "x"]) {
      expect(() => bind({ externalDependencies })).toThrow(
        expect.objectContaining({ code: "core/tool-definition", toolName: "note" }),
      );
    }
    expect(bind({ externalDependencies: () => [] }).name).toBe("note");
    expect(bind({ externalDependencies: () => "nothing of the kind" }).name).toBe("note");
  });

  it.each([
    { why: "nothing", context: undefined },
    { why: "null", context: null },
    { why: "a text", context: "x" },
    { why: "a list", context: [] },
    { why: "a function", context: () => 1 },
    { why: "an object without dependencies", context: {} },
  ])("may be $why", async ({ context }) => {
    let given: unknown = "unset";
    const bound = declare({
      run: (_input: unknown, _run: unknown, bound: unknown) => {
        given = bound;
        return Str({ value: "" });
      },
    })(context);
    await Reflect.apply(bound.invoke, undefined, [{ value: "x" }]);
    expect(given).toBe(context);
  });

  it("is not looked at when it is bound, copied or renamed", () => {
    const untouchable = new Proxy(
      {},
      {
        get: (_target, key) => {
          throw new Error(`read ${String(key)}`);
        },
      },
    );
    expect(declare({})(untouchable).copy({ name: "other" }).rename("third").name).toBe("third");
  });
});

describe("a context that materialises", () => {
  class Client {
    calls: string[] = [];
    isReady = false;
    failures = 0;
    materialize(): unknown {
      this.calls.push("materialize");
      if (this.failures > 0) {
        this.failures -= 1;
        throw new RangeError("not yet");
      }
      this.isReady = true;
      return this;
    }
  }
  const use = factory<Client>()({
    name: "use",
    description: "",
    input: Empty,
    output: Str,
    run: (_input, _run, client) => {
      client.calls.push("run");
      return Str({ value: client.isReady ? "ready" : "not ready" });
    },
  });

  it("is asked to before each call, and not before", async () => {
    const client = new Client();
    const bound = use(client).copy({ name: "used" });
    expect(client.calls).toEqual([]);
    expect(await bound.invoke(Empty())).toEqual(Str({ value: "ready" }));
    await bound.invoke(Empty());
    expect(client.calls).toEqual(["materialize", "run", "materialize", "run"]);
  });

  it("may take its time", async () => {
    const slow = {
      isReady: false,
      async materialize() {
        await Promise.resolve();
        this.isReady = true;
      },
    };
    const wait = factory<typeof slow>()({
      ...sound,
      run: (_input, _run, { isReady }) => Str({ value: String(isReady) }),
    });
    expect(await wait(slow).invoke(Str({ value: "x" }))).toEqual(Str({ value: "true" }));
  });

  it("keeps the tool from running when it fails, and is asked again at the next call", async () => {
    const client = new Client();
    client.failures = 1;
    const bound = use(client);
    await expect(bound.invoke(Empty())).rejects.toThrow(new RangeError("not yet"));
    expect(client.calls).toEqual(["materialize"]);
    expect(await bound.invoke(Empty())).toEqual(Str({ value: "ready" }));
  });

  it("core 25: is not looked for in a context's fields", async () => {
    const client = new Client();
    const nested = factory<{ client: Client }>()({
      name: "nested",
      description: "",
      input: Empty,
      output: Str,
      run: (_input, _run, context) => Str({ value: context.client.isReady ? "ready" : "not ready" }),
    });
    expect(await nested({ client }).invoke(Empty())).toEqual(Str({ value: "not ready" }));
    expect(client.calls).toEqual([]);
  });
});
