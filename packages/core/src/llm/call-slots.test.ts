import { afterEach, describe, expect, it } from "vitest";

import { CallStage, hanging } from "./__fixtures__/call-stage.ts";
import { settled } from "./__fixtures__/manual-clock.ts";
import { setExternalCallLimit } from "./call-slots.ts";

const stage = new CallStage();

afterEach(() => {
  setExternalCallLimit(8);
});

describe("the number of calls at once", () => {
  it("is 8; a ninth waits for its turn, and its time runs", async () => {
    let finish: (reply: { text: string }) => void = () => undefined;
    const first = new Promise<{ text: string }>((resolve) => {
      finish = resolve;
    });
    const busy = [stage.call([() => first]), ...Array.from({ length: 7 }, () => stage.call([hanging]))];
    const ninth = stage.call([{ text: "nine" }]);
    const tenth = stage.call([{ text: "ten" }], { timeoutMs: 100 });
    await settled();
    expect(busy.map(({ client }) => client.seen.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(ninth.client.seen).toHaveLength(0);
    await stage.clock.advance(100);
    await expect(tenth.reply).rejects.toMatchObject({ code: "core/llm-call-timeout" });
    finish({ text: "one" });
    expect((await ninth.reply).text).toBe("nine");
    expect(tenth.client.seen).toHaveLength(0);
    stage.pipe.cancel();
    await Promise.allSettled(busy.map(({ reply }) => reply));
    const after = stage.call([{ text: "free again" }], { pipe: undefined });
    expect((await after.reply).text).toBe("free again");
  });

  it("can be set", async () => {
    setExternalCallLimit(1);
    const first = stage.call([hanging]);
    const second = stage.call([{ text: "two" }]);
    await settled();
    expect(second.client.seen).toHaveLength(0);
    setExternalCallLimit(2);
    expect((await second.reply).text).toBe("two");
    stage.pipe.cancel();
    await expect(first.reply).rejects.toMatchObject({ code: "core/llm-call-cancelled" });
    expect(() => {
      setExternalCallLimit(0);
    }).toThrow(expect.objectContaining({ code: "core/llm-client" }));
  });
});
