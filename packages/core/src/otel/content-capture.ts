import { redactor, type Redactor } from "../dependencies/redact.ts";
import type { Message } from "../values/message.ts";
import type { OtelSinkOptions } from "./otel-sink.ts";

/** A message in the shape that the semantic conventions give messages. */
interface ShownMessage {
  readonly role: string;
  readonly parts: readonly [{ readonly type: "text"; readonly content: string }];
}

/** Keeps the texts of a run's conversation, masked and shortened, for its spans. */
export class ContentCapture {
  readonly #redact: Redactor;
  readonly #maxCharacters: number;
  readonly #messages: ShownMessage[] = [];

  constructor({ secrets, environment, maxContentCharacters = 10_000 }: OtelSinkOptions) {
    this.#redact = redactor({ secrets, environment });
    this.#maxCharacters = maxContentCharacters;
  }

  /** Adds a message; gives its text as it may be shown. */
  add({ role, content }: Message): string {
    const text = this.#redact(content, this.#maxCharacters);
    this.#messages.push({ role: role === "error" ? "user" : role, parts: [{ type: "text", content: text }] });
    return text;
  }

  /** The conversation so far, before truncation, as JSON. */
  conversation(): string {
    return JSON.stringify(this.#messages);
  }

  /** The last message, as JSON: what a model answered, and the provider's word for why it stopped. */
  reply(finishReason: string): string {
    return JSON.stringify(
      this.#messages.slice(-1).map((message) => ({ ...message, finish_reason: finishReason })),
    );
  }

  /** The last thing that the model said. */
  lastCall(): string | undefined {
    return this.#messages.findLast(({ role }) => role === "assistant")?.parts[0].content;
  }
}
