import { beforeAll, describe, expect, it, vi } from "vitest";
import * as z from "zod";

import type * as core from "./index.ts";

type Core = typeof core;

/** Two copies of this package, as a program has them whose dependencies each installed their own. */
let one: Core;
let other: Core;

beforeAll(async () => {
  one = await import("./index.ts");
  vi.resetModules();
  other = await import("./index.ts");
});

const photo = { url: "https://example.org/cat.png" };

describe("two installed copies of this package", () => {
  it("are two", () => {
    expect(one.Str).not.toBe(other.Str);
    expect(one.CoreError).not.toBe(other.CoreError);
  });

  it("recognise each other's values", () => {
    const str = other.Str({ value: "x" }, { messageKind: "startup_context" });
    expect(one.isValue(str) && one.Str.is(str) && one.Empty.is(str)).toBe(true);
    expect(one.Int.is(str) || one.Stop.is(str)).toBe(false);
    expect(one.StrImage.is(other.StrImage({ value: "x", images: [] }))).toBe(true);
    expect([
      Reflect.apply(one.kindOf, undefined, [str]),
      Reflect.apply(one.metadataOf, undefined, [str]),
    ]).toEqual(["str", { messageKind: "startup_context" }]);
  });

  it("record each other's values as messages, images and all", () => {
    const Cover = other.value("cover", { title: z.string(), cover: other.image });
    const message: unknown = Reflect.apply(one.finaliseValue, undefined, [
      Cover({ title: "x", cover: photo }),
      { caller: "t" },
    ]);
    expect(message).toEqual({ role: "user", content: '{"caller":"t","title":"x"}', images: [photo] });
    const Mixed = one.value("mixed", { cover: other.image });
    expect(one.finaliseValue(Mixed({ cover: photo }))).toMatchObject({ images: [photo], content: "{}" });
  });

  it("take each other's values as input and as output", async () => {
    const shout = one.tool({
      name: "shout",
      description: "",
      input: one.Str,
      output: one.Str,
      run: ({ value }) => one.Str({ value: value.toUpperCase() }),
    });
    const foreign = other.StrImage({ value: "x", images: [] });
    expect(await shout.invoke(foreign)).toEqual({ value: "X" });
    const relay: unknown = Reflect.apply(one.tool, undefined, [
      { name: "relay", description: "", input: one.Empty, output: [one.Stop, one.Str], run: () => foreign },
    ]);
    if (!one.isTool(relay)) throw new TypeError("no tool");
    expect(await Reflect.apply(relay.invoke, undefined, [{}])).toBe(foreign);
  });

  it("take each other's types, tools, factories and links", () => {
    const ask = other.tool({
      name: "ask",
      description: "",
      input: other.Empty,
      output: other.Str,
      run: () => other.Str({ value: "" }),
    });
    const bind = other.factory<string>()({
      name: "bind",
      description: "",
      input: other.Empty,
      output: other.Str,
      run: () => other.Str({ value: "" }),
    });
    expect(one.isTool(ask) && one.isTool(bind("x"))).toBe(true);
    const child: unknown = Reflect.apply(one.tool, undefined, [
      {
        name: "child",
        description: "",
        input: other.Str,
        output: other.Stop,
        chainedTo: [ask, bind, other.when(ask, () => true)],
        run: () => other.Stop(),
      },
    ]);
    expect(one.isTool(child) && other.isTool(child)).toBe(true);
  });

  it("load each other's skills, their tools and their prerequisites", async () => {
    const dig = other.tool({
      name: "dig",
      description: "",
      input: other.Empty,
      output: other.Str,
      run: () => other.Str({ value: "dug" }),
    });
    const house = new other.Skill({ name: "house", description: "", instructions: "Wipe your feet." });
    const garden = new other.Skill({
      name: "garden",
      description: "",
      instructions: "Mind the roses.",
      tools: [dig],
      dependsOn: house,
    });
    const agent = new one.Agent({
      name: "gardener",
      mode: "autonomous",
      systemPrompt: "Dig.",
      endpoint: new one.MockLLMEndpoint([
        { action: "garden", rationale: "" },
        { action: "dig", rationale: "" },
        { action: "stop", rationale: "", value: "done" },
      ]),
      tools: [one.stop],
      skills: [garden],
      autoLoadedSkills: [house],
    });
    const { messages } = await agent.complete();
    expect(messages.map(({ content }) => content)).toContain('{"caller":"dig","value":"dug"}');
  });

  it("tell each other's values apart with `match`", () => {
    const told: unknown = Reflect.apply(one.match, undefined, [
      other.Str({ value: "x" }),
      { str: () => "str", empty: () => "empty" },
    ]);
    expect(told).toBe("str");
  });

  it("recognise each other's errors, by `is` and by code", () => {
    const thrown = ((): unknown => {
      try {
        other.value("Bad-Name", {});
      } catch (error) {
        return error;
      }
      return undefined;
    })();
    expect(thrown).not.toBeInstanceOf(one.NameError);
    expect(one.CoreError.is(thrown)).toBe(true);
    expect(thrown).toMatchObject({ name: "NameError", code: "core/name" });
    expect(one.CoreError.is(new Error("x")) || one.CoreError.is({ code: "core/name" })).toBe(false);
  });

  it("hold a copy's data frozen and plain in the other's values", () => {
    const inner = other.Str({ value: "x" });
    const all = one.All({ inner });
    expect(all["inner"]).toBe(inner);
    expect(JSON.stringify(all)).toBe('{"inner":{"value":"x"}}');
  });
});
