import { Empty, Str, tool, type MockEntry } from "@roboz/core";
import { afterEach, describe, expect, it } from "vitest";

import { currentThreadCall } from "../turns/thread-call.ts";
import { call, lines, message, say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";
import { streamingModel } from "./__fixtures__/streams.ts";
import { createThreadServer, type ThreadServer, type ThreadServerOptions } from "./thread-server.ts";

let stage: ServerStage;
/** A server that hangs in a turn takes no other one, as if it were gone. */
const busy = { requests: null, concurrency: 1 };
/** Servers beside the stage's own, which is frozen then: what it still does is that of a worker that lost its lease. */
let others: ThreadServer[] = [];
let release = (): void => undefined;

afterEach(async () => {
  release();
  for (const other of others) await other.stop({ graceMs: 0 });
  others = [];
  await stage.close();
});

/** Takes over from a server that hangs, as the next process does after a kill, once the lease has run out. */
async function takeOver(agents: ThreadServerOptions["agents"]): Promise<void> {
  await stage.store.write(({ queries }) =>
    queries.run("UPDATE turns SET lease_expires = '2000-01-01T00:00:00.000Z' WHERE state = 'running'"),
  );
  const next = await createThreadServer({
    store: stage.store,
    agents,
    limits: busy,
    title: () => null,
  });
  others.push(next);
  await next.start();
}

/** Something that happens when it is waited for, and hangs until the test is over. */
function hanging() {
  let reach = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const over = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    reached,
    hang: async (): Promise<void> => {
      reach();
      await over;
    },
  };
}

describe("a turn whose process is gone", () => {
  it("threads 138, TH-22: is answered in one message, and its first worker adds nothing to it later", async () => {
    const { reached, hang } = hanging();
    const first = scripted([
      async () => {
        await hang();
        return say("Too late.");
      },
    ]);
    stage = await ServerStage.open({ standard: first }, { limits: busy });
    const { thread_id: id } = await stage.start();
    await reached;
    await takeOver({ standard: scripted([say("Here.")]) });
    expect(lines(await stage.settled(id))).toEqual(["user: Hello.", "assistant: Here."]);
    release();
    await others[0]?.stop({ graceMs: 0 });
    await stage.server.stop({ graceMs: 1000 });
    expect(lines(await stage.read(id))).toEqual(["user: Hello.", "assistant: Here."]);
  });

  it("threads 139: leaves what was read in a failed message, and begins the answer anew", async () => {
    const { reached, hang } = hanging();
    const endpoint = streamingModel(async function* () {
      yield '{"action":"stop","rationale":"r","value":"Once upon';
      await hang();
    });
    stage = await ServerStage.open(
      { standard: scripted(endpoint) },
      { flush: { everyMs: 0, chars: 1 }, limits: busy },
    );
    const { thread_id: id, continuation_token: token } = await stage.start();
    await reached;
    const before = await stage.until(id, ({ messages }) => (messages[1]?.content.length ?? 0) > 0);
    await takeOver({ standard: scripted([say("A tale.")]) });
    const thread = await stage.settled(id);
    expect(lines(thread)).toEqual([
      "user: Hello.",
      "assistant: Once upon !turn_interrupted",
      "assistant: A tale.",
    ]);
    expect(thread.messages.map(({ status }) => status)).toEqual(["completed", "failed", "completed"]);
    for (const from of [token, before.continuation_token])
      expect((await stage.delta(id, from)).messages_by_idx["2"]).toMatchObject({
        content: [{ text: "A tale." }],
      });
  });

  const payment = (run: () => Promise<void>) =>
    tool({
      name: "pay",
      description: "Pay.",
      input: Empty,
      output: Str,
      run: async () => {
        await run();
        return Str({ value: "paid" });
      },
    });

  it.each([
    {
      why: "threads 140: is not made again, and its outcome is unknown",
      idempotentTools: [],
      calls: 1,
      status: "error",
    },
    {
      why: "threads 141: is made again with its identifier when it may",
      idempotentTools: ["pay"],
      calls: 2,
      status: "success",
    },
  ])("had begun a call: that $why", async ({ idempotentTools, calls, status }) => {
    const { reached, hang } = hanging();
    const ids: (string | undefined)[] = [];
    const pay = payment(async () => {
      ids.push(currentThreadCall()?.toolUseId);
      if (ids.length === 1) await hang();
    });
    let shown = "";
    const agent = (script: readonly MockEntry[]) => scripted(script, [pay], { idempotentTools });
    stage = await ServerStage.open({ standard: agent([call("pay")]) }, { limits: busy });
    const { thread_id: id } = await stage.start();
    await reached;
    await takeOver({
      standard: agent([
        ({ messages }) => {
          shown = messages.at(-1)?.content ?? "";
          return say("Done.");
        },
      ]),
    });
    const thread = await stage.settled(id);
    expect(lines(thread)).toEqual([
      "user: Hello.",
      "assistant: <pay>",
      `roboto: [pay ${status}]`,
      "assistant: Done.",
    ]);
    expect(ids).toHaveLength(calls);
    expect(new Set(ids).size).toBe(1);
    expect(shown).toContain(status === "error" ? "not known what came of it" : '"value":"paid"');
  });

  it("had begun a chained call: its outcome is unknown, and the model goes on", async () => {
    const { reached, hang } = hanging();
    const order = tool({
      name: "order",
      description: "Order.",
      input: Empty,
      output: Str,
      run: () => Str({ value: "1" }),
    });
    let paid = 0;
    const pay = tool({
      name: "pay",
      description: "",
      input: Str,
      output: Empty,
      chainedTo: order,
      run: async () => {
        paid += 1;
        await hang();
        return Empty();
      },
    });
    stage = await ServerStage.open({ standard: scripted([call("order")], [order, pay]) }, { limits: busy });
    const { thread_id: id } = await stage.start();
    await reached;
    await takeOver({ standard: scripted([say("Look after it.")], [order, pay]) });
    expect(lines(await stage.settled(id)).slice(1)).toEqual([
      "assistant: <order>",
      "roboto: [order success]",
      "roboto: <pay> [pay error]",
      "assistant: Look after it.",
    ]);
    expect(paid).toBe(1);
  });

  it("threads 148: has as many corrective re-prompts left as it had", async () => {
    const { reached, hang } = hanging();
    const goals = [{ goal_type: "dataset_summary", dataset_id: "ds_1" }];
    const hangs = async () => {
      await hang();
      return say("3");
    };
    stage = await ServerStage.open({ standard: scripted([say("1"), say("2"), hangs]) }, { limits: busy });
    const { thread_id: id } = await stage.start({ messages: [message("Go")], goals });
    await reached;
    const asked: string[] = [];
    const answer = (value: string) => () => {
      asked.push(value);
      return say(value);
    };
    await takeOver({ standard: scripted([answer("3"), answer("4"), answer("5")]) });
    expect(await stage.settled(id)).toMatchObject({ status: "goals_failed", goals: [{ status: "failed" }] });
    expect(asked).toEqual(["3", "4"]);
  });

  it("threads 144: fails when it lost its process three times, and the thread goes on", async () => {
    const { reached, hang } = hanging();
    const hangs = () =>
      scripted([
        async () => {
          await hang();
          return say("never");
        },
      ]);
    stage = await ServerStage.open({ standard: hangs() }, { limits: busy });
    const { thread_id: id } = await stage.start();
    await reached;
    for (let times = 0; times < 2; times += 1) {
      const claimed = stage.until(id, () => true);
      await takeOver({ standard: hangs() });
      await claimed;
      await stage.until(id, ({ status }) => status === "roboto_turn");
      await attemptOf(id, times + 2);
    }
    await takeOver({ standard: scripted([say("Back.")]) });
    const thread = await stage.settled(id);
    expect(thread).toMatchObject({ status: "user_turn", messages: [{}, { status: "failed" }] });
    expect(lines(thread)[1]).toBe("assistant: !turn_failed");
    release();
    for (const lost of [stage.server, ...others.slice(0, -1)]) await lost.stop({ graceMs: 0 });
    expect((await stage.say(id, "Again?")).status).toBe(200);
    expect(lines(await stage.settled(id)).at(-1)).toBe("assistant: Back.");
  });

  it("gives its turn back when it is asked to end, and the attempt is not counted", async () => {
    const { reached, hang } = hanging();
    stage = await ServerStage.open({
      standard: scripted([
        async () => {
          await hang();
          return say("never");
        },
      ]),
    });
    const { thread_id: id } = await stage.start();
    await reached;
    await stage.restart({ agents: { standard: scripted([say("Here.")]) } });
    expect(lines(await stage.settled(id))).toEqual(["user: Hello.", "assistant: Here."]);
    const rows = await stage.store.read(({ queries }) => queries.rows("SELECT attempt, state FROM turns"));
    expect(rows).toMatchObject([{ state: "done" }]);
  });

  it("waits no longer for a title than for a turn when it is asked to end", async () => {
    const { reached, hang } = hanging();
    const agents = { standard: scripted([say("Here.")]) };
    stage = await ServerStage.open(agents, {
      title: async () => {
        await hang();
        return null;
      },
    });
    await stage.talked();
    await reached;
    await stage.server.stop({ graceMs: 0 });
  });
});

/** Waits until the thread's turn was taken so many times. */
async function attemptOf(threadId: string, attempt: number): Promise<void> {
  for (;;) {
    const [row] = await stage.store.read(({ queries }) =>
      queries.rows("SELECT attempt FROM turns WHERE thread_id = $1", threadId),
    );
    if (Number(row?.["attempt"]) >= attempt) return;
    await new Promise(setImmediate);
  }
}
