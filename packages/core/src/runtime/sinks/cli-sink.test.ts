import { PassThrough, Writable } from "node:stream";
import { setImmediate as settled } from "node:timers/promises";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { parseMessage } from "../../values/message.ts";
import { cliUserIo } from "../cli-io.ts";
import type { RunEvent } from "../events.ts";
import { EventPipe } from "../pipe.ts";
import { cliSink, type CliSinkOptions } from "./cli-sink.ts";
import { defaultEventSinks } from "./default-sinks.ts";

class Recorder {
  text = "";
  readonly isTTY: boolean;

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.text += text;
  }
}

/** What a run prints that sends these events. */
function printed(
  send: (pipe: EventPipe) => void,
  options: CliSinkOptions = {},
  stream = new Recorder(),
): string {
  send(
    new EventPipe({
      runId: "1",
      agentName: "lunch",
      sinks: [cliSink({ stream, ...options })],
      strictSinks: true,
    }),
  );
  return stream.text;
}

function message(role: string, content: unknown, more: object = {}): (pipe: EventPipe) => void {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return (pipe) => {
    pipe.message(parseMessage({ role, content: text, ...more }));
  };
}

const failure: RunEvent = {
  type: "runtime",
  category: "run",
  kind: "failed",
  level: "error",
  message: "x",
  data: {},
  sequence: 1,
  runId: "1",
  agentName: "a",
};

const facts = { agentDescription: "", parentAgentName: null };

beforeEach(() => {
  vi.stubEnv("NO_COLOR", "");
  vi.stubEnv("TERM", "xterm");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("messages", () => {
  it.each([
    {
      why: "a call with its reason and fields",
      send: message("assistant", {
        action: "book_table",
        rationale: "They\nhave room.",
        seats: 2,
        time: "12:30",
      }),
      expected: "[assistant] book_table (They have room.)\n  seats: 2\n  time: 12:30\n",
    },
    {
      why: "a call without fields",
      send: message("assistant", { action: "ask_bob", rationale: "" }),
      expected: "[assistant] ask_bob\n",
    },
    {
      why: "a result's only value without its key",
      send: message("user", { caller: "ask_bob", value: "yes" }),
      expected: "[user] ask_bob\n  yes\n",
    },
    {
      why: "several lines and nested fields below their key",
      send: message("user", { caller: "find", text: "a\nb", items: [{ a: 1 }] }),
      expected:
        '[user] find\n  text:\n    a\n    b\n  items:\n    [\n      {\n        "a": 1\n      }\n    ]\n',
    },
    {
      why: "text as it is",
      send: message("system", "Be brief.\n\nBe kind."),
      expected: "[system]\n  Be brief.\n\n  Be kind.\n",
    },
    { why: "errors", send: message("error", "No JSON"), expected: "[error]\n  No JSON\n" },
    {
      why: "how many images there are",
      send: message("user", "Look", { images: [{ url: "https://example.org/a.png" }] }),
      expected: "[user]\n  Look\n  (1 image)\n",
    },
    {
      why: "control characters as signs, in content and names alike",
      send: message("user", { caller: "a\u001b[2J", "k\u001b": "v\u001b]0;x\u0007", other: 1 }),
      expected: "[user] a␛[2J\n  k␛: v␛]0;x␇\n  other: 1\n",
    },
  ])("prints $why", ({ send, expected }) => {
    expect(printed(send)).toBe(expected);
  });

  it("prints only the roles it is to print", () => {
    expect(printed(message("system", "a"), { roles: ["user"] })).toBe("");
    expect(printed(message("user", "a"), { roles: ["user"] })).toBe("[user]\n  a\n");
  });
});

describe("frames", () => {
  it("frame the start, with the model's facts, and the stop", () => {
    const text = printed((pipe) => {
      pipe.lifecycle("started", {
        agentDescription: "Arranges lunch.",
        parentAgentName: "boss",
        apiName: "mock",
        modelName: "m-1",
        maxContextTokens: 128_000,
        temperature: 0,
        outputFormat: "text",
      });
      pipe.lifecycle("stopped", { ...facts, status: "completed" });
    });
    expect(`\n${text}`).toBe(`
┌──────────────────────────────────────────────────────────────────┐
│ lunch started by boss                                            │
│ Arranges lunch.                                                  │
│ mock / m-1, 128000 tokens of context, temperature 0, format text │
└──────────────────────────────────────────────────────────────────┘
┌──────────────────────────┐
│ lunch stopped: completed │
└──────────────────────────┘
`);
  });

  it("leave out what is not known", () => {
    const text = printed((pipe) => {
      pipe.lifecycle("started", facts);
      pipe.lifecycle("stopped", facts);
    });
    expect(text).toContain("│ lunch started │");
    expect(text).toContain("│ lunch stopped │");
    expect(text.split("\n")).toHaveLength(7);
  });
});

describe("other events", () => {
  it("prints runtime events of the level error, with their facts, and no others", () => {
    expect(
      printed((pipe) => {
        pipe.runtime("llm", "retrying", "warning", "again");
        pipe.runtime("llm", "failed", "error", "The call\nfailed", { attempt: 3, error_type: "X" });
        pipe.runtime("tool", "failed", "error", "Gone");
      }),
    ).toBe('! llm failed: The call failed (attempt=3, error_type="X")\n! tool failed: Gone\n');
  });

  it("prints a script's output as it comes, and starts the next block on a line of its own", () => {
    expect(
      printed((pipe) => {
        pipe.scriptOutput("");
        pipe.scriptOutput("one\ntw");
        pipe.scriptOutput("o\u001b");
        message("user", "a")(pipe);
      }),
    ).toBe("one\ntwo␛\n[user]\n  a\n");
  });

  const reply = (pipe: EventPipe): void => {
    pipe.startMessage();
    pipe.delta('{"action":');
    pipe.delta('"a"}');
    message("assistant", { action: "a", rationale: "r" })(pipe);
    message("user", "b")(pipe);
  };

  it("ignores deltas", () => {
    expect(printed(reply)).toBe("[assistant] a (r)\n[user]\n  b\n");
  });

  it("prints deltas in place of the message on request", () => {
    expect(printed(reply, { deltas: true })).toBe('[assistant]\n{"action":"a"}\n[user]\n  b\n');
    expect(printed(reply, { deltas: true, roles: ["user"] })).toBe("[user]\n  b\n");
  });

  it("starts again when a reply is superseded", () => {
    const text = printed(
      (pipe) => {
        pipe.startMessage();
        pipe.delta("half");
        pipe.startMessage();
        pipe.delta("whole");
        message("assistant", "whole")(pipe);
      },
      { deltas: true },
    );
    expect(text).toBe("[assistant]\nhalf\n[assistant]\nwhole");
  });
});

describe("colours", () => {
  const send = message("user", "a");
  it.each([
    { why: "a terminal", isTTY: true, env: {}, colors: true },
    { why: "no terminal", isTTY: false, env: {}, colors: false },
    { why: "NO_COLOR", isTTY: true, env: { NO_COLOR: "1" }, colors: false },
    { why: "a terminal that knows none", isTTY: true, env: { TERM: "dumb" }, colors: false },
    { why: "the option, against the terminal", isTTY: false, env: {}, option: true, colors: true },
    { why: "the option, for plain text", isTTY: true, env: {}, option: false, colors: false },
  ])("go by $why", ({ isTTY, env, option, colors }) => {
    for (const [name, setting] of Object.entries(env)) vi.stubEnv(name, setting);
    const text = printed(send, { color: option }, new Recorder(isTTY));
    expect(text).toBe(colors ? "\u001b[32m[user]\u001b[0m\n  a\n" : "[user]\n  a\n");
  });
});

describe("a stream that nobody reads any more", () => {
  /** A stream whose reader has left: what is written to it fails a moment later. */
  function closedPipe(code: string) {
    const written: string[] = [];
    const stream = new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        written.push(text);
        done(Object.assign(new Error("write failed"), { code }));
      },
    });
    return { stream, written };
  }

  it.each(["EPIPE", "EIO", "ERR_STREAM_DESTROYED"])(
    "is no longer written to after %s, and fails nothing",
    async (code) => {
      const { stream, written } = closedPipe(code);
      const events: RunEvent[] = [];
      const pipe = new EventPipe({
        runId: "1",
        agentName: "a",
        sinks: [cliSink({ stream }), (event) => events.push(event)],
        strictSinks: true,
      });
      message("user", "a")(pipe);
      await settled();
      message("user", "b")(pipe);
      await cliUserIo({ output: stream }).notify("c");
      expect(written).toEqual(["[user]\n"]);
      expect(events.map(({ type }) => type)).toEqual(["message", "message"]);
    },
  );

  it("may also say so at once", () => {
    const stream = {
      write: vi.fn(() => {
        throw Object.assign(new Error("gone"), { code: "EPIPE" });
      }),
    };
    const sink = cliSink({ stream });
    sink({ ...failure, message: "1" });
    sink({ ...failure, message: "2" });
    expect(stream.write).toHaveBeenCalledOnce();
  });

  it("is told from one that fails otherwise, which is reported once", async () => {
    const { stream } = closedPipe("ENOSPC");
    const events: RunEvent[] = [];
    const pipe = new EventPipe({
      runId: "1",
      agentName: "a",
      sinks: [cliSink({ stream }), (event) => events.push(event)],
    });
    message("user", "a")(pipe);
    await settled();
    message("user", "b")(pipe);
    message("user", "c")(pipe);
    expect(events.filter(({ type }) => type === "runtime")).toMatchObject([
      { kind: "failed", level: "error", category: "run" },
    ]);
  });
});

describe("a question that was just printed", () => {
  const question = { action: "prompt_user", rationale: "", value: "Which\ncity?" };

  function asked(before: (pipe: EventPipe) => void, options: CliSinkOptions = {}) {
    const output = new Recorder();
    const sinks = [cliSink({ stream: output, ...options })];
    before(new EventPipe({ runId: "1", agentName: "a", sinks }));
    const input = new PassThrough();
    input.end("Rome\n");
    return { output, reply: cliUserIo({ input, output }).ask(question.value) };
  }

  it("is not printed again by the channel on the same stream", async () => {
    const { output, reply } = asked(message("assistant", question));
    expect(await reply).toEqual({ value: "Rome" });
    expect(output.text).toBe("[assistant] prompt_user\n  Which\n  city?\n> Rome\n");
  });

  it.each([
    { why: "something else follows", more: [message("user", "Which")], options: {} },
    { why: "it stands among other fields", more: [message("assistant", { ...question, timeout: 1 })] },
    { why: "the sink prints no such messages", options: { roles: ["user"] as const } },
    {
      why: "it only arrives as a part of a call's JSON",
      options: { deltas: true },
      streamed: true,
    },
  ])("is printed when $why", async ({ more = [], options = {}, streamed = false }) => {
    const { output, reply } = asked((pipe) => {
      if (streamed) pipe.delta(JSON.stringify(question));
      message("assistant", question)(pipe);
      for (const send of more) send(pipe);
    }, options);
    await reply;
    expect(output.text).toMatch(/(^|\n)Which\ncity\?\n> Rome\n$/);
  });

  it("is not printed again when a reply that arrived in pieces ends with it", async () => {
    const { output, reply } = asked(
      (pipe) => {
        pipe.startMessage();
        pipe.delta("Which\n  ");
        pipe.delta("city?");
        message("assistant", question.value)(pipe);
      },
      { deltas: true },
    );
    await reply;
    expect(output.text).toBe("[assistant]\nWhich\n  city?\n> Rome\n");
  });
});

describe("defaultEventSinks", () => {
  it("prints to the standard output", () => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    try {
      for (const sink of defaultEventSinks()) sink(failure);
      expect(write).toHaveBeenCalledOnce();
    } finally {
      write.mockRestore();
    }
  });

  it("prints as it is told, or not at all", () => {
    const stream = new Recorder();
    for (const sink of defaultEventSinks({ cli: { stream } })) sink(failure);
    expect(stream.text).toBe("! run failed: x\n");
    expect(defaultEventSinks({ cli: false })).toEqual([]);
  });
});
