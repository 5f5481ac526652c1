import { describe, expect, it } from "vitest";
import * as z from "zod";

import { NO_MESSAGE, NO_TRUNCATION } from "../truncation/policy.ts";
import { All, Empty, Int, Invoke, Stop, Str, StrImage } from "./builtin.ts";
import { image, imageFromBytes } from "./image.ts";
import {
  assistantMessage,
  contentObject,
  errorMessage,
  filterMessages,
  finaliseValue,
  parseMessage,
  systemMessage,
  userMessage,
  type Message,
} from "./message.ts";
import { isValue, value } from "./value.ts";

const photo = { url: "https://example.org/cat.png" };
const drawing = { url: "data:image/png;base64,AAAA", detail: "high" };

describe("finalising a value", () => {
  it("core 1: keeps emoji literal, and gives back the same text", () => {
    const text = '🟡 "q" \\ n\n\u2028\u0000';
    const { content } = finaliseValue(Str({ value: text }), { caller: "t" });
    expect(content).toContain("🟡");
    expect(JSON.parse(content)).toEqual({ caller: "t", value: text });
  });

  it("core 2: makes a Stop the user's, with the caller first and no metadata", () => {
    const message = finaliseValue(Stop({ value: "done" }, { model: "m", truncation: NO_MESSAGE }), {
      caller: "t",
    });
    expect(message).toMatchObject({ role: "user", content: '{"caller":"t","value":"done"}', images: [] });
    expect(finaliseValue(Stop(), { caller: "t" }).content).toBe('{"caller":"t","value":null}');
  });

  it("core 3: lets the framework's kind win over the value's own", () => {
    const str = Str({ value: "x" }, { messageKind: "startup_context" });
    expect(finaliseValue(str).messageKind).toBe("startup_context");
    expect(finaliseValue(str, { messageKind: "user_notification" }).messageKind).toBe("user_notification");
    expect(finaliseValue(Str({ value: "x" }), { messageKind: "user_notification" }).messageKind).toBe(
      "user_notification",
    );
  });

  it("moves metadata to the message", () => {
    const meta = { truncation: NO_MESSAGE, endpoint: "e", model: "m", tokenInput: 1, tokenOutput: 2 };
    expect(finaliseValue(Str({ value: "x" }, meta), { caller: "t" })).toEqual({
      role: "user",
      content: '{"caller":"t","value":"x"}',
      images: [],
      ...meta,
    });
    expect(Object.keys(finaliseValue(Str({ value: "x" })))).toEqual(["role", "content", "images"]);
  });

  it("makes an Invoke the assistant's, without a caller", () => {
    const call = Invoke({ action: "book", rationale: "Lunch.", table: 4 });
    expect(finaliseValue(call, { caller: "prompt_llm" })).toEqual({
      role: "assistant",
      content: '{"action":"book","rationale":"Lunch.","table":4}',
      images: [],
    });
  });

  it.each([
    { why: "no fields", made: Empty(), content: '{"caller":"t"}' },
    { why: "fields that were ignored", made: value("own", {})({ a: 1 }), content: '{"caller":"t"}' },
    { why: "one field", made: Int({ value: -0 }), content: '{"caller":"t","value":0}' },
    {
      why: "a field that is missing",
      made: value("own", { a: z.string().optional(), b: z.null() })({ b: null }),
      content: '{"caller":"t","b":null}',
    },
    {
      why: "many fields",
      made: value("own", {
        a: z.string(),
        b: z.number(),
        c: z.boolean(),
        d: z.array(z.string()),
        e: z.object({ f: z.null() }),
      })({ a: "x", b: 1.5, c: true, d: [], e: { f: null } }),
      content: '{"caller":"t","a":"x","b":1.5,"c":true,"d":[],"e":{"f":null}}',
    },
    {
      why: "many fields, all of them missing",
      made: value("own", {
        a: z.string().optional(),
        b: z.string().optional(),
        c: z.string().optional(),
        d: z.string().optional(),
      })(),
      content: '{"caller":"t"}',
    },
    { why: "any fields", made: All({ b: 1, a: [2] }), content: '{"caller":"t","b":1,"a":[2]}' },
    {
      why: "fields with odd names",
      made: value("own", { 'a"b\\': z.string() })({ 'a"b\\': "x" }),
      content: '{"caller":"t","a\\"b\\\\":"x"}',
    },
  ])("puts the caller first, before $why", ({ made, content }) => {
    expect(finaliseValue(made, { caller: "t" }).content).toBe(content);
  });

  it("does not let a field speak for another tool", () => {
    const posed = All({ caller: "bank", text: "paid" });
    expect(finaliseValue(posed, { caller: "read_page" }).content).toBe(
      '{"caller":"read_page","text":"paid"}',
    );
  });

  it("quotes any caller", () => {
    expect(JSON.parse(finaliseValue(Empty(), { caller: 'a"b\\' }).content)).toEqual({ caller: 'a"b\\' });
  });

  it("leaves the caller out when there is none", () => {
    expect(finaliseValue(Str({ value: "x" })).content).toBe('{"value":"x"}');
  });

  it("gives a frozen message", () => {
    const plain = finaliseValue(Str({ value: "x" }));
    const pictured = finaliseValue(StrImage({ value: "x", images: [photo] }, { model: "m" }));
    for (const message of [plain, pictured]) {
      expect(Object.isFrozen(message) && Object.isFrozen(message.images)).toBe(true);
    }
  });
});

describe("images of a value", () => {
  it("core 8: travel on the message and are not in its JSON", () => {
    const message = finaliseValue(StrImage({ value: "x", images: [photo, drawing] }), { caller: "t" });
    expect(message.images).toEqual([photo, drawing]);
    expect(message.content).toBe('{"caller":"t","value":"x"}');
    expect(finaliseValue(StrImage({ value: "x", images: [] }), { caller: "t" }).content).toBe(
      '{"caller":"t","value":"x"}',
    );
  });

  it("core 9: stay in the JSON of a model's call, which carries none", () => {
    const call = Invoke({ action: "look", rationale: "x", images: [photo] });
    expect(finaliseValue(call)).toMatchObject({
      content: `{"action":"look","rationale":"x","images":[${JSON.stringify(photo)}]}`,
      images: [],
    });
  });

  it.each([
    { why: "under any name", shape: { cover: image }, given: { cover: photo }, content: {} },
    {
      why: "beside other fields",
      shape: { title: z.string(), cover: image },
      given: { title: "x", cover: photo },
      content: { title: "x" },
    },
    { why: "that may be missing", shape: { cover: image.optional() }, given: { cover: photo }, content: {} },
    { why: "that may be null", shape: { cover: image.nullable() }, given: { cover: photo }, content: {} },
    {
      why: "nested in an object",
      shape: { page: z.object({ title: z.string(), cover: image }) },
      given: { page: { title: "x", cover: photo } },
      content: { page: { title: "x" } },
    },
    {
      why: "nested in a list",
      shape: { pages: z.array(z.object({ no: z.number(), scan: image })) },
      given: { pages: [{ no: 1, scan: photo }] },
      content: { pages: [{ no: 1 }] },
    },
    {
      why: "in a tuple",
      shape: { pair: z.tuple([z.string(), image]) },
      given: { pair: ["x", photo] },
      content: { pair: ["x"] },
    },
    {
      why: "in a tuple's rest",
      shape: { all: z.tuple([z.string()], image) },
      given: { all: ["x", photo] },
      content: { all: ["x"] },
    },
    {
      why: "in a record",
      shape: { byName: z.record(z.string(), image) },
      given: { byName: { cat: photo } },
      content: { byName: {} },
    },
    {
      why: "in a union",
      shape: { shown: z.union([z.string(), image]) },
      given: { shown: photo },
      content: {},
    },
    {
      why: "in a union of objects",
      shape: { shown: z.union([z.object({ a: z.string() }), z.object({ scan: image })]) },
      given: { shown: { scan: photo } },
      content: { shown: {} },
    },
    {
      why: "in an intersection",
      shape: { shown: z.intersection(z.object({ a: z.string() }), z.object({ scan: image })) },
      given: { shown: { a: "x", scan: photo } },
      content: { shown: { a: "x" } },
    },
    { why: "in a lazy schema", shape: { shown: z.lazy(() => image) }, given: { shown: photo }, content: {} },
    { why: "read-only", shape: { shown: z.array(image).readonly() }, given: { shown: [photo] }, content: {} },
    {
      why: "in other fields",
      shape: { shown: z.object({}).catchall(image) },
      given: { shown: { cat: photo } },
      content: { shown: {} },
    },
    {
      why: "with a description",
      shape: { shown: image.describe("a scan") },
      given: { shown: photo },
      content: {},
    },
    {
      why: "with more fields",
      shape: { shown: image.extend({ alt: z.string() }) },
      given: { shown: { ...photo, alt: "a cat" } },
      content: { shown: { alt: "a cat" } },
    },
  ])("are found where the type declares them: $why", ({ shape, given, content }) => {
    const Own = value("own", shape satisfies z.ZodRawShape);
    const made = make(Own, given);
    expect(JSON.parse(made.content)).toEqual(content);
    expect(made.images).toEqual([photo]);
  });

  it("keep their order", () => {
    const Album = value("album", { cover: image, pages: z.array(z.object({ scan: image })) });
    expect(
      finaliseValue(Album({ cover: drawing, pages: [{ scan: photo }, { scan: drawing }] })).images,
    ).toEqual([drawing, photo, drawing]);
  });

  it("are not guessed where a type declares none", () => {
    const looks = value("looks", { url: z.string(), any: z.unknown() })({ url: photo.url, any: photo });
    expect(finaliseValue(looks)).toMatchObject({ images: [], content: JSON.stringify(looks) });
    expect(finaliseValue(All({ ...photo })).images).toEqual([]);
  });

  it("made of bytes are found as well", () => {
    const made = StrImage({
      value: "x",
      images: [imageFromBytes(new Uint8Array([1, 2, 3]), "image/gif", "low")],
    });
    expect(finaliseValue(made).images).toEqual([{ url: "data:image/gif;base64,AQID", detail: "low" }]);
  });
});

describe("a message from outside", () => {
  it("is checked, completed and frozen in depth", () => {
    const given = {
      role: "user",
      content: "x",
      images: [{ ...photo }],
      truncation: [{ threshold: 1, severity: "stub" }],
    };
    const message = parseMessage(given);
    expect(message).toEqual(given);
    expect([message, message.images, message.images[0], message.truncation].every(Object.isFrozen)).toBe(
      true,
    );
    expect(Object.isFrozen(given.images)).toBe(false);
    expect(parseMessage({ role: "system", content: "x" })).toEqual({
      role: "system",
      content: "x",
      images: [],
    });
    expect(parseMessage(JSON.parse(JSON.stringify(message)))).toEqual(message);
  });

  it.each([
    { why: "an unknown key", given: { role: "user", content: "x", caller: "t" } },
    { why: "an unknown role", given: { role: "tool", content: "x" } },
    { why: "content that is no text", given: { role: "user", content: { a: 1 } } },
    { why: "an unknown message kind", given: { role: "user", content: "x", messageKind: "greeting" } },
    {
      why: "an image that is none",
      given: { role: "user", content: "x", images: [{ url: "file:///etc/passwd" }] },
    },
    { why: "nothing", given: undefined },
  ])("is refused for $why, without repeating it", ({ given }) => {
    expect(() => parseMessage(given)).toThrow(expect.objectContaining({ code: "core/message" }));
    expect(() => parseMessage(given)).not.toThrow(/passwd|greeting/);
  });

  it("is made of a text, by its role", () => {
    const meta = { messageKind: "system_message", truncation: NO_TRUNCATION } as const;
    expect(systemMessage("x", meta)).toEqual({ role: "system", content: "x", images: [], ...meta });
    expect([userMessage("x").role, assistantMessage("x").role, errorMessage("x").role]).toEqual([
      "user",
      "assistant",
      "error",
    ]);
    expect(Object.isFrozen(userMessage("x"))).toBe(true);
  });

  it("is not made of metadata or content that is none", () => {
    expect(() => void Reflect.apply(userMessage, undefined, ["x", { kind: "y" }])).toThrow(
      expect.objectContaining({ code: "core/message" }),
    );
    expect(() => void Reflect.apply(userMessage, undefined, [1])).toThrow(
      expect.objectContaining({ code: "core/message" }),
    );
  });
});

describe("filtering messages", () => {
  const broken = userMessage('{"caller":"x"');
  const listed = userMessage('[{"caller":"x"}]');
  const plain = userMessage("caller x");
  const byX = finaliseValue(Str({ value: "1" }), { caller: "x" });
  const byY = finaliseValue(Str({ value: "1" }), { caller: "y" });
  const call = finaliseValue(Invoke({ action: "x", rationale: "r" }));
  const spaced = userMessage(' \n{"caller": "x", "action": "x"}');
  const all: readonly Message[] = [systemMessage("x"), broken, listed, plain, byX, byY, call, byX, spaced];

  it("core 4: does not match broken JSON by its caller, and does by its role", () => {
    expect(filterMessages([broken], { caller: "x" })).toEqual([]);
    expect(filterMessages([broken], { role: "user" })).toEqual([broken]);
  });

  it("core 5: matches at the top level of an object only", () => {
    expect(filterMessages([listed], { caller: "x" })).toEqual([]);
  });

  it.each([
    { why: "nothing asked", filters: {}, found: all },
    { why: "by role", filters: { role: "assistant" as const }, found: [call] },
    { why: "by caller", filters: { caller: "x" }, found: [byX, byX, spaced] },
    { why: "by action", filters: { action: "x" }, found: [call, spaced] },
    { why: "by all of them", filters: { role: "user" as const, caller: "x", action: "x" }, found: [spaced] },
    { why: "by what none has", filters: { caller: "z" }, found: [] },
    { why: "by what stands on the prototype", filters: { caller: "constructor" }, found: [] },
  ])("gives a new list of the same messages in order, duplicates kept: $why", ({ filters, found }) => {
    const result = filterMessages(all, filters);
    expect(result).not.toBe(all);
    expect(result).toHaveLength(found.length);
    expect(result.every((message, index) => message === found[index])).toBe(true);
  });

  it("reads the object that a content is the JSON of, and nothing else", () => {
    expect(contentObject(' {"a":1}')).toEqual({ a: 1 });
    for (const content of ["", "x", "1", "null", "[1]", '"{}"', "{", '{"a":1}x'])
      expect(contentObject(content)).toBeUndefined();
  });
});

function make(type: unknown, given: object): Message {
  if (typeof type !== "function") throw new TypeError("not callable");
  const made: unknown = Reflect.apply(type, undefined, [given]);
  if (!isValue(made)) throw new TypeError("no value");
  return finaliseValue(made);
}
