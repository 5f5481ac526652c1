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
        const isUnknown = reply.status === 405 || reply.error.message.includes("route of this path");
        expect({ method, path, isUnknown }).toEqual({ method, path, isUnknown: false });
      }
    }
    const unknown = await stage.get("/v1/ai/none");
    expect([unknown.status, unknown.headers.get("allow")]).toEqual([404, null]);
  });

  it.each([
    { why: "a path of one method", method: "PUT", path: "/v1/ai/threads/1/fork", allow: "POST" },
    { why: "a path of several", method: "POST", path: "/v1/ai/threads/1", allow: "GET, HEAD, DELETE" },
    {
      why: "a path of two routes",
      method: "PATCH",
      path: "/v1/ai/threads/search",
      allow: "GET, HEAD, POST, DELETE",
    },
    { why: "the former name of a path", method: "PUT", path: "/v1/ai/chats/1/fork", allow: "POST" },
    { why: "a path without a caller", method: "DELETE", path: "/healthz", allow: "GET, HEAD" },
  ])("tells what $why takes when it is asked something else", async ({ method, path, allow }) => {
    stage = await ServerStage.open({ standard: scripted([say("Hi.")]) });
    const { status, headers, error } = await stage.send(method, path, {});
    expect([status, headers.get("allow")]).toEqual([405, allow]);
    expect(error.error_code).toBe("RobotoUnknownOperationException");
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
