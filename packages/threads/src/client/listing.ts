import { z } from "zod";
import { pageOf, type Page } from "../wire/envelope.ts";
import { searchThreadsRequestSchema, type SearchThreadsRequest } from "../wire/requests.ts";
import { modelProfileSchema, threadRecordSchema } from "../wire/thread.ts";
import type { AgentThreadRecord, ModelProfileResponse } from "../wire/thread.ts";
import { checked } from "./checked.ts";
import type { ThreadsClient } from "./http/threads-client.ts";

interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

const pageSchema = pageOf(threadRecordSchema);

/** One page of the threads that the caller may read, pinned ones first; without their messages. */
export function listThreads(
  client: ThreadsClient,
  { pageToken, signal }: CallOptions & { readonly pageToken?: string | undefined } = {},
): Promise<Page<AgentThreadRecord>> {
  const query = { page_token: pageToken };
  return client.call({ method: "GET", path: "/v1/ai/threads", query, schema: pageSchema, signal });
}

/**
 * One page of the threads that fit all filters given; without their messages.
 *
 * @throws {@link RobotoInvalidRequestException} when a filter is none.
 */
export async function searchThreads(
  client: ThreadsClient,
  filters: SearchThreadsRequest,
  { signal }: CallOptions = {},
): Promise<Page<AgentThreadRecord>> {
  const body = checked(searchThreadsRequestSchema, filters, "The search");
  return client.call({ method: "POST", path: "/v1/ai/threads/search", body, schema: pageSchema, signal });
}

/** The models that a thread can be started with. */
export function modelProfiles(
  client: ThreadsClient,
  { signal }: CallOptions = {},
): Promise<ModelProfileResponse[]> {
  const schema = z.array(modelProfileSchema);
  return client.call({ method: "GET", path: "/v1/ai/model-profiles", schema, signal });
}
