import { describe, expect, it } from "vitest";
import { z } from "zod";
import { accepted, asks, finished, submitted, tool } from "../__fixtures__/client-turns.ts";
import { withServer } from "../__fixtures__/scripted-server.ts";
import { delta, message, result, say, threadRecord, use } from "../__fixtures__/thread-data.ts";
import { AgentThread } from "./agent-thread.ts";
import { clientTool } from "./tools/client-tool.ts";

describe("which calls are answered", () => {
  it("threads 66: all of a step in their order, with one request", async () => {
    await withServer(
      [asks(use("a", "1"), use("b", "2"), use("a", "3")), accepted, finished],
      async ({ client, server }) => {
        const runs: string[] = [];
        const clientTools = ["a", "b"].map((name) => tool(name, () => void runs.push(name)));
        await new AgentThread(threadRecord(), { client, clientTools }).run();
        expect(runs).toEqual(["a", "b", "a"]);
        expect(submitted(server)).toMatchObject([
          [{ tool_use_id: "1" }, { tool_use_id: "2" }, { tool_use_id: "3" }],
        ]);
      },
    );
  });

  it("runs the tools of a step at the same time when told to, and keeps their order", async () => {
    await withServer([asks(use("a", "1"), use("b", "2")), accepted, finished], async ({ client, server }) => {
      let release = (_text: string): void => undefined;
      const released = new Promise<string>((resolve) => {
        release = resolve;
      });
      const clientTools = [
        tool("a", () => released),
        tool("b", () => {
          release("from b");
        }),
      ];
      await new AgentThread(threadRecord(), { client, clientTools }).run({ parallelClientTools: true });
      expect(submitted(server)).toMatchObject([
        [{ tool_use_id: "1", output: { result: "from b" } }, { tool_use_id: "2" }],
      ]);
    });
  });

  it("threads 67: not what the server has answered itself", async () => {
    const messages = {
      1: message("assistant", [use("server_tool", "1"), use("t", "2")]),
      2: message("roboto", [result("server_tool", "1")], "generating"),
    };
    await withServer(
      [delta(messages, "client_tool_turn"), accepted, finished],
      async ({ client, server }) => {
        const clientTools = [tool("t", () => 1), tool("server_tool", () => 2)];
        await new AgentThread(threadRecord(), { client, clientTools }).run();
        expect(submitted(server)).toMatchObject([[{ tool_use_id: "2" }]]);
        expect(submitted(server).flat()).toHaveLength(1);
      },
    );
  });

  it("threads 68: not what was declared by nobody here", async () => {
    await withServer(
      [asks(use("server_tool", "1"), use("t", "2")), accepted, finished],
      async ({ client, server }) => {
        await new AgentThread(threadRecord(), { client, clientTools: [tool("t", () => 1)] }).run();
        expect(submitted(server).flat()).toMatchObject([{ tool_use_id: "2" }]);
        expect(submitted(server).flat()).toHaveLength(1);
      },
    );
  });

  it("those that the server lists, whether they were declared here or not", async () => {
    const pending = { tool_use_id: "9", tool_name: "far", input: null, message_sequence_num: 1 };
    const asking = delta({}, "client_tool_turn", { pending_client_tools: [pending] });
    await withServer([asking, accepted, finished], async ({ client, server }) => {
      await new AgentThread(threadRecord(), { client }).run();
      expect(submitted(server)).toMatchObject([[{ tool_use_id: "9", status: "error", runtime_ms: 0 }]]);
    });
  });

  it.each([
    { number: 80, why: "there are no messages", messages: {} },
    { number: 80, why: "the last message asks for nothing", messages: { 1: message("user", [say("a")]) } },
    {
      number: 80,
      why: "nobody declared what is asked for",
      messages: { 1: message("assistant", [use("x", "1")]) },
    },
  ])("threads $number: none when $why, and the run ends", async ({ messages }) => {
    await withServer([delta(messages, "client_tool_turn")], async ({ client }) => {
      const running = new AgentThread(threadRecord(), { client }).run();
      await expect(running).rejects.toMatchObject({ code: "threads/state", threadId: "ath_1" });
    });
  });
});

describe("what a tool sees", () => {
  it("threads 69: not what servers add for themselves, which stays in the message", async () => {
    const input = { q: 1, _compression_intent: "x" };
    await withServer([asks(use("t", "1", input)), accepted, finished], async ({ client }) => {
      const seen: unknown[] = [];
      const strict = clientTool({
        name: "t",
        description: "T.",
        input: z.strictObject({ q: z.number() }),
        execute: (args) => void seen.push(args),
      });
      const thread = new AgentThread(threadRecord(), { client, clientTools: [strict] });
      await thread.run();
      expect(seen).toEqual([{ q: 1 }]);
      expect(thread.messages[1]?.content).toMatchObject([{ input }]);
    });
  });

  it("threads 70: a copy of its arguments", async () => {
    await withServer(
      [asks(use("t", "1", { list: [1], n: 9007199254740993n })), accepted, finished],
      async ({ client }) => {
        const changing = tool("t", (args) => {
          if (Array.isArray(args["list"])) args["list"].push(2);
          return { isExact: args["n"] === 9007199254740993n };
        });
        const thread = new AgentThread(threadRecord(), { client, clientTools: [changing] });
        await thread.run();
        expect(thread.messages[1]?.content).toMatchObject([{ input: { list: [1] } }]);
      },
    );
  });

  it("which call it answers", async () => {
    await withServer([asks(use("t", "7")), accepted, finished], async ({ client }) => {
      const seen: unknown[] = [];
      const told = clientTool({
        name: "t",
        description: "T.",
        execute: (_args, context) => void seen.push(context),
      });
      await new AgentThread(threadRecord(), { client, clientTools: [told] }).run();
      expect(seen).toMatchObject([{ threadId: "ath_1", toolUseId: "7", toolName: "t" }]);
    });
  });
});
