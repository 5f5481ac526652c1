import type { Hono } from "hono";

import { threadHeaders } from "../wire/envelope.ts";
import { RobotoUnknownOperationException } from "../errors/http-exceptions.ts";
import { notFound } from "../store/errors.ts";
import { agentRoutes } from "./agent-routes.ts";
import { answerOf, failureAnswer, tooMany, type Answer } from "./answer.ts";
import { callerOf, callFrom, readBody, type Call } from "./call.ts";
import { Dispatcher } from "./dispatch.ts";
import { checkHost, type HostSettings } from "./hosts.ts";
import { openApiDocument } from "./openapi.ts";
import { RateLimit } from "./rate.ts";
import type { Route, ServerParts } from "./route.ts";
import { skillRoutes } from "./skill-routes.ts";
import { openStream, OpenStreams } from "./stream.ts";
import { summaryRoutes } from "./summary-routes.ts";
import { threadRoutes } from "./thread-routes.ts";
import { ThreadWatches } from "./thread-watch.ts";
import { turnRoutes } from "./turn-routes.ts";
import type { TokenVerifier } from "./verifier.ts";

/** Every route of the server but the stream, and what needs no caller. */
export const routes: readonly Route[] = [
  ...threadRoutes,
  ...turnRoutes,
  ...agentRoutes,
  ...skillRoutes,
  ...summaryRoutes,
];

/** What requests are answered with. */
export interface AppParts {
  readonly parts: ServerParts;
  readonly verifier: TokenVerifier;
  readonly hosts: () => HostSettings;
  readonly stopping: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/** Where the document of the routes is. */
export const openApiPath = "/v1/openapi.json";

/** Answers requests with Hono as the router. */
export function createApp(
  app: Hono,
  { parts, verifier, hosts, stopping, onError }: AppParts,
): (request: Request) => Promise<Response> {
  const { store, limits } = parts;
  const dispatcher = new Dispatcher(parts);
  const streams = new OpenStreams();
  const watches = new ThreadWatches(store, limits.delta, stopping);
  const rate = limits.requests === null ? undefined : new RateLimit(limits.requests);
  let document: string | undefined;

  const callOf = async (request: Request, parameters: Readonly<Record<string, string>>): Promise<Call> => {
    const caller = await callerOf(request.headers, verifier);
    const wait = rate?.take(caller.principal) ?? 0;
    if (wait > 0) throw tooMany("requests", limits.requests?.burst ?? 0, wait);
    const text = request.method === "GET" ? "" : await readBody(request, limits.bodyBytes);
    return callFrom(request, { caller, text, maxValues: limits.bodyValues, parameters });
  };
  const refused = (error: unknown): Response => {
    const answer = failureAnswer(error);
    if (answer.isOurs) onError(error);
    return responseOf(answer);
  };

  app.get("/healthz", () => responseOf(answerOf(200, { status: "ok" })));
  app.get("/readyz", async () => {
    try {
      await store.read(({ queries }) => queries.rows("SELECT version FROM threads_schema"));
      return responseOf(answerOf(200, { status: "ready" }));
    } catch (error) {
      onError(error);
      return responseOf(answerOf(503, { status: "not ready" }));
    }
  });
  app.get(openApiPath, () => {
    document ??= JSON.stringify(openApiDocument(routes));
    return responseOf({ status: 200, body: document });
  });
  app.get("/v1/ai/threads/:thread_id/stream", async (context) => {
    try {
      const request = context.req.raw;
      const call = await callOf(request, context.req.param());
      const leave = streams.enter(call.caller.principal, limits.streams);
      const again = () => callerOf(request.headers, verifier);
      const stream = await openStream(call, { watches, again, stopping, onError }, leave);
      if (stream === undefined) return new Response(null, { status: 204 });
      // Nobody reads what a HEAD is answered with, so nobody would end it either.
      const isRead = request.method !== "HEAD";
      if (!isRead) await stream.cancel();
      return new Response(isRead ? stream : null, {
        headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
      });
    } catch (error) {
      return refused(error);
    }
  });
  for (const route of routes) {
    app.on(route.method, route.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) => {
      try {
        const call = await callOf(context.req.raw, context.req.param());
        return responseOf(await dispatcher.answer(route, call));
      } catch (error) {
        return refused(error);
      }
    });
  }
  app.notFound(({ req }) => {
    const allowed = methods.filter((method) => app.router.match(method, req.path)[0].length > 0);
    return refused(allowed.length === 0 ? notFound("route of this path") : notAllowed(req.method, allowed));
  });
  app.onError(refused);

  return async (given) => {
    let headers: Readonly<Record<string, string>>;
    try {
      headers = checkHost(given, hosts());
    } catch (error) {
      return refused(error);
    }
    if (given.method === "OPTIONS" && "access-control-allow-origin" in headers)
      return new Response(null, { status: 204, headers: { ...headers, ...preflight } });
    const response = await app.fetch(withCurrentPath(given));
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  };
}

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

const preflight = {
  "access-control-allow-methods": methods.join(", "),
  "access-control-allow-headers": ["Authorization", "Content-Type", ...Object.values(threadHeaders)].join(
    ", ",
  ),
  "access-control-max-age": "600",
};

/** Where a `GET` is answered, a `HEAD` is too. */
function notAllowed(method: string, allowed: readonly string[]): RobotoUnknownOperationException {
  const allow = allowed.flatMap((each) => (each === "GET" ? [each, "HEAD"] : [each])).join(", ");
  return new RobotoUnknownOperationException({
    message: `This path does not take \`${method}\`; it takes ${allow}`,
    status: 405,
    headers: { allow },
  });
}

/** Threads were called chats before. */
function withCurrentPath(request: Request): Request {
  const url = new URL(request.url);
  if (!/^\/v1\/ai\/chats(?:\/|$)/.test(url.pathname)) return request;
  url.pathname = url.pathname.replace("/v1/ai/chats", "/v1/ai/threads");
  return new Request(url, request);
}

function responseOf({ status, body, headers = {} }: Answer): Response {
  if (body === "") return new Response(null, { status, headers });
  return new Response(body, { status, headers: { "content-type": "application/json", ...headers } });
}
