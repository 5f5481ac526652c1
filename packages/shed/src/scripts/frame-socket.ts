import type { Socket } from "node:net";

import { encodeFrame, FrameReader, sendMs, type Frame } from "./frames.ts";

/** The other side took too long. */
export class TooSlowError extends Error {
  constructor() {
    super("the other side took too long");
    this.name = "TooSlowError";
  }
}

/** The other side closed the connection. */
export class ConnectionEndedError extends Error {
  constructor() {
    super("the other side closed the connection");
    this.name = "ConnectionEndedError";
  }
}

/** One side of a connection, in frames. */
export class FrameSocket {
  readonly #socket: Socket;
  readonly #reader = new FrameReader();
  #ended: Error | undefined;
  #wake: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (bytes: Buffer) => {
      this.#reader.add(bytes);
      // One frame is taken at a time: the other side waits until it is.
      socket.pause();
      this.#wake();
    });
    const over = (error: Error): void => {
      this.#ended ??= error;
      this.#wake();
    };
    socket.on("error", over);
    for (const event of ["end", "close"] as const) {
      socket.on(event, () => {
        over(new ConnectionEndedError());
      });
    }
  }

  /**
   * The JSON of the next frame.
   *
   * @throws {@link TooSlowError} after the time; {@link ConnectionEndedError}; the system's error; `FrameError`; the signal's reason.
   */
  async receive({
    withinMs,
    signal,
  }: {
    withinMs: number;
    signal?: AbortSignal | undefined;
  }): Promise<unknown> {
    const until = performance.now() + withinMs;
    for (;;) {
      signal?.throwIfAborted();
      const next = this.#reader.next();
      if (next !== undefined) return next.message;
      if (this.#ended !== undefined) throw this.#ended;
      if (performance.now() >= until) throw new TooSlowError();
      this.#socket.resume();
      await this.#woken(until, signal);
    }
  }

  /** Calls a function once when the other side sends anything more, or goes away. */
  onAnythingMore(listener: () => void): void {
    this.#wake = listener;
    this.#socket.resume();
    if (this.#reader.hasRest || this.#ended !== undefined) listener();
  }

  /**
   * Sends a frame, and waits until the system has taken it.
   *
   * @throws {@link TooSlowError} after five seconds; {@link ConnectionEndedError}; the system's error.
   */
  async send(frame: Frame): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended;
    const timer = new AbortController();
    try {
      await new Promise<void>((resolve, reject) => {
        const stop = setTimeout(() => {
          reject(new TooSlowError());
        }, sendMs);
        timer.signal.addEventListener("abort", () => {
          clearTimeout(stop);
        });
        this.#socket.write(encodeFrame(frame), (error) => {
          if (error == null) resolve();
          else reject(error);
        });
      });
    } finally {
      timer.abort();
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Waits for more, for the end, for the time, or for the signal. */
  async #woken(until: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      // A wait of more than 24 days would end at once; it is then begun again.
      const waitMs = Math.min(Math.max(until - performance.now(), 0), 2 ** 31 - 1);
      const timer = setTimeout(resolve, Math.ceil(waitMs));
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      this.#wake = wake;
      signal?.addEventListener("abort", wake, { once: true });
    });
    this.#wake = () => undefined;
  }
}
