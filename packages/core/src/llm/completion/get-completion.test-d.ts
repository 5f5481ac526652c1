import * as z from "zod";
import { expectTypeOf, it } from "vitest";

import { tool } from "../../tools/tool.ts";
import { Stop, Str, type Invoke } from "../../values/builtin.ts";
import { systemMessage } from "../../values/message.ts";
import { value, type Of } from "../../values/value.ts";
import { MockLLMEndpoint } from "../mock.ts";
import { getCompletion } from "./get-completion.ts";

const endpoint = new MockLLMEndpoint([]);
const messages = [systemMessage("Is 4 acceptable? (y/n)")];
const Verdict = value("verdict", { fine: z.boolean() });
const echo = tool({ name: "echo", description: "", input: Str, output: Stop, run: () => Stop() });

it("infers what a completion gives from what it is asked for", () => {
  expectTypeOf(getCompletion({ endpoint, messages: [systemMessage("…")] })).resolves.toEqualTypeOf<string>();
  expectTypeOf(getCompletion({ callLlmApi: () => "x", messages })).resolves.toEqualTypeOf<string>();
  expectTypeOf(getCompletion({ endpoint, messages, output: Verdict })).resolves.toEqualTypeOf<
    Of<typeof Verdict>
  >();
  expectTypeOf(
    getCompletion({ endpoint, messages, output: z.object({ count: z.number().default(2) }) }),
  ).resolves.toEqualTypeOf<{ count: number }>();
  expectTypeOf(getCompletion({ endpoint, messages, tools: [echo] })).resolves.toEqualTypeOf<Invoke>();
});

it("takes exactly one source, and tools or an output", () => {
  // @ts-expect-error -- nobody to ask
  void getCompletion({ messages });
  // @ts-expect-error -- two to ask
  void getCompletion({ endpoint, callLlmApi: () => "x", messages });
  // @ts-expect-error -- a reply cannot be both a call and an object
  void getCompletion({ endpoint, messages, tools: [echo], output: Verdict });
});
