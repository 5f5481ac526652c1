import { apiUserIo, filterMessages, MockLLMEndpoint, Str, UserInputUnavailableError } from "@roboz/core";
import { describe, expect, it } from "vitest";

import { agent, numbersAgent } from "./numbers-agent.ts";
import { scriptedGuard, scriptedModel } from "./scripted-models.ts";

/** A user who gives these replies, then is gone; what they are told is kept. */
function user(...replies: string[]) {
  const told: string[] = [];
  const io = apiUserIo({
    requestInput: () => {
      const reply = replies.shift();
      return reply === undefined
        ? Promise.reject(new UserInputUnavailableError("The input has ended"))
        : Promise.resolve(Str({ value: reply }));
    },
    notify: (text) => void told.push(text),
  });
  return { io, told };
}

describe("numbersAgent", () => {
  it("praises odd numbers, without another model call", async () => {
    const { io, told } = user("7", "-3");
    const { output, report } = await agent.complete(undefined, { io });
    expect(told).toEqual(["7: odd, and all the better for it.", "-3: odd, and all the better for it."]);
    expect(output.value).toBe("No more numbers? Then that was it.");
    expect(report).toMatchObject({ llmCalls: 3, skippedCalls: 2 });
  });

  it("asks until the reply is an integer", async () => {
    const { io, told } = user("seven", "", "7.5", "1e3", "9007199254740993", " 0007 ");
    await agent.complete(undefined, { io });
    expect(told.slice(0, -1)).toEqual(Array.from({ length: 5 }, () => "That is no integer."));
    expect(told.at(-1)).toContain("7: odd");
  });

  it("asks the factory's own model about even numbers, and stops at the second refusal", async () => {
    const { io, told } = user("4", "7", "0", "8");
    const endpoint = scriptedModel();
    const guard = scriptedGuard();
    const { output, report } = await numbersAgent(endpoint, guard).complete(undefined, { io });
    expect(told).toContain("Refused, but a first time is forgiven.");
    expect(output.value).toContain("Refused again");
    expect(report).toMatchObject({ llmCalls: 3, skippedCalls: 4 });
    expect(guard.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ["system"],
      ["system"],
    ]);
    expect(guard.requests[1]?.messages[0]?.content).toContain("number 0.");
  });

  it("lets accepted even numbers pass, however many", async () => {
    const { io, told } = user("2", "4", "6");
    const guard = new MockLLMEndpoint([" Y.", "y", "yes"]);
    const { output } = await numbersAgent(scriptedModel(), guard).complete(undefined, { io });
    expect(told.filter((text) => text === "Accepted.")).toHaveLength(3);
    expect(output.value).toContain("No more numbers");
    guard.assertUsedUp();
  });

  it("shows the model a pass once, then leaves it out", async () => {
    const { io } = user("4", "7", "9");
    const endpoint = scriptedModel();
    const { messages } = await numbersAgent(endpoint, scriptedGuard()).complete(undefined, { io });
    const passes = endpoint.requests.map((request) =>
      filterMessages(request.messages, { caller: "escalate" }),
    );
    expect(passes.map(({ length }) => length)).toEqual([0, 1, 0, 0]);
    expect(filterMessages(messages, { caller: "escalate" })).toHaveLength(1);
  });

  it("takes the same number again and again for no loop, and ends after ten", async () => {
    const { io } = user(...Array.from({ length: 12 }, () => "1"));
    const { output, report } = await agent.complete(undefined, { io });
    expect(output.value).toBe("Ten numbers, and not one too many.");
    expect(report).toMatchObject({ llmCalls: 11, skippedCalls: 10 });
  });
});
