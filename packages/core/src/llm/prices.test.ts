import { expect, it } from "vitest";

import { costOf } from "./prices.ts";

const prices = { inputPerMillion: 2, outputPerMillion: 8, cachedInputPerMillion: 0.5 };
const million = 1_000_000;

it.each([
  { why: "input and output", usage: { tokenInput: million, tokenOutput: million }, prices, cost: 10 },
  {
    why: "the cached part at its own price",
    usage: { tokenInput: million, tokenOutput: 0, tokenCached: million / 2 },
    prices,
    cost: 1.25,
  },
  {
    why: "the cached part at the input's price when it has none",
    usage: { tokenInput: million, tokenOutput: 0, tokenCached: million / 2 },
    prices: { inputPerMillion: 2, outputPerMillion: 8 },
    cost: 2,
  },
  {
    why: "no more cached than there is input",
    usage: { tokenInput: 10, tokenOutput: 0, tokenCached: million },
    prices: { inputPerMillion: 2, outputPerMillion: 8, cachedInputPerMillion: 1_000_000 },
    cost: 10,
  },
  {
    why: "a free model",
    usage: { tokenInput: 5, tokenOutput: 5 },
    prices: { inputPerMillion: 0, outputPerMillion: 0 },
    cost: 0,
  },
  { why: "nothing known of the tokens", usage: {}, prices, cost: null },
  { why: "only the input known", usage: { tokenInput: 5 }, prices, cost: null },
  {
    why: "a price unknown",
    usage: { tokenInput: 5, tokenOutput: 5 },
    prices: { inputPerMillion: 1, outputPerMillion: null },
    cost: null,
  },
  {
    why: "a price unknown that is not needed",
    usage: { tokenInput: 0, tokenOutput: million },
    prices: { outputPerMillion: 3 },
    cost: 3,
  },
  { why: "no prices", usage: { tokenInput: 5, tokenOutput: 5 }, prices: null, cost: null },
])("prices a call: $why", ({ usage, prices: given, cost }) => {
  expect(costOf(usage, given)).toBe(cost);
});
