/** What Ctrl-C does: it ends the command, unless the command has a better use for it. */
export class Interrupts {
  readonly #controller = new AbortController();
  #handler: (() => void) | undefined;

  /** Fires when the command is to end. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the command. */
  end(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** The user pressed Ctrl-C. */
  fire(reason: Error): void {
    if (this.#handler === undefined) this.end(reason);
    else this.#handler();
  }

  /** Calls a function at each Ctrl-C, in place of ending the command, until the function returned is called. */
  handle(handler: () => void): () => void {
    this.#handler = handler;
    return () => {
      this.#handler = undefined;
    };
  }
}
