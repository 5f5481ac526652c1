import { describe, expect, it } from "vitest";

import { Int, Str, StrImage } from "../values/builtin.ts";
import { apiUserIo, noUserIo, type UserIoAdapter } from "./user-io.ts";

function adapter(parts: Partial<UserIoAdapter> = {}): UserIoAdapter {
  return { requestInput: () => Promise.resolve(null), notify: () => undefined, ...parts };
}

describe("noUserIo", () => {
  it("core 104: with nothing bound a question is refused, a notice is dropped", async () => {
    await expect(noUserIo.ask("?")).rejects.toMatchObject({ code: "core/user-input-unavailable" });
    await noUserIo.notify("a");
    expect(noUserIo.isLive).toBe(false);
  });
});

describe("apiUserIo", () => {
  const notAdapters: readonly { readonly given: unknown }[] = [
    { given: undefined },
    { given: null },
    { given: {} },
    { given: { requestInput: () => null } },
  ];
  it.each(notAdapters)("core 104: refuses $given as an adapter", ({ given }) => {
    // @ts-expect-error -- none of these is an adapter
    expect(() => apiUserIo(given)).toThrow(TypeError);
  });

  it.each([
    { why: "a text", reply: Str({ value: "yes" }) },
    { why: "a text with images", reply: StrImage({ value: "yes", images: [] }) },
    { why: "no reply", reply: null },
  ])("gives $why as the adapter does", async ({ reply }) => {
    const asked: unknown[] = [];
    const io = apiUserIo(
      adapter({
        requestInput: (question, { timeoutMs }) => {
          asked.push([question, timeoutMs]);
          return Promise.resolve(reply);
        },
      }),
    );
    expect(await io.ask("1?")).toBe(reply);
    expect(await io.ask("2?", { timeoutMs: 5_000 })).toBe(reply);
    expect(asked).toEqual([
      ["1?", undefined],
      ["2?", 5_000],
    ]);
  });

  it("refuses a reply of another type", async () => {
    // @ts-expect-error -- an Int is no reply
    const io = apiUserIo(adapter({ requestInput: () => Promise.resolve(Int({ value: 1 })) }));
    await expect(io.ask("?")).rejects.toMatchObject({ code: "core/value", kind: "str" });
  });

  it("stops waiting for an adapter that does not listen", async () => {
    const signals: AbortSignal[] = [];
    const io = apiUserIo(
      adapter({
        requestInput: (_question, { signal }) => {
          signals.push(signal);
          return new Promise(() => undefined);
        },
      }),
    );
    const controller = new AbortController();
    const cancelled = io.ask("?", { signal: controller.signal });
    controller.abort("enough");
    await expect(cancelled).rejects.toBe("enough");
    expect(await io.ask("?", { timeoutMs: 0 })).toBeNull();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("passes on what the adapter throws, also at once", async () => {
    const io = apiUserIo(
      adapter({
        requestInput: () => {
          throw new Error("offline");
        },
      }),
    );
    await expect(io.ask("?")).rejects.toThrow("offline");
  });

  it("notifies, and is live unless the adapter says otherwise", async () => {
    const notices: string[] = [];
    const parts = { notify: (text: string) => void notices.push(text) };
    await apiUserIo(adapter(parts)).notify("a");
    expect(notices).toEqual(["a"]);
    expect(apiUserIo(adapter()).isLive).toBe(true);
    expect(apiUserIo(adapter({ isLive: false })).isLive).toBe(false);
  });
});
