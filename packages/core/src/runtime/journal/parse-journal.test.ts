import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { isUnbegun, parseJournal } from "./parse-journal.ts";
import { isJournalRecord } from "./record-form.ts";

const recordAt = (sequence: number, text = ""): string =>
  JSON.stringify({ sequence, at: "2026-01-01T00:00:00.000Z", type: "once-intent", key: `é${text}` });
const one = recordAt(1);
const two = recordAt(2);
const three = recordAt(3);

const numbersIn = (lines: readonly string[]): readonly number[] =>
  parseJournal(lines).records.map(({ sequence }) => sequence);

describe("the lines of a journal", () => {
  it.each<{
    readonly why: string;
    readonly lines: readonly string[];
    readonly numbers: readonly number[];
    readonly damage: ReturnType<typeof parseJournal>["damage"];
  }>([
    { why: "whole records", lines: [one, two, ""], numbers: [1, 2], damage: null },
    { why: "a last one without a line end", lines: [one, two], numbers: [1, 2], damage: null },
    { why: "blank lines", lines: [one, "", "", two, ""], numbers: [1, 2], damage: null },
    { why: "nothing", lines: [""], numbers: [], damage: null },
    {
      why: "a torn tail",
      lines: [one, two.slice(0, 30)],
      numbers: [1],
      damage: { broken: 1, isTornTail: true },
    },
    {
      why: "a torn tail behind which a run went on",
      lines: [one, two.slice(0, 30), two, ""],
      numbers: [1, 2],
      damage: { broken: 1, isTornTail: false },
    },
    {
      why: "a whole record glued to a torn one",
      lines: [one, two.slice(0, 30) + three, ""],
      numbers: [1, 3],
      damage: { broken: 1, isTornTail: false },
    },
    {
      why: "two whole records glued together",
      lines: [one + two, three],
      numbers: [1, 2, 3],
      damage: { broken: 1, isTornTail: false },
    },
    {
      why: "three whole records glued together",
      lines: [one + two + three],
      numbers: [1, 2, 3],
      damage: { broken: 1, isTornTail: false },
    },
    {
      why: "zeros",
      lines: [one, "\0\0\0\0", two],
      numbers: [1, 2],
      damage: { broken: 1, isTornTail: false },
    },
    {
      why: "zeros before a record, on its line",
      lines: [one, `\0\0\0${two}`],
      numbers: [1, 2],
      damage: { broken: 1, isTornTail: false },
    },
    {
      why: "a tail that ends within a letter",
      lines: [
        one,
        new TextDecoder().decode(Buffer.from(two).subarray(0, Buffer.from(two).indexOf(0xc3) + 1)),
      ],
      numbers: [1],
      damage: { broken: 1, isTornTail: true },
    },
    {
      why: "another program's lines",
      lines: ['{"level":30}', "x"],
      numbers: [],
      damage: { broken: 2, isTornTail: true },
    },
  ])("PS-13: give the whole records and count the others, with $why", ({ lines, numbers, damage }) => {
    expect(numbersIn(lines)).toEqual(numbers);
    expect(parseJournal(lines).damage).toEqual(damage);
  });

  it("take a record within another one's text for text", () => {
    const quoting = recordAt(2, two);
    expect(numbersIn([one, quoting])).toEqual([1, 2]);
    expect(numbersIn([one, quoting.slice(0, -1)])).toEqual([1]);
    const nested: unknown = JSON.parse(three);
    for (const result of [nested, [nested], [0, nested]]) {
      const holding = JSON.stringify({ sequence: 2, at: "", type: "once-result", key: "k", result });
      expect(numbersIn([one, holding])).toEqual([1, 2]);
      for (let cut = 1; cut < holding.length; cut += 1)
        expect(numbersIn([one, holding.slice(0, cut)])).toEqual([1]);
    }
  });

  it.each([
    { why: "no number", text: '{"sequence":"1","at":"","type":"resumed"}' },
    { why: "a broken number", text: '{"sequence":1.5,"at":"","type":"resumed"}' },
    { why: "no time", text: '{"sequence":1,"type":"resumed"}' },
    { why: "no type", text: '{"sequence":1,"at":""}' },
    { why: "an unknown type", text: '{"sequence":1,"at":"","type":"merged"}' },
    {
      why: "an opening without a name",
      text: '{"sequence":1,"at":"","type":"opened","runId":"a","schemaVersion":1,"base":null}',
    },
    {
      why: "an opening on half a snapshot",
      text: '{"sequence":1,"at":"","type":"opened","runId":"a","agentName":"b","schemaVersion":1,"base":{"messages":[]}}',
    },
    {
      why: "an opening on a list",
      text: '{"sequence":1,"at":"","type":"opened","runId":"a","agentName":"b","schemaVersion":1,"base":[]}',
    },
    {
      why: "a step without messages",
      text: '{"sequence":1,"at":"","type":"step","replacements":[],"events":[]}',
    },
    {
      why: "a message without a number",
      text: '{"sequence":1,"at":"","type":"step","replacements":[],"messages":[{}],"events":[]}',
    },
    {
      why: "a replacement without a range",
      text: '{"sequence":1,"at":"","type":"step","replacements":[{"from":0}],"messages":[],"events":[]}',
    },
    {
      why: "a replacement that is null",
      text: '{"sequence":1,"at":"","type":"step","replacements":[null],"messages":[],"events":[]}',
    },
    { why: "an effect without a key", text: '{"sequence":1,"at":"","type":"once-result","result":1}' },
    { why: "an end without events", text: '{"sequence":1,"at":"","type":"ended","status":"completed"}' },
    {
      why: "an end without its last event",
      text: '{"sequence":1,"at":"","type":"ended","status":"completed","events":[]}',
    },
    {
      why: "a step that stands nowhere",
      text: '{"sequence":1,"at":"","type":"step","replacements":[],"messages":[],"events":[],"position":null}',
    },
  ])("hold no record, though whole, in what has $why", ({ text }) => {
    const lines = [one, text];
    expect(numbersIn(lines)).toEqual([1]);
    expect(parseJournal(lines)).toMatchObject({ damage: { broken: 1, isTornTail: false }, misfits: 1 });
    expect(isUnbegun([text])).toBe(false);
  });

  it.each([
    { why: "a list", text: '[{"sequence":1}]' },
    { why: "white space behind it", text: `${one} ` },
  ])("hold no record in what is or has $why", ({ text }) => {
    expect(parseJournal([text])).toEqual({
      records: [],
      damage: { broken: 1, isTornTail: true },
      misfits: 0,
    });
  });

  it("PS-12: give every record before a cut, at every place", () => {
    const lines = [1, 2, 3].map((sequence) => recordAt(sequence, '日本 \u2028 \\ "'));
    const bytes = Buffer.from(`${lines.join("\n")}\n`);
    let whole = 0;
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const kept = new TextDecoder().decode(bytes.subarray(0, cut)).split("\n");
      const { records, damage } = parseJournal(kept);
      expect(records.length).toBeGreaterThanOrEqual(whole);
      whole = records.length;
      expect(records.map(({ sequence }) => sequence)).toEqual([1, 2, 3].slice(0, whole));
      if (damage !== null) expect(damage).toEqual({ broken: 1, isTornTail: true });
    }
    expect(whole).toBe(3);
  });

  it("never make a record of what is none, and never fail", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.json())), (lines) => {
        const { records, damage } = parseJournal(lines);
        expect(records).toEqual([]);
        expect(damage?.broken ?? 0).toBe(lines.filter((line) => line !== "").length);
      }),
    );
  });
});

it.each([null, 1, "x", [], undefined])("takes %j for no record", (candidate) => {
  expect(isJournalRecord(candidate)).toBe(false);
});

describe("a journal without a whole record", () => {
  it.each([
    { why: "nothing", lines: [""] },
    { why: "a torn first record", lines: [one.slice(0, 20)] },
    { why: "two of them", lines: [one.slice(0, 20), one.slice(0, 5)] },
    { why: "zeros", lines: ["\0\0\0"] },
  ])("is one of a run that has not begun, with $why", ({ lines }) => {
    expect(isUnbegun(lines)).toBe(true);
  });

  it.each([
    { why: "another program's lines", lines: ['{"level":30}', ""] },
    { why: "a text", lines: ["hello"] },
    { why: "a text behind a torn record", lines: [one.slice(0, 20), "hello"] },
  ])("is no journal, with $why", ({ lines }) => {
    expect(isUnbegun(lines)).toBe(false);
  });
});
