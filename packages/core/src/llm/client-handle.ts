import type { ClientSource } from "./client.ts";
import { LLMClientError } from "./errors.ts";

/** What every client can do. */
interface Closable {
  readonly close: () => void | Promise<void>;
}

/** The one client of an endpoint and of its copies: made when it is first asked for, closed once. */
export interface ClientHandle<Client> {
  readonly type: "client-handle";
  /**
   * The client. Concurrent first uses share one build; a failed build is tried again at the next use.
   *
   * @throws {@link LLMClientError} (`core/llm-client`) when the client was closed; what the build throws, as it is.
   */
  readonly get: () => Promise<Client>;
  /** Closes the client if there is one, and refuses every later use. May be called twice. */
  readonly close: () => Promise<void>;
}

/** The handle of a client; a handle is handed on, so that copies share it. */
export function clientHandle<Client extends object & Closable>(
  source: ClientSource<Client> | ClientHandle<Client>,
): ClientHandle<Client> {
  if (isHandle(source)) return source;
  let client: Promise<Client> | undefined;
  let closing: Promise<void> | undefined;
  const build = async (): Promise<Client> => {
    const made = typeof source === "function" ? await source() : source;
    if (closing === undefined) return made;
    await made.close();
    throw closed();
  };
  return Object.freeze({
    type: "client-handle" as const,
    get: async () => {
      if (closing !== undefined) throw closed();
      const building = (client ??= build());
      try {
        return await building;
      } catch (error) {
        if (client === building) client = undefined;
        throw error;
      }
    },
    close: async () => {
      closing ??= closeOf(client);
      await closing;
    },
  });
}

async function closeOf(client: Promise<Closable> | undefined): Promise<void> {
  // A build that is under way closes what it makes, and one that fails leaves nothing to close.
  const made = await client?.catch(() => undefined);
  await made?.close();
}

function closed(): LLMClientError {
  return new LLMClientError(
    "The client of this endpoint was closed; describe the endpoint again to get another",
  );
}

function isHandle<Client extends object>(
  source: ClientSource<Client> | ClientHandle<Client>,
): source is ClientHandle<Client> {
  return Reflect.get(source, "type") === "client-handle";
}
