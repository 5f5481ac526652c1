import { openAiClient, type OpenAIClient, type OpenAIClientSettings } from "./client.ts";

/** Makes the client of an endpoint; called when the endpoint is first used, and again only if it failed. */
export type ClientFactory = (settings: OpenAIClientSettings) => Promise<OpenAIClient>;

/** A client that has found its key and loaded the SDK, so that what is wrong with the key shows before a request. */
export const preparedClient: ClientFactory = async (settings) => {
  const client = openAiClient(settings);
  await client.prepare();
  return client;
};
