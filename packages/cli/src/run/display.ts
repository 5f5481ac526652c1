import { cliSink, type EventSink } from "@roboz/core";

import type { TerminalOutput } from "../terminal.ts";
import { ReadableReply } from "./readable-reply.ts";

/**
 * Prints a run for whoever reads the output; at a terminal the model's replies as they arrive. A channel to the person
 * on the same output puts its questions on lines of their own.
 */
export function displayOn(output: TerminalOutput): EventSink {
  const deltas = output.isTTY === true;
  const shown = cliSink({ stream: output, roles: ["assistant", "user", "error"], deltas });
  let reply: { readonly messageId: string; readonly text: ReadableReply } | undefined;
  return (event) => {
    if (event.type !== "message-delta") {
      shown(event);
      return;
    }
    const { messageId, delta } = event;
    if (reply?.messageId !== messageId) reply = { messageId, text: new ReadableReply() };
    shown({ ...event, delta: reply.text.push(delta) });
  };
}
