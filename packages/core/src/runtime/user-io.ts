import { UserInputUnavailableError, ValueError } from "../errors.ts";
import { Str, type StrImage } from "../values/builtin.ts";
import { waitForAnswer } from "./wait-for-answer.ts";

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

/** What a host implements to put questions to its own users, in a browser or a chat. */
export interface UserIoAdapter {
  /** Whether somebody can answer now; true when it is left out. */
  readonly isLive?: boolean | undefined;
  /**
   * Asks, and gives the reply; null when there is none.
   *
   * @param options.signal - Fires when nobody waits for the reply any more.
   */
  readonly requestInput: (
    question: string,
    options: { readonly timeoutMs?: number | undefined; readonly signal: AbortSignal },
  ) => Promise<Str | StrImage | null>;
  readonly notify: (text: string) => void | Promise<void>;
}

/**
 * A channel through a host's own adapter. Time limits and aborts hold whether or not the adapter keeps them.
 *
 * @throws TypeError when the adapter lacks `requestInput` or `notify`. `ask` throws {@link ValueError} (`core/value`) when
 * the adapter's reply is neither a `Str` nor null.
 */
export function apiUserIo(adapter: UserIoAdapter): UserIo {
  if (!isAdapter(adapter)) {
    throw new TypeError("`apiUserIo` needs an adapter with `requestInput` and `notify`");
  }
  return {
    get isLive() {
      return adapter.isLive ?? true;
    },
    ask: async (question, options = {}) => {
      const { timeoutMs } = options;
      const reply = await waitForAnswer(
        async (signal) => await adapter.requestInput(question, { timeoutMs, signal }),
        options,
      );
      if (reply !== null && !Str.is(reply)) {
        throw new ValueError({
          kind: "str",
          problem: "a reply of the user's adapter that is neither a `Str` nor null",
        });
      }
      return reply;
    },
    notify: (text) => adapter.notify(text),
  };
}

function isAdapter(candidate: unknown): candidate is UserIoAdapter {
  if (typeof candidate !== "object" || candidate === null) return false;
  return (
    "requestInput" in candidate &&
    typeof candidate.requestInput === "function" &&
    "notify" in candidate &&
    typeof candidate.notify === "function"
  );
}
