import { UserInputUnavailableError } from "../errors.ts";
import type { Str, StrImage } from "../values/builtin.ts";

/** How a question may be asked. */
export interface AskOptions {
  /** Milliseconds to wait for the reply; without it, as long as it takes. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A channel to a person. */
export interface UserIo {
  /** Whether somebody can answer now. A run whose channel is not live suspends instead of asking. */
  readonly isLive: boolean;
  /**
   * Asks, and waits for the reply; null when none came within the time.
   *
   * @throws {@link UserInputUnavailableError} (`core/user-input-unavailable`) when nobody can be asked.
   */
  ask(question: string, options?: AskOptions): Promise<Str | StrImage | null>;
  /** Tells the user something; no reply is awaited. */
  notify(text: string): void | Promise<void>;
}

/** No channel: a question is refused, a notice is dropped. */
export const noUserIo: UserIo = Object.freeze({
  isLive: false,
  ask: () => Promise.reject(new UserInputUnavailableError()),
  notify: () => undefined,
});
