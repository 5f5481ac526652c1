import { RobotoConflictException } from "../errors/http-exceptions.ts";
import { threadHeaders } from "../wire/envelope.ts";
import { invalid } from "../store/errors.ts";
import { once } from "../store/idempotency.ts";
import { answerOf, type Answer } from "./answer.ts";
import type { Call } from "./call.ts";
import type { Route, ServerParts, WriteRoute } from "./route.ts";

/** Does what requests ask for: reads in one look, writes in one transaction, and once for a key. */
export class Dispatcher {
  readonly #server: ServerParts;
  /** Keyed requests that are being done in this process. */
  readonly #underWay = new Set<string>();

  constructor(server: ServerParts) {
    this.#server = server;
  }

  async answer(route: Route, call: Call): Promise<Answer> {
    const { store } = this.#server;
    const { status = 200 } = route;
    if ("read" in route)
      return answerOf(status, await store.read((view) => route.read(view, call, this.#server)));
    const key = call.headers.get(threadHeaders.idempotencyKey);
    if (key === null || route.method === "DELETE") {
      await route.prepare?.(call, this.#server);
      return store.write(async (transaction) =>
        answerOf(status, await route.write(transaction, call, this.#server)),
      );
    }
    if (!/^[\x21-\x7e]{1,200}$/.test(key))
      throw invalid(`\`${threadHeaders.idempotencyKey}\` has 1 to 200 visible ASCII characters`);
    return this.#keyed(route, call, key);
  }

  async #keyed(route: WriteRoute, call: Call, key: string): Promise<Answer> {
    const scope = `${call.caller.principal} ${call.caller.userId} ${call.method} ${call.path}`;
    const id = `${scope} ${key}`;
    if (this.#underWay.has(id)) {
      throw new RobotoConflictException({
        message: "A request with this key is being done; ask again for its answer",
        status: 409,
        headers: { "retry-after": "1" },
      });
    }
    this.#underWay.add(id);
    try {
      return await this.#once(route, call, { scope, key, body: call.text });
    } finally {
      this.#underWay.delete(id);
    }
  }

  async #once(
    route: WriteRoute,
    call: Call,
    request: { readonly scope: string; readonly key: string; readonly body: string },
  ): Promise<Answer> {
    const { store } = this.#server;
    const { status = 200 } = route;
    let isPrepared = false;
    const attempt = () =>
      store.write(async (transaction) =>
        once(transaction, request, async () => {
          if (!isPrepared && route.prepare !== undefined) throw new Unprepared();
          return answerOf(status, await route.write(transaction, call, this.#server));
        }),
      );
    const kept = await attempt().catch(async (error: unknown) => {
      if (!(error instanceof Unprepared)) throw error;
      // What has to be found out elsewhere is asked for only when there is no answer yet.
      await route.prepare?.(call, this.#server);
      isPrepared = true;
      return attempt();
    });
    const headers = kept.isReplayed ? { [threadHeaders.idempotencyReplayed]: "true" } : undefined;
    return { status: kept.status, body: kept.body, headers };
  }
}

class Unprepared extends Error {}
