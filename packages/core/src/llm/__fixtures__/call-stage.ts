import { beforeEach } from "vitest";

import type { RunEvent, RuntimeEvent } from "../../runtime/events.ts";
import { EventPipe } from "../../runtime/pipe.ts";
import { systemMessage, userMessage, type Message } from "../../values/message.ts";
import { callLlmApi, type LlmCall } from "../call.ts";
import { LLMEndpoint, type LLMEndpointSettings } from "../endpoint.ts";
import { ManualClock } from "./manual-clock.ts";
import { ScriptedClient, type Act } from "./scripted-client.ts";

/** A call under way, and the client it is made with. */
interface StagedCall {
  readonly client: ScriptedClient;
  readonly reply: ReturnType<typeof callLlmApi>;
}

/** What calls are made with and observed by, new for each test. */
export class CallStage {
  readonly messages: readonly Message[] = [systemMessage("Be brief."), userMessage("Hello")];
  clock = new ManualClock();
  events: RunEvent[] = [];
  pipe = new EventPipe({ runId: "r", agentName: "a" });

  constructor() {
    beforeEach(() => {
      const events: RunEvent[] = [];
      this.clock = new ManualClock();
      this.events = events;
      this.pipe = new EventPipe({ runId: "r", agentName: "a", sinks: [(event) => events.push(event)] });
    });
  }

  /** Calls a model that does what it is told. */
  call(
    acts: readonly Act[],
    options: Partial<LlmCall> & { readonly settings?: Partial<LLMEndpointSettings> } = {},
  ): StagedCall {
    const client = new ScriptedClient(acts);
    const { settings, ...rest } = options;
    const { messages, clock, pipe } = this;
    const reply = callLlmApi({ endpoint: endpointOf(client, settings), messages, clock, pipe, ...rest });
    // A failure is looked at after the clock has moved.
    reply.catch(() => undefined);
    return { client, reply };
  }

  get runtimeEvents(): readonly RuntimeEvent[] {
    return this.events.filter((event) => event.type === "runtime");
  }
}

/** An endpoint on a client. */
export function endpointOf(client: ScriptedClient, settings: Partial<LLMEndpointSettings> = {}): LLMEndpoint {
  return new LLMEndpoint({ apiName: "groq", modelName: "m", ...settings, client });
}

/** What never ends. */
export const hanging = (): Promise<never> => new Promise(() => undefined);
