import { randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";

import type { Client, Pool } from "pg";

import { connectionConfig, type PostgresDriver, type PostgresSettings } from "./postgres-connections.ts";

const channelOf = (schema: string): string => `${schema}_words`;

/** What one process says to the others; words are lost while the connection that hears them is. */
export interface Words {
  readonly listen: (channel: string, listener: (word: string) => void) => () => void;
  readonly notify: (channel: string, word: string) => void;
  readonly close: () => Promise<void>;
}

/**
 * Says words to listeners of this process at once, and to those of others with `NOTIFY`: all that are said while a statement is
 * under way go together with the next one.
 */
export function openWords(driver: PostgresDriver, pool: Pool, settings: PostgresSettings): Words {
  const here = new EventEmitter();
  here.setMaxListeners(0);
  const sender = randomBytes(9).toString("base64url");
  const channel = channelOf(settings.schema);
  let isOpen = true;
  let waiting = new Set<string>();
  let sending: Promise<void> | undefined;
  let hearing: Hearing | undefined;

  const send = async (): Promise<void> => {
    while (waiting.size > 0) {
      const words = [...waiting];
      waiting = new Set();
      try {
        await pool.query(
          "SELECT pg_notify($1, word) FROM json_array_elements_text($2::json) AS given (word)",
          [channel, JSON.stringify(words)],
        );
      } catch {
        // Others look by themselves from time to time.
      }
    }
    sending = undefined;
  };
  const heard = (payload: string): void => {
    const [from, to, ...rest] = payload.split(" ");
    if (from !== sender && to !== undefined) here.emit(to, rest.join(" "));
  };
  return {
    listen: (to, listener) => {
      here.on(to, listener);
      hearing ??= hear(driver, settings, channel, {
        heard,
        missed: () => {
          for (const each of here.eventNames()) here.emit(each, "");
        },
      });
      return () => {
        here.off(to, listener);
      };
    },
    notify: (to, word) => {
      here.emit(to, word);
      if (!isOpen) return;
      waiting.add(`${sender} ${to} ${word}`);
      sending ??= send();
    },
    close: async () => {
      isOpen = false;
      await Promise.all([sending, hearing?.end()]);
    },
  };
}

interface Hearing {
  readonly end: () => Promise<void>;
}

/** Hears a channel on a connection of its own, which is opened again when it is lost. */
function hear(
  { Client: Connection }: PostgresDriver,
  settings: PostgresSettings,
  channel: string,
  { heard, missed }: { readonly heard: (payload: string) => void; readonly missed: () => void },
): Hearing {
  let isOpen = true;
  let current: Client | undefined;
  let again: NodeJS.Timeout | undefined;
  let delayMs = 100;

  const connect = async (): Promise<void> => {
    const client = new Connection(connectionConfig(settings));
    current = client;
    client.on("error", () => {
      // The end that follows connects again.
    });
    client.once("end", retry);
    client.on("notification", ({ payload = "" }) => {
      heard(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN "${channel}"`);
      delayMs = 100;
      // Nobody heard what was said before.
      missed();
    } catch {
      retry();
    }
    if (!isOpen) await client.end();
  };
  const retry = (): void => {
    if (!isOpen || again !== undefined) return;
    again = setTimeout(() => {
      again = undefined;
      current?.removeListener("end", retry);
      void current?.end().catch(() => undefined);
      opening = connect();
    }, delayMs);
    delayMs = Math.min(delayMs * 2, 5000);
  };
  let opening = connect();
  return {
    end: async () => {
      isOpen = false;
      clearTimeout(again);
      await opening;
      await current?.end().catch(() => undefined);
    },
  };
}
