import type { Image } from "../values/image.ts";
import type { Message, Role } from "../values/message.ts";
import type { MockLLMEndpoint } from "./mock.ts";

/** How a model is asked for an action: as JSON text, which works with any model, or by the provider's native tool calls. */
export type Protocol = "json" | "tools";

/** A message as a provider gets it. */
export interface ModelMessage {
  readonly role: Exclude<Role, "error">;
  readonly content: string;
  readonly images?: readonly Image[];
}

/** What one attempt sends to a model. */
export interface ModelRequest {
  /** The conversation as the model sees it, truncation applied. Valid until the call returns; it is not a copy. */
  readonly messages: readonly Message[];
  /** Gives the same messages later; cheap to keep, unlike a copy. */
  readonly recall: () => readonly Message[];
}

/** What a completed model call reports beside its text; unknown parts are left out. */
export interface Telemetry {
  readonly endpoint?: string | undefined;
  readonly model?: string | undefined;
  readonly tokenInput?: number | undefined;
  readonly tokenOutput?: number | undefined;
}

/** Anything that can be asked for a completion. */
export type EndpointLike = MockLLMEndpoint;
