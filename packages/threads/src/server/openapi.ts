import { z } from "zod";

import { errorBodySchema, threadHeaders } from "../wire/envelope.ts";
import type { Route } from "./route.ts";

/** A description of the server's routes, in OpenAPI 3.1. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, unknown>>;
  readonly security: readonly unknown[];
}

/** The document of these routes, and of the stream, which is no JSON. */
export function openApiDocument(routes: readonly Route[]): OpenApiDocument {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operationOf(route);
  }
  paths["/v1/ai/threads/{thread_id}/stream"] = {
    get: {
      summary: "Follow a thread until it pauses",
      parameters: [
        ...pathParameters("/v1/ai/threads/{thread_id}/stream"),
        queryParameter("next_token"),
        { name: threadHeaders.lastEventId, in: "header", schema: { type: "string" } },
      ],
      responses: {
        200: {
          description: "Events `delta`, `done` and `error`; the id of a delta is its continuation token.",
          content: { "text/event-stream": { schema: { type: "string" } } },
        },
        204: { description: "The thread is paused, and there is nothing new." },
        default: failure,
      },
    },
  };
  return {
    openapi: "3.1.0",
    info: { title: "RoboZ threads", version: "1" },
    paths,
    components: { securitySchemes: { bearer: { type: "http", scheme: "bearer" } } },
    security: [{ bearer: [] }],
  };
}

function operationOf(route: Route): object {
  const { path, method, summary, body, query = [], status = 200, data } = route;
  const isWrite = "write" in route;
  const headers = isWrite && method !== "DELETE" ? [threadHeaders.idempotencyKey] : [];
  return {
    summary,
    parameters: [
      ...pathParameters(path),
      ...query.map(queryParameter),
      ...[threadHeaders.orgId, ...headers].map((name) => ({
        name,
        in: "header",
        schema: { type: "string" },
      })),
    ],
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/json": { schema: schemaOf(body, "input") } },
          },
        }),
    responses: {
      [status]:
        data === undefined
          ? { description: "Done." }
          : {
              description: "Done.",
              content: { "application/json": { schema: envelope(schemaOf(data, "output")) } },
            },
      default: failure,
    },
  };
}

function pathParameters(path: string): readonly object[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameter(name: string): object {
  return { name, in: "query", schema: { type: "string" } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): object {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      // The default of an instant is the time at which it is asked for.
      if (typeof jsonSchema.default === "string" && /^\d{4}-\d\d-\d\dT/.test(jsonSchema.default))
        delete jsonSchema.default;
    },
  });
  return rest;
}

function envelope(data: object): object {
  return { type: "object", properties: { data }, required: ["data"] };
}

const failure = {
  description: "The request was refused, or failed.",
  content: { "application/json": { schema: schemaOf(errorBodySchema, "output") } },
};
