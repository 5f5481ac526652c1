import { filterMessages, MockLLMEndpoint } from "@roboz/core";

/** A model that needs no key: asks for ten numbers, then stops. */
export function scriptedModel(): MockLLMEndpoint {
  return new MockLLMEndpoint(({ messages }) => {
    const asked = filterMessages(messages, { action: "ask_number" }).length;
    if (asked >= 10)
      return { action: "stop", rationale: "Enough.", value: "Ten numbers, and not one too many." };
    return { action: "ask_number", rationale: "It is my only job." };
  });
}

/** A judge that needs no key: accepts no number. */
export function scriptedGuard(): MockLLMEndpoint {
  return new MockLLMEndpoint(() => "n", { modelName: "guard" });
}
