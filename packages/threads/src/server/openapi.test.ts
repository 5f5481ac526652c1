import { afterEach, describe, expect, it } from "vitest";

import { say, scripted, ServerStage } from "./__fixtures__/server-stage.ts";
import { openApiPath, routes } from "./app.ts";
import { openApiDocument } from "./openapi.ts";

let stage: ServerStage;
afterEach(() => stage.close());

describe("the document of the routes", () => {
  it("is served, and names every route that answers", async () => {
    stage = await ServerStage.open({ standard: scripted([say("Hi.")]) });
    const response = await stage.server.fetch(new Request(`http://localhost${openApiPath}`));
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(openApiDocument(routes))));
    const { paths } = openApiDocument(routes);
    for (const [path, operations] of Object.entries(paths)) {
      for (const method of Object.keys(operations)) {
        const reply = await stage.send(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "1"), {});
        const isUnknown = reply.error.message.includes("route of this method and path");
        expect({ method, path, isUnknown }).toEqual({ method, path, isUnknown: false });
      }
    }
  });

  it("says of each route what it takes and gives", () => {
    const { paths } = openApiDocument(routes);
    const fork = paths["/v1/ai/threads/{thread_id}/fork"]?.["post"];
    expect(fork).toMatchObject({
      requestBody: {
        content: {
          "application/json": { schema: { properties: { message_sequence_num: { type: "integer" } } } },
        },
      },
      responses: { 201: { content: { "application/json": { schema: { required: ["data"] } } } } },
    });
    expect(JSON.stringify(fork)).toContain('{"name":"thread_id","in":"path","required":true');
  });
});
