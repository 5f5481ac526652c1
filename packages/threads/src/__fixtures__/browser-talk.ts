import { z } from "zod";
import {
  AgentThread,
  clientTool,
  parseJson,
  ThreadsClient,
  ThreadsError,
  type AgentEvent,
} from "../client/index.ts";

/** What a page saw of a thread. */
export interface Talk {
  readonly hasProcess: boolean;
  readonly events: readonly string[];
  readonly transcript: string;
  readonly facts: readonly string[];
  readonly refusal: string;
  readonly givenUp: string;
  readonly digits: string;
}

/** Starts a thread, answers its client tool, and streams; this is bundled and run in a browser. */
export async function talk(baseUrl: string): Promise<Talk> {
  const facts: string[] = [];
  const remember = clientTool({
    name: "remember",
    description: "Keep a fact.",
    input: z.object({ fact: z.string(), at: z.bigint().or(z.number()) }),
    execute: ({ fact, at }) => {
      facts.push(`${fact} ${at}`);
      throw new Error("Bearer abcdef0123456789 is no token");
    },
  });
  const client = new ThreadsClient({ baseUrl, token: "t", retries: { attempts: 1 } });
  const thread = await AgentThread.start("Remember blue.", { client, clientTools: [remember] });
  const events: string[] = [];
  const onEvent = (event: AgentEvent): void => {
    events.push(event.type === "text_delta" ? event.text : event.type);
  };
  await thread.run({ onEvent, tickMs: 1 });
  await thread.sendText("More.");
  await thread.run({ onEvent, tickMs: 1, transport: "sse" });
  const { transcript } = thread;
  const refusal = await thread.sendText("x").then(
    () => "",
    (error: unknown) => (ThreadsError.is(error) ? `${error.name} ${error.code}` : String(error)),
  );
  const givenUp = await thread.refresh({ signal: AbortSignal.abort() }).then(
    () => "",
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
  return {
    hasProcess: typeof process !== "undefined",
    events,
    transcript,
    facts,
    refusal,
    givenUp,
    digits: String(parseJson("1733850000123456789")),
  };
}
