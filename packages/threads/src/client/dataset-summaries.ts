import { RobotoTimeoutError } from "../errors/client-errors.ts";
import { RobotoFailedToGenerateException } from "../errors/http-exceptions.ts";
import { summarySchema, type AISummary } from "../wire/summaries.ts";
import type { ThreadsClient } from "./http/threads-client.ts";
import { wait } from "./http/wait.ts";

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** How a summary is followed while it is written. */
export interface FollowSummaryOptions extends CallOptions {
  /** The pause between two looks in milliseconds; 2000 by default. */
  readonly tickMs?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The summary of one dataset: a text that a model writes and that people may replace. */
export class DatasetSummaries {
  readonly datasetId: string;
  readonly #client: ThreadsClient;

  constructor(datasetId: string, { client }: { readonly client: ThreadsClient }) {
    this.datasetId = datasetId;
    this.#client = client;
  }

  /** Has a summary written; it is `pending` at first. */
  generate(options: CallOptions & { readonly idempotencyKey?: string } = {}): Promise<AISummary> {
    return this.#client.call({ method: "POST", path: this.#path, schema: summarySchema, ...options });
  }

  /**
   * Reads the summary, and never has one written.
   *
   * @throws {@link RobotoNotFoundException} when there was none yet.
   */
  get(options: CallOptions = {}): Promise<AISummary> {
    return this.#client.call({ method: "GET", path: this.#path, schema: summarySchema, ...options });
  }

  /** Puts a text of one's own in the place of the summary. */
  set(summary: string, options: CallOptions = {}): Promise<AISummary> {
    return this.#client.call({
      method: "PUT",
      path: this.#path,
      body: { summary },
      schema: summarySchema,
      ...options,
    });
  }

  /**
   * The text as it is written: first what there is, then what was added, until it is complete. A text that was written
   * anew is given again as a whole.
   *
   * @throws {@link RobotoFailedToGenerateException} when the summary failed, also when it had already;
   * {@link RobotoTimeoutError} when it took longer than `timeoutMs`.
   */
  async *follow({ tickMs = 2000, timeoutMs, signal }: FollowSummaryOptions = {}): AsyncGenerator<
    string,
    void
  > {
    const { clock } = this.#client;
    const started = clock.now();
    let shown = "";
    for (;;) {
      const { status, text } = await this.get({ signal });
      const present = text ?? "";
      const added = present.startsWith(shown) ? present.slice(shown.length) : present;
      shown = present;
      if (added !== "") yield added;
      if (status === "complete") return;
      if (status === "failed") {
        throw new RobotoFailedToGenerateException({
          message: `The summary of dataset \`${this.datasetId}\` failed; have it written again`,
        });
      }
      const usedMs = clock.now() - started;
      if (timeoutMs !== undefined && usedMs >= timeoutMs) {
        throw new RobotoTimeoutError({ what: `The summary of dataset \`${this.datasetId}\``, timeoutMs });
      }
      await wait(clock, Math.min(tickMs, (timeoutMs ?? Infinity) - usedMs), signal);
    }
  }

  get #path(): string {
    return `/v1/datasets/${encodeURIComponent(this.datasetId)}/summary`;
  }
}
