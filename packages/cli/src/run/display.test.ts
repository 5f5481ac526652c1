import { EventPipe, finaliseValue, Invoke, parseMessage } from "@roboz/core";
import { expect, it } from "vitest";

import { displayOn } from "./display.ts";

/** What a terminal shows that a run is displayed on. */
function shown(
  act: (pipe: EventPipe, notice: (text: string) => void) => void,
  { isTTY = true } = {},
): string {
  let text = "";
  const { sink, notices } = displayOn({ isTTY, write: (written) => (text += written) });
  const pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [sink], strictSinks: true });
  act(pipe, (notice) => notices.write(notice));
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

it("shows a reply as it arrives at a terminal, and its result behind it", () => {
  const text = shown((pipe) => {
    reply(pipe);
    result(pipe);
  });
  expect(text).toBe("[assistant]\n  action: ask\n  rationale: why\n[user] ask\n  yes\n");
});

it("shows whole messages where there is no terminal", () => {
  expect(shown(reply, { isTTY: false })).toBe("[assistant] ask (why)\n");
});

it("starts again for a reply that takes another's place", () => {
  const text = shown((pipe) => {
    pipe.startMessage();
    pipe.delta(`{"action":"as`);
    reply(pipe);
  });
  expect(text).toBe("[assistant]\n  action: as\n[assistant]\n  action: ask\n  rationale: why\n");
});

it("puts a question on a line of its own behind a reply that is not whole, and no empty line behind the answer", () => {
  const text = shown((pipe, notice) => {
    pipe.startMessage();
    pipe.delta("no object");
    pipe.message(parseMessage({ role: "assistant", content: "no object" }));
    notice("Bob?\n> ");
    notice("yes\n");
    result(pipe);
    notice("done\n");
  });
  expect(text).toBe("[assistant]\nno object\nBob?\n> yes\n[user] ask\n  yes\ndone\n");
});
