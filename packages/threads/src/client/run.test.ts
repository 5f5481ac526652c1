import { describe, expect, it } from "vitest";
import { z } from "zod";
import { accepted, asks, finished, submitted, tool } from "../__fixtures__/client-turns.ts";
import { refuse, withServer } from "../__fixtures__/scripted-server.ts";
import { delta, message, say, threadRecord, use } from "../__fixtures__/thread-data.ts";
import { ClientToolDeclined, RobotoThreadStateError } from "../errors/client-errors.ts";
import { AgentThread } from "./agent-thread.ts";
import { clientTool } from "./tools/client-tool.ts";

describe("what a tool returns", () => {
  it("threads 63: an object is the output, nothing is an empty one, and the rest is its result", async () => {
    const values = [{ a: 1 }, undefined, null, "text", 0, false, [1]];
    const calls = values.map((_, index) => use("t", String(index)));
    await withServer([asks(...calls), accepted, finished], async ({ client, server }) => {
      let next = 0;
      const thread = new AgentThread(threadRecord(), {
        client,
        clientTools: [tool("t", () => values[next++])],
      });
      await thread.run();
      const outputs = [
        { a: 1 },
        {},
        {},
        { result: "text" },
        { result: 0 },
        { result: false },
        { result: [1] },
      ];
      const whole = outputs.map((output, index) => ({
        status: "success",
        output,
        tool_use_id: String(index),
      }));
      expect(submitted(server)).toMatchObject([whole]);
    });
  });

  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  it.each([
    { number: 72, why: "a cycle", value: cycle },
    { number: 72, why: "a bigint", value: { n: 1n } },
    { number: 72, why: "a function", value: () => 1 },
    { number: 72, why: "a symbol within", value: { s: Symbol("s") } },
  ])("threads $number: $why is an error, and the run goes on", async ({ value }) => {
    await withServer([asks(use("t", "1")), accepted, finished], async ({ client, server }) => {
      await new AgentThread(threadRecord(), { client, clientTools: [tool("t", () => value)] }).run();
      expect(submitted(server)).toMatchObject([[{ status: "error" }]]);
      expect(JSON.stringify(submitted(server))).toContain("TypeError");
    });
  });
});

describe("how a tool fails", () => {
  const failing: { number: number; why: string; fails: () => unknown; status: string; output: unknown }[] = [
    {
      number: 64,
      why: "an error is named",
      fails: () => {
        throw new TypeError("bad");
      },
      status: "error",
      output: { error: "TypeError: bad" },
    },
    {
      number: 64,
      why: "a rejection is the same",
      fails: () => Promise.reject(new TypeError("bad")),
      status: "error",
      output: { error: "TypeError: bad" },
    },
    {
      number: 73,
      why: "a refusal of the user has its reason",
      fails: () => {
        throw new ClientToolDeclined("no");
      },
      status: "declined",
      output: { reason: "no" },
    },
    {
      number: 73,
      why: "a refusal may have no reason",
      fails: () => {
        throw new ClientToolDeclined();
      },
      status: "declined",
      output: {},
    },
    {
      number: 64,
      why: "TH-25: a credential in an error is masked",
      fails: () => {
        throw new Error("401 for Bearer abcdef0123456789 and hunter2-of-mine");
      },
      status: "error",
      output: { error: "Error: 401 for Bearer [redacted] and [redacted]" },
    },
    {
      number: 64,
      why: "an error that cannot be read is one, too",
      fails: () => {
        throw Object.defineProperty(new Error("x"), "message", {
          get: () => {
            throw new Error("no");
          },
        });
      },
      status: "error",
      output: { error: "Error: the tool failed, and its error cannot be read" },
    },
  ];
  it.each(failing)("threads $number: $why", async ({ fails, status, output }) => {
    await withServer(
      [asks(use("t", "1")), accepted, finished],
      async ({ client, server }) => {
        const thread = new AgentThread(threadRecord(), { client, clientTools: [tool("t", fails)] });
        expect(await thread.run()).toBe(thread);
        expect(submitted(server)).toMatchObject([[{ tool_use_id: "1", tool_name: "t", status, output }]]);
      },
      { secrets: ["hunter2-of-mine"] },
    );
  });

  it("threads 65, TH-25: a tool that was declared without a function is answered with an error", async () => {
    await withServer([asks(use("look", "1")), accepted, finished], async ({ client, server }) => {
      const spec = { name: "look", description: "Look.", input_schema: { type: "object" } };
      await new AgentThread(threadRecord(), { client, clientTools: [spec] }).run();
      expect(submitted(server)).toMatchObject([[{ status: "error", runtime_ms: 0, tool_use_id: "1" }]]);
      expect(JSON.stringify(submitted(server))).toContain("`look`");
    });
  });

  it("threads 71: arguments that break the schema are an error that names them", async () => {
    await withServer(
      [asks(use("t", "1", { a: { b: "x" } })), accepted, finished],
      async ({ client, server }) => {
        let runs = 0;
        const input = z.object({ a: z.object({ b: z.number() }) });
        const checked = clientTool({ name: "t", description: "T.", input, execute: () => (runs += 1) });
        await new AgentThread(threadRecord(), { client, clientTools: [checked] }).run();
        expect(runs).toBe(0);
        expect(submitted(server)).toMatchObject([[{ status: "error" }]]);
        expect(JSON.stringify(submitted(server))).toContain("`a.b`");
      },
    );
  });

  it("threads 73: a call that is not approved is declined, and does not run", async () => {
    await withServer([asks(use("t", "1")), accepted, finished], async ({ client, server }) => {
      let runs = 0;
      const asked = clientTool({
        name: "t",
        description: "T.",
        approve: () => false,
        execute: () => (runs += 1),
      });
      await new AgentThread(threadRecord(), { client, clientTools: [asked] }).run();
      expect(runs).toBe(0);
      expect(submitted(server)).toMatchObject([[{ status: "declined", output: {} }]]);
    });
  });
});

describe("how a run ends", () => {
  it("threads 75: with the refusal of what it submits; no tool runs again by itself", async () => {
    await withServer(
      [asks(use("t", "1")), refuse(400, "RobotoInvalidRequestException")],
      async ({ client }) => {
        let runs = 0;
        const thread = new AgentThread(threadRecord(), {
          client,
          clientTools: [tool("t", () => (runs += 1))],
        });
        await expect(thread.run()).rejects.toMatchObject({ code: "threads/invalid-request", status: 400 });
        expect(runs).toBe(1);
        expect(thread.status).toBe("client_tool_turn");
      },
    );
  });

  it("threads 76: after the result of a slow tool was submitted", async () => {
    await withServer([asks(use("t", "1")), accepted], async ({ client, server, clock }) => {
      const aborted: boolean[] = [];
      const slow = clientTool({
        name: "t",
        description: "T.",
        execute: (_args, { signal }) => {
          clock.elapse(300);
          aborted.push(signal.aborted);
        },
      });
      const thread = new AgentThread(threadRecord(), { client, clientTools: [slow] });
      await expect(thread.run({ timeoutMs: 100 })).rejects.toMatchObject({
        name: "TimeoutError",
        timeoutMs: 100,
      });
      expect(submitted(server)).toMatchObject([[{ status: "success", runtime_ms: 300 }]]);
      expect(aborted).toEqual([true]);
    });
  });

  it("threads 77: at once when there is no time", async () => {
    await withServer([], async ({ client }) => {
      const running = new AgentThread(threadRecord(), { client }).run({ timeoutMs: 0 });
      await expect(running).rejects.toMatchObject({ code: "threads/timeout" });
    });
  });

  it("threads 78: with goals that the agent gave up on", async () => {
    await withServer([delta({}, "goals_failed")], async ({ client }) => {
      const failure: unknown = await new AgentThread(threadRecord(), { client })
        .run()
        .catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: "threads/goals-failed", threadId: "ath_1" });
      expect(failure).toMatchObject({ name: "RobotoAgentGoalsFailedException" });
      expect(failure).toBeInstanceOf(RobotoThreadStateError);
    });
  });

  it.each(["not_started", "asleep"])(
    "threads 79: with a status in which nothing runs: %s",
    async (status) => {
      await withServer([delta({}, status)], async ({ client }) => {
        const running = new AgentThread(threadRecord(), { client }).run();
        await expect(running).rejects.toMatchObject({ code: "threads/state", status });
        await expect(running).rejects.toThrow(status);
      });
    },
  );

  it("threads 81: with what the listener throws, and can go on", async () => {
    const steps = [delta({ 1: message("assistant", [say("a")]) }, "user_turn"), finished];
    await withServer(steps, async ({ client }) => {
      const thread = new AgentThread(threadRecord(), { client });
      const onEvent = (): void => {
        throw new RangeError("mine");
      };
      await expect(thread.run({ onEvent })).rejects.toThrow(new RangeError("mine"));
      const seen: string[] = [];
      await thread.run({ onEvent: ({ type }) => void seen.push(type) });
      expect(seen).toEqual(["text_delta", "text_end"]);
    });
  });

  it("at once when it is given up while a tool runs, and submits nothing", async () => {
    await withServer([asks(use("t", "1"))], async ({ client, server }) => {
      const giving = new AbortController();
      const stuck = tool("t", () => {
        giving.abort();
        return new Promise(() => undefined);
      });
      const thread = new AgentThread(threadRecord(), { client, clientTools: [stuck] });
      await expect(thread.run({ signal: giving.signal })).rejects.toMatchObject({ name: "AbortError" });
      expect(submitted(server)).toEqual([]);
    });
  });

  it("waits for the listener before it goes on", async () => {
    const steps = [delta({ 1: message("assistant", [say("a")]) }, "user_turn")];
    await withServer(steps, async ({ client }) => {
      const seen: string[] = [];
      const onEvent = async ({ type }: { readonly type: string }): Promise<void> => {
        await new Promise(setImmediate);
        seen.push(type);
      };
      await new AgentThread(threadRecord(), { client }).run({ onEvent });
      expect(seen).toEqual(["text_start", "text_delta", "text_end"]);
    });
  });
});

it("threads 82: a tool that was unregistered is known no more, and its calls are answered with an error", async () => {
  await withServer([asks(use("a", "1")), accepted, finished], async ({ client, server }) => {
    const thread = new AgentThread(threadRecord(), {
      client,
      clientTools: [tool("a", () => 1), tool("b", () => 2)],
    });
    expect(thread.unregisterClientTool("a")).toBe(true);
    expect(thread.unregisterClientTool("a")).toBe(false);
    expect(thread.clientToolNames).toEqual(["b"]);
    await thread.run();
    expect(submitted(server)).toMatchObject([[{ status: "error", tool_name: "a" }]]);
  });
});

it("takes the latest function that was registered under a name", async () => {
  await withServer([asks(use("a", "1")), accepted, finished], async ({ client, server }) => {
    const thread = new AgentThread(threadRecord(), { client, clientTools: [tool("a", () => "old")] });
    thread.registerClientTool(tool("a", () => "new"));
    expect(thread.clientToolNames).toEqual(["a"]);
    await thread.run();
    expect(submitted(server)).toMatchObject([[{ output: { result: "new" } }]]);
  });
});
