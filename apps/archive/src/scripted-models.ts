import { contentObject, MockLLMEndpoint, type Message, type MockRequest } from "@roboz/core";

import type { Models } from "./archive-team.ts";

// Models that need no key. They are scripts, and yet what they say is taken from what they are shown: without the text of the PDF
// file there would be no headings, and without the memory no second answer.

const home = "projects/archive";

/** The models of the first conversation. */
export function scriptedModels(): Models {
  return { orchestrator: firstConversation(), cataloguer: headings(), librarian: keeper() };
}

/** The models of a conversation that begins with a memory. */
export function laterModels(): Models {
  return { orchestrator: laterConversation(), cataloguer: new MockLLMEndpoint([]), librarian: keeper() };
}

function firstConversation(): MockLLMEndpoint {
  let text = "";
  let found = "";
  return new MockLLMEndpoint([
    { action: "process_pdf", rationale: "The paper that came in.", path: `${home}/papers/bees.pdf` },
    ({ messages }) => {
      text = lastValue(messages);
      return {
        action: "run_file_command",
        rationale: "The rules of the house.",
        value: [
          ["cat", "CMD"],
          [`${home}/notes/*.md`, "PTH"],
        ],
      };
    },
    () => ({ action: "cataloguer", rationale: "Headings are its work.", value: text }),
    ({ messages }) => {
      found = lastValue(messages);
      return {
        action: "apply_patch",
        rationale: "Into the catalogue.",
        path: `${home}/catalogue.md`,
        old_string: "",
        new_string: `# Catalogue\n\n- papers/bees.pdf: ${found}\n`,
      };
    },
    () => ({
      action: "stop",
      rationale: "It is filed.",
      value: `Filed \`${home}/papers/bees.pdf\` under ${found}.`,
    }),
  ]);
}

function laterConversation(): MockLLMEndpoint {
  return new MockLLMEndpoint([
    ({ messages }) => {
      const memory = messages.find(({ content }) => content.includes("# Persistent Memory"))?.content ?? "";
      const path = /Filed `([^`]+)`/.exec(memory)?.[1];
      if (path === undefined)
        return { action: "stop", rationale: "I remember nothing.", value: "Which paper?" };
      return { action: "process_pdf", rationale: "I remember where it is.", path };
    },
    ({ messages }) => {
      const text = lastValue(messages).replace(/\s+/g, " ");
      const answer = /[^.]*kilograms of sugar[^.]*\./.exec(text)?.[0].trim() ?? "It does not say.";
      return { action: "stop", rationale: "In kilograms, in one sentence, as you like it.", value: answer };
    },
  ]);
}

/** Finds the three words of a text that stand in it most often, but for those that stand in every text. */
function headings(): MockLLMEndpoint {
  return new MockLLMEndpoint(({ messages }: MockRequest) => {
    const words = (messages.at(-1)?.content ?? "").toLowerCase().match(/\b[a-z]{4,}\b/g) ?? [];
    const counts = new Map<string, number>();
    for (const word of words) if (!common.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, 3);
    return {
      action: "stop",
      rationale: "Most is about these.",
      value: most.map(([word]) => word).join(", "),
    };
  });
}

const common = new Set(
  "that with from when they again because between them then this what have will into page process begin under after last".split(
    " ",
  ),
);

/** Keeps of a conversation what its user wants and what was filed, and of snapshots what they say. */
function keeper(): MockLLMEndpoint {
  return new MockLLMEndpoint(({ messages }: MockRequest) => {
    const source = messages.at(-1)?.content ?? "";
    const kept = source.match(/I want [^."\\]+\.|Filed `[^`]+` under [^."\\]+\./g) ?? [];
    const lines = [...new Set(kept)].map((line) => `- ${line}`);
    return { value: lines.length === 0 ? "- Nothing that has to be remembered." : lines.join("\n") };
  });
}

function lastValue(messages: readonly Pick<Message, "content">[]): string {
  return String(contentObject(messages.at(-1)?.content ?? "")?.["value"]);
}
