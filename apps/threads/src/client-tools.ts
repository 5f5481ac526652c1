import { clientTool } from "@roboz/threads/client";
import { z } from "zod";

/** Tools that run where the user sits: the server has neither a user to ask nor a printer. */
export function clientTools(write: (line: string) => unknown) {
  return [
    clientTool({
      name: "confirm",
      description: "Ask the user a question that is answered with yes or no.",
      input: z.object({ question: z.string().describe("The question") }),
      execute: ({ question }) => {
        write(`  ? ${question} yes`);
        return { confirmed: true };
      },
    }),
    clientTool({
      name: "print_label",
      description: "Print a label on the user's printer.",
      input: z.object({ text: z.string().describe("What stands on it") }),
      execute: ({ text }) => {
        write(`  ┌${"─".repeat(text.length + 2)}┐`);
        write(`  │ ${text} │`);
        write(`  └${"─".repeat(text.length + 2)}┘`);
        return { printed: 1 };
      },
    }),
  ];
}
