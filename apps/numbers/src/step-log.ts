import { contentObject, type EventSink } from "@roboz/core";

/** Where text for people goes, such as `process.stdout`. */
export interface Screen {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean | undefined;
}

/**
 * Prints which tool runs: with a dot what the model calls, with an arrow what follows from that. Trouble with a model
 * is told too, since the person is asked how to go on.
 */
export function stepLog(screen: Screen): EventSink {
  const { NO_COLOR: unwanted = "", TERM: terminal } = process.env;
  const isColorful = screen.isTTY === true && unwanted === "" && terminal !== "dumb";
  const print = (text: string): void => {
    screen.write(`${isColorful ? `\u001b[2m${text}\u001b[0m` : text}\n`);
  };
  let called: unknown;
  return (event) => {
    if (event.type === "message" && event.message.role === "assistant") {
      called = contentObject(event.message.content)?.["action"];
      print(`● model: ${String(called)}`);
    } else if (event.type === "runtime" && event.category === "tool" && event.kind === "started") {
      const { tool } = event.data;
      if (tool !== called && tool !== "prompt_llm") print(`→ ${String(tool)}`);
    } else if (event.type === "runtime" && event.category === "llm" && event.level === "warning") {
      print(`! ${event.message}`);
    }
  };
}
