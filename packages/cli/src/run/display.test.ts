import { PassThrough } from "node:stream";

import { cliUserIo, EventPipe, finaliseValue, Invoke, parseMessage, type UserIo } from "@roboz/core";
import { expect, it } from "vitest";

import { displayOn } from "./display.ts";

/** What a terminal shows that a run is displayed on, and on which a person answers "yes". */
async function shown(
  act: (pipe: EventPipe, io: UserIo) => void | Promise<void>,
  { isTTY = true } = {},
): Promise<string> {
  let text = "";
  const output = { isTTY, write: (written: string) => (text += written) };
  const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [displayOn(output)], strictSinks: true });
  const input = new PassThrough();
  input.end("yes\n");
  await act(pipe, cliUserIo({ input, output }));
  // Colours are the sink's business.
  // eslint-disable-next-line no-control-regex -- escape sequences
  return text.replace(/\u001b\[\d+m/g, "");
}

const call = { action: "ask", rationale: "why" };
const reply = (pipe: EventPipe): void => {
  pipe.startMessage();
  pipe.delta(`{"action":"ask",`);
  pipe.delta(`"rationale":"why"}`);
  pipe.message(finaliseValue(Invoke(call)));
};
const result = (pipe: EventPipe): void => {
  pipe.message(parseMessage({ role: "user", content: `{"caller":"ask","value":"yes"}` }));
};

it("shows a reply as it arrives at a terminal, and its result behind it", async () => {
  const text = await shown((pipe) => {
    reply(pipe);
    result(pipe);
  });
  expect(text).toBe("[assistant]\n  action: ask\n  rationale: why\n[user] ask\n  yes\n");
});

it("shows whole messages where there is no terminal", async () => {
  expect(await shown(reply, { isTTY: false })).toBe("[assistant] ask (why)\n");
});

it("starts again for a reply that takes another's place", async () => {
  const text = await shown((pipe) => {
    pipe.startMessage();
    pipe.delta(`{"action":"as`);
    reply(pipe);
  });
  expect(text).toBe("[assistant]\n  action: as\n[assistant]\n  action: ask\n  rationale: why\n");
});

it("puts a question on a line of its own behind a reply that is not whole, and no empty line behind the answer", async () => {
  const text = await shown(async (pipe, io) => {
    pipe.startMessage();
    pipe.delta("no object");
    pipe.message(parseMessage({ role: "assistant", content: "no object" }));
    await io.ask("Bob?");
    result(pipe);
    await io.notify("done");
  });
  expect(text).toBe("[assistant]\nno object\nBob?\n> yes\n[user] ask\n  yes\ndone\n");
});

it("does not put a question a second time that a reply has just ended with", async () => {
  const text = await shown(async (pipe, io) => {
    const question = { action: "prompt_user", rationale: "why", value: "Which\ncity?" };
    pipe.startMessage();
    pipe.delta(JSON.stringify(question));
    pipe.message(finaliseValue(Invoke(question)));
    await io.ask("Which\ncity?");
  });
  expect(text).toBe(
    "[assistant]\n  action: prompt_user\n  rationale: why\n  value: Which\n    city?\n> yes\n",
  );
});
