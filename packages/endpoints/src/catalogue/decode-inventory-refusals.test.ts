import { expect, it } from "vitest";

import { decodeInventory } from "./decode-inventory.ts";

const chat = '{"endpoint_type": "llm", "model_id": "m", "max_context_tokens": 8}';
const provider = (fields: string) => `{"base_url": "https://host/v1", "api_key_env": "KEY", ${fields}}`;
const envelope = (providers: string) => `{"schema_version": 1, "providers": ${providers}}`;
const groq = (fields: string) => envelope(`{"groq": ${provider(fields)}}`);
const models = (text: string) => groq(`"models": ${text}`);
const url = (text: string) => envelope(`{"groq": {"base_url": ${text}, "api_key_env": "KEY", "models": {}}}`);
const context = (text: string) =>
  models(`{"m": {"endpoint_type": "llm", "model_id": "m", "max_context_tokens": ${text}}}`);

const value = "endpoints/catalogue-value";
const missing = "endpoints/catalogue-missing-field";
const unknown = "endpoints/catalogue-unknown-field";
const wrongName = "endpoints/catalogue-name";
const duplicate = "endpoints/catalogue-duplicate-key";
const syntax = "endpoints/catalogue-syntax";

it.each([
  {
    why: "endpoints 8: a model called models",
    json: models(`{"models": ${chat}}`),
    code: wrongName,
    path: "providers.groq.models",
  },
  {
    why: "endpoints 8: a model called configured",
    json: models(`{"configured": ${chat}}`),
    code: wrongName,
    path: "providers.groq.models",
  },
  {
    why: "endpoints 8: a model called api_name",
    json: models(`{"api_name": ${chat}}`),
    code: wrongName,
    path: "providers.groq.models",
  },
  {
    why: "endpoints 9: a model called bad-name",
    json: models(`{"bad-name": ${chat}}`),
    code: wrongName,
    path: "providers.groq.models",
  },
  {
    why: "endpoints 9: a model called _private",
    json: models(`{"_private": ${chat}}`),
    code: wrongName,
    path: "providers.groq.models",
  },
  {
    why: "endpoints 9: a model called class",
    json: models(`{"class": ${chat}}`),
    code: wrongName,
    path: "providers.groq.models",
  },
  {
    why: "endpoints 27: schema version true",
    json: '{"schema_version": true, "providers": {}}',
    code: value,
    path: "schema_version",
  },
  {
    why: "endpoints 27: schema version 2",
    json: '{"schema_version": 2, "providers": {}}',
    code: value,
    path: "schema_version",
  },
  {
    why: "schema version 1.0",
    json: '{"schema_version": 1.0, "providers": {}}',
    code: value,
    path: "schema_version",
  },
  {
    why: "schema version 1e0",
    json: '{"schema_version": 1e0, "providers": {}}',
    code: value,
    path: "schema_version",
  },
  {
    why: 'schema version "1"',
    json: '{"schema_version": "1", "providers": {}}',
    code: value,
    path: "schema_version",
  },
  {
    why: "endpoints 28: a key beside the models",
    json: groq('"models": {}, "api_key": "sk-secret"'),
    code: unknown,
    path: "providers.groq",
    fields: ["api_key"],
  },
  {
    why: "endpoints 29: a base URL with a password",
    json: url('"https://user:secret@host/v1"'),
    code: value,
    path: "providers.groq.base_url",
  },
  {
    why: "endpoints 29: a base URL with a wrong port",
    json: url('"https://host:wrong/v1"'),
    code: value,
    path: "providers.groq.base_url",
  },
  { why: "a base URL that is blank", json: url('" "'), code: value, path: "providers.groq.base_url" },
  { why: "a base URL that is no text", json: url("1"), code: value, path: "providers.groq.base_url" },
  {
    why: "endpoints 30: a credential variable of null",
    json: envelope('{"groq": {"base_url": "https://host", "api_key_env": null, "models": {}}}'),
    code: value,
    path: "providers.groq.api_key_env",
  },
  {
    why: 'endpoints 30: stream "false"',
    json: groq('"models": {}, "stream": "false"'),
    code: value,
    path: "providers.groq.stream",
  },
  {
    why: "stream null",
    json: groq('"models": {}, "stream": null'),
    code: value,
    path: "providers.groq.stream",
  },
  { why: "stream 1", json: groq('"models": {}, "stream": 1'), code: value, path: "providers.groq.stream" },
  {
    why: "endpoints 30: timeout true",
    json: groq('"models": {}, "timeout_s": true'),
    code: value,
    path: "providers.groq.timeout_s",
  },
  {
    why: "a timeout of 0",
    json: groq('"models": {}, "timeout_s": 0'),
    code: value,
    path: "providers.groq.timeout_s",
  },
  {
    why: "a timeout that overflows",
    json: groq('"models": {}, "timeout_s": 1e999'),
    code: value,
    path: "providers.groq.timeout_s",
  },
  {
    why: "a timeout that vanishes",
    json: groq('"models": {}, "timeout_s": 1e-999'),
    code: value,
    path: "providers.groq.timeout_s",
  },
  {
    why: "a timeout of NaN",
    json: groq('"models": {}, "timeout_s": NaN'),
    code: syntax,
    path: "providers.groq.timeout_s",
  },
  {
    why: "endpoints 31: a transcription model with a context limit",
    json: models('{"m": {"endpoint_type": "transcription", "model_id": "m", "max_context_tokens": 8}}'),
    code: unknown,
    path: "providers.groq.models.m",
    fields: ["max_context_tokens"],
  },
  {
    why: "endpoints 31: a chat model without a context limit",
    json: models('{"m": {"endpoint_type": "llm", "model_id": "m"}}'),
    code: missing,
    path: "providers.groq.models.m",
    fields: ["max_context_tokens"],
  },
  {
    why: "a transcription model that takes images",
    json: models('{"m": {"endpoint_type": "transcription", "model_id": "m", "accepts_images": false}}'),
    code: unknown,
    path: "providers.groq.models.m",
    fields: ["accepts_images"],
  },
  {
    why: "endpoints 32: a context limit of true",
    json: context("true"),
    code: value,
    path: "providers.groq.models.m.max_context_tokens",
  },
  {
    why: "endpoints 32: a context limit of 1.5",
    json: context("1.5"),
    code: value,
    path: "providers.groq.models.m.max_context_tokens",
  },
  {
    why: "endpoints 32: a context limit of 0",
    json: context("0"),
    code: value,
    path: "providers.groq.models.m.max_context_tokens",
  },
  {
    why: "a context limit of 8.0",
    json: context("8.0"),
    code: value,
    path: "providers.groq.models.m.max_context_tokens",
  },
  {
    why: "a context limit of 1e5",
    json: context("1e5"),
    code: value,
    path: "providers.groq.models.m.max_context_tokens",
  },
  {
    why: "a context limit of -1",
    json: context("-1"),
    code: value,
    path: "providers.groq.models.m.max_context_tokens",
  },
  {
    why: "a context limit no number holds exactly",
    json: context("9007199254740993"),
    code: value,
    path: "providers.groq.models.m.max_context_tokens",
  },
  {
    why: 'a context limit of "8"',
    json: context('"8"'),
    code: value,
    path: "providers.groq.models.m.max_context_tokens",
  },
  {
    why: "images as text",
    json: models(
      '{"m": {"endpoint_type": "llm", "model_id": "m", "max_context_tokens": 8, "accepts_images": "no"}}',
    ),
    code: value,
    path: "providers.groq.models.m.accepts_images",
  },
  {
    why: "a blank model id",
    json: models('{"m": {"endpoint_type": "transcription", "model_id": " "}}'),
    code: value,
    path: "providers.groq.models.m.model_id",
  },
  {
    why: "an unknown kind of model",
    json: models('{"m": {"endpoint_type": "image", "colour": 1}}'),
    code: value,
    path: "providers.groq.models.m.endpoint_type",
  },
  {
    why: "a model without a kind",
    json: models('{"m": {"model_id": 5, "colour": 1}}'),
    code: missing,
    path: "providers.groq.models.m",
    fields: ["endpoint_type"],
  },
  {
    why: "a model that is no object",
    json: models('{"m": "gpt"}'),
    code: value,
    path: "providers.groq.models.m",
  },
  { why: "models that are a list", json: models("[]"), code: value, path: "providers.groq.models" },
  {
    why: "endpoints 33: a provider called class",
    json: envelope('{"class": 1}'),
    code: wrongName,
    path: "providers",
  },
  {
    why: "endpoints 33: a provider called bad-name",
    json: envelope('{"bad-name": 1}'),
    code: wrongName,
    path: "providers",
  },
  {
    why: "endpoints 33: a provider called _private",
    json: envelope('{"_private": 1}'),
    code: wrongName,
    path: "providers",
  },
  {
    why: "endpoints 33: a provider with a ligature",
    json: envelope('{"ﬁ": 1}'),
    code: wrongName,
    path: "providers",
  },
  {
    why: "a provider called __proto__",
    json: envelope('{"__proto__": 1}'),
    code: wrongName,
    path: "providers",
  },
  {
    why: "endpoints 34: a provider that stands twice",
    json: envelope('{"same": 1, "same": 2}'),
    code: duplicate,
    path: "providers.same",
  },
  {
    why: "a field that stands twice",
    json: groq('"models": {}, "models": {}'),
    code: duplicate,
    path: "providers.groq.models",
  },
  {
    why: "a provider that is no object",
    json: envelope('{"groq": []}'),
    code: value,
    path: "providers.groq",
  },
  { why: "providers that are null", json: envelope("null"), code: value, path: "providers" },
  { why: "a root that is a list", json: "[]", code: value, path: "inventory" },
  {
    why: "an empty root",
    json: "{}",
    code: missing,
    path: "inventory",
    fields: ["providers", "schema_version"],
  },
  {
    why: "an unknown field of the root",
    json: '{"schema_version": 1, "providers": {}, "$schema": "x", "a": 1}',
    code: unknown,
    path: "inventory",
    fields: ["$schema", "a"],
  },
  { why: "a file that is nested too deep", json: `{"a":${"[".repeat(100_000)}`, code: syntax },
])("decodeInventory refuses $why", ({ json, why: _why, ...expected }) => {
  const refusal = refusalOf(() => decodeInventory(json, { file: "a/models.json" }));
  expect(refusal).toMatchObject({ ...expected, file: "a/models.json" });
  expect(refusal).toHaveProperty("message", expect.stringMatching(/^a\/models\.json:\d+:\d+: `[^`]+` /));
  expect(refusal).toHaveProperty("message", expect.not.stringContaining("secret"));
});

function refusalOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was refused");
}
