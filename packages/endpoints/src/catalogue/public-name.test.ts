import { expect, it } from "vitest";

import { isPublicIdentifier, modelNameFault } from "./public-name.ts";

it.each([
  "openrouter",
  "glm_5_3",
  "größe",
  "模型",
  "match",
  "type",
  "list",
  "globals",
  "Object",
  "async_",
  "x1",
  "of",
])("takes %s as the name of a provider", (name) => {
  expect(isPublicIdentifier(name)).toBe(true);
});

it.each([
  { why: "nothing", name: "" },
  { why: "a dash", name: "bad-name" },
  { why: "a space", name: "bad name" },
  { why: "a leading underscore", name: "_private" },
  { why: "a leading digit", name: "1st" },
  { why: "a dollar sign", name: "$cope" },
  { why: "a joiner that shows nothing", name: "a\u200db" },
  { why: "a line break at the end", name: "name\n" },
  { why: "a ligature that compilers rewrite", name: "ﬁ" },
  { why: "full-width letters that compilers rewrite", name: "ａｂｃ" },
  { why: "a decomposed letter", name: "e\u0301tude" },
  { why: "half a surrogate pair", name: "a\ud800" },
  { why: "a keyword", name: "class" },
  { why: "a keyword of strict mode", name: "interface" },
  { why: "a keyword of modules", name: "await" },
  { why: "a literal", name: "null" },
  { why: "a name strict mode does not bind", name: "eval" },
  { why: "a name TypeScript does not bind", name: "undefined" },
  { why: "a keyword of Python", name: "lambda" },
  { why: "a literal of Python", name: "None" },
])("refuses $why in a name", ({ name }) => {
  expect(isPublicIdentifier(name)).toBe(false);
  expect(modelNameFault(name)).toBe("identifier");
});

it.each([
  "models",
  "configured",
  "apiName",
  "api_name",
  "modelsByAttribute",
  "models_by_attribute",
  "then",
  "toJSON",
  "constructor",
  "prototype",
  "hasOwnProperty",
  "toString",
  "valueOf",
])("reserves %s on a catalogue, but not among providers", (name) => {
  expect(modelNameFault(name)).toBe("reserved");
  expect(isPublicIdentifier(name)).toBe(true);
});

it("takes an ordinary name for a model", () => {
  expect(modelNameFault("glm_5_3")).toBeUndefined();
});
