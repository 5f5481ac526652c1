import { describe, expect, it, vi } from "vitest";

import { Agent } from "../agent/agent.ts";
import { asTool } from "../agent/as-tool.ts";
import { BackgroundAgent } from "../agent/background.ts";
import { LLMEndpoint, LLMEndpointRoute } from "../llm/endpoint.ts";
import { MockLLMEndpoint } from "../llm/mock.ts";
import { MockTranscriptionEndpoint, TranscriptionEndpoint } from "../llm/transcription-endpoint.ts";
import { Skill } from "../skills/skill.ts";
import { factory } from "../tools/factory.ts";
import { tool } from "../tools/tool.ts";
import { Empty, Stop } from "../values/builtin.ts";
import { ExecutableDependency } from "./executable.ts";
import {
  dedupeExternalDependencies,
  externalDependenciesOf,
  isExternalDependency,
  type ExternalDependency,
} from "./external-dependency.ts";

/** A service that must not be asked. */
function service(dependencyId: string) {
  const check = vi.fn<ExternalDependency["check"]>(() => Promise.reject(new Error("was checked")));
  return { dependencyId, kind: "network_service" as const, redactedMetadata: () => ({}), check };
}

/** A model whose client must not be made. */
function model(modelName: string) {
  const client = vi.fn(() => {
    throw new Error("was made");
  });
  return { client, endpoint: new LLMEndpoint({ client, apiName: "a", modelName }) };
}

const send = factory<unknown>()({
  name: "send",
  description: "",
  input: Empty,
  output: Stop,
  run: () => Stop(),
});
const plain = tool({ name: "plain", description: "", input: Empty, output: Stop, run: () => Stop() });

describe("a tool's externalDependencies", () => {
  it.each([
    { why: "is a plain tool", made: plain },
    { why: "is bound to a context that says nothing", made: send({ host: "mail" }) },
    { why: "is bound to a text", made: send("x") },
    { why: "is bound to null", made: send(null) },
    { why: "is bound to a scripted endpoint", made: send(new MockLLMEndpoint([])) },
    { why: "is bound to a scripted transcription", made: send(new MockTranscriptionEndpoint([])) },
  ])("are none when it $why", ({ made }) => {
    expect(made.externalDependencies()).toEqual([]);
  });

  it("are what its context says, each once, the first of each id, in order", () => {
    const [mail, again, rg] = [service("mail"), service("mail"), new ExecutableDependency("rg")];
    const bound = send({ externalDependencies: () => [mail, rg, again, mail] });
    expect(bound.externalDependencies()).toEqual([mail, rg]);
    expect(bound.externalDependencies()[0]).toBe(mail);
    expect(bound.copy({ name: "other" }).externalDependencies()).toEqual([mail, rg]);
  });

  it("are asked anew each time", () => {
    const needs: ExternalDependency[] = [];
    const bound = send({ externalDependencies: () => needs });
    expect(bound.externalDependencies()).toEqual([]);
    needs.push(service("mail"));
    expect(bound.externalDependencies()).toHaveLength(1);
  });

  it("are asked with the context as `this`", () => {
    const context = {
      needs: [service("mail")],
      externalDependencies() {
        return this.needs;
      },
    };
    expect(send(context).externalDependencies()).toEqual(context.needs);
  });

  it("are the context itself, when that is one", () => {
    const mail = service("mail");
    expect(send(mail).externalDependencies()).toEqual([mail]);
  });

  it.each([
    { why: "no list", given: "mail" },
    { why: "a dependency alone", given: service("mail") },
    { why: "a list with something else in it", given: [service("mail"), { dependencyId: "x" }] },
    { why: "a list of what has no check", given: [{ ...service("x"), check: undefined }] },
    { why: "a list of a kind that is none", given: [{ ...service("x"), kind: "moon" }] },
    { why: "a list of what has a blank id", given: [service(" ")] },
    { why: "a list with a hole", given: [null] },
  ])("core 23: are refused when they are asked for and the context gives $why", ({ given }) => {
    const bound = send({ externalDependencies: () => given });
    expect(() => bound.externalDependencies()).toThrow(
      expect.objectContaining({ code: "core/tool-definition", toolName: "send" }),
    );
  });

  it("pass on what the context throws", () => {
    const bound = send({
      externalDependencies: () => {
        throw new RangeError("no");
      },
    });
    expect(() => bound.externalDependencies()).toThrow(RangeError);
  });
});

describe("an agent's externalDependencies", () => {
  const own = model("own");
  const child = new Agent({
    name: "child",
    mode: "autonomous",
    systemPrompt: "x",
    endpoint: model("child").endpoint,
    tools: [send(service("mail"))],
  });
  const named = (name: string, context: unknown) => send(context).copy({ name });

  it("are its model's, then those of default tools, of other tools and agents that are tools, and of skills", () => {
    const skill = (name: string, ...needs: readonly string[]) =>
      new Skill({
        name,
        description: "",
        instructions: "",
        tools: [named(`${name}_tool`, { externalDependencies: () => needs.map(service) })],
      });
    const agent = new Agent({
      name: "parent",
      mode: "autonomous",
      systemPrompt: "x",
      endpoint: own.endpoint,
      autoLoadedSkills: [skill("first", "auto", "mail")],
      skills: [skill("second", "on-demand")],
      tools: [named("search", new ExecutableDependency("rg")), asTool(child), plain],
      defaultTools: [named("ping", service("clock"))],
    });
    expect(agent.externalDependencies().map(({ dependencyId }) => dependencyId)).toEqual([
      "model:a:own",
      "clock",
      "executable:rg",
      "model:a:child",
      "mail",
      "on-demand",
      "auto",
    ]);
    expect(externalDependenciesOf(skill("third", "a", "b", "a"))).toMatchObject([
      { dependencyId: "a" },
      { dependencyId: "b" },
    ]);
  });

  it("are those of the agent that a tool keeps running in the background", () => {
    expect(new BackgroundAgent(child).asTool().externalDependencies()).toEqual(child.externalDependencies());
    expect(child.externalDependencies()).toHaveLength(2);
  });

  it("are none of a model when it asks none", () => {
    const agent = new Agent({
      name: "ticker",
      mode: "deterministic",
      endpoint: own.endpoint,
      defaultTools: [plain],
    });
    expect(agent.externalDependencies()).toEqual([]);
  });

  it("are found without making a client, checking or running anything", () => {
    const mail = service("mail");
    const context = { materialize: vi.fn(), externalDependencies: () => [mail] };
    const agent = new Agent({
      name: "quiet",
      mode: "autonomous",
      systemPrompt: "x",
      endpoint: own.endpoint,
      tools: [send(context)],
    });
    expect(agent.externalDependencies()).toHaveLength(2);
    expect(context.materialize).not.toHaveBeenCalled();
    expect(mail.check).not.toHaveBeenCalled();
    expect(own.client).not.toHaveBeenCalled();
  });
});

describe("externalDependenciesOf", () => {
  it("asks a route for what it chooses now", () => {
    const [one, two] = [model("one").endpoint, model("two").endpoint];
    let chosen: LLMEndpoint | MockLLMEndpoint = one;
    const route = new LLMEndpointRoute(() => chosen);
    expect(externalDependenciesOf(route)).toEqual([one]);
    chosen = two;
    expect(externalDependenciesOf(route)).toEqual([two]);
    expect(send(route).externalDependencies()).toEqual([two]);
    chosen = new MockLLMEndpoint([]);
    expect(externalDependenciesOf(route)).toEqual([]);
  });

  it("gives an endpoint as its own need", () => {
    const ear = new TranscriptionEndpoint({
      client: () => Promise.reject(new Error("x")),
      apiName: "a",
      modelName: "m",
    });
    expect(externalDependenciesOf(ear)).toEqual([ear]);
    expect(ear).toMatchObject({ dependencyId: "model:a:m", kind: "model_endpoint" });
    expect(isExternalDependency(ear)).toBe(true);
  });

  it("refuses `externalDependencies` that is no function", () => {
    expect(() => externalDependenciesOf({ externalDependencies: null })).toThrow(
      expect.objectContaining({ code: "core/dependency" }),
    );
  });
});

describe("dedupeExternalDependencies", () => {
  it("keeps the first of each id, in order", () => {
    const [a, b, again] = [service("a"), service("b"), service("a")];
    expect(dedupeExternalDependencies([b, a, again, b])).toEqual([b, a]);
  });

  it("refuses an entry that is no dependency", () => {
    const given: unknown = [service("a"), "b"];
    expect(() => void Reflect.apply(dedupeExternalDependencies, undefined, [given])).toThrow(
      expect.objectContaining({ code: "core/dependency" }),
    );
  });
});
