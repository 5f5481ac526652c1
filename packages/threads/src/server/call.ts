import type { z } from "zod";

import { RobotoNoOrgProvidedException, RobotoUnauthorizedException } from "../errors/http-exceptions.ts";
import { denied, invalid, notFound } from "../store/errors.ts";
import type { Caller } from "../store/caller.ts";
import { threadHeaders } from "../wire/envelope.ts";
import { parseJson } from "../wire/json.ts";
import type { TokenVerifier } from "./verifier.ts";

/** A request, once it is known who makes it. */
export interface Call {
  readonly caller: Caller;
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly query: URLSearchParams;
  /** A part of the path, decoded. */
  readonly parameter: (name: string) => string;
  /** A part of the path that is a whole number of 0 or more. */
  readonly index: (name: string) => number;
  /** The body as it came. */
  readonly text: string;
  /** The body in its form, which is checked when it is asked for. */
  readonly body: <Schema extends z.ZodType>(schema: Schema) => z.output<Schema>;
  /**
   * The organisation that is meant: the header's, else the caller's only one.
   *
   * @throws {@link RobotoNoOrgProvidedException}
   */
  readonly orgId: () => string;
  /** The header's organisation; undefined without one. */
  readonly namedOrg: string | undefined;
}

/** What a path names is kept in indexes, and nothing that is there has a longer one. */
const maxPathChars = 1024;

/** Deeper values would exhaust the stack of whoever walks them. */
const maxDepth = 200;

/**
 * Reads a body with a limit.
 *
 * @throws {@link RobotoInvalidRequestException} for one that is too large or compressed, or does not come to its end.
 */
export async function readBody(request: Request, maxBytes: number): Promise<string> {
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding !== "identity")
    throw invalid("Compressed bodies are not taken; send it as it is");
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
  if (request.body === null) return "";
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of bytesOf(request.body)) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}

async function* bytesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const next = await reader.read().catch(() => {
        // Who sends it went away: nobody reads the answer, and nothing of the server's failed.
        throw invalid("The body did not come to its end");
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function tooLarge(maxBytes: number): Error {
  return invalid(`The body is larger than ${maxBytes} bytes`);
}

/**
 * The JSON of a body.
 *
 * @throws {@link RobotoInvalidRequestException} for what is none, is nested too deeply, or holds too many values.
 */
function parseBody(text: string, maxValues: number): unknown {
  if (text.trim() === "") return {};
  const { depth, values } = extentOf(text);
  if (depth > maxDepth) throw invalid(`The body is nested more than ${maxDepth} levels deep`);
  if (values > maxValues) throw invalid(`The body holds more than ${maxValues} values`);
  try {
    return parseJson(text);
  } catch {
    throw invalid("The body is no JSON");
  }
}

/** How deep brackets are nested, and how many values they hold at most, those within texts left out. */
function extentOf(text: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let isInText = false;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (isInText) {
      if (character === "\\") index += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === "{" || character === "[") {
      depth += 1;
      values += 1;
      deepest = Math.max(deepest, depth);
    } else if (character === "}" || character === "]") depth -= 1;
    else if (character === ",") values += 1;
  }
  return { depth: deepest, values };
}

/**
 * Who makes a request.
 *
 * @throws {@link RobotoUnauthorizedException} for no token, one that is not known, and an organisation or user that its bearer
 * may not act for.
 */
export async function callerOf(headers: Headers, verify: TokenVerifier): Promise<Caller> {
  const token = /^bearer +(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  if (token === undefined) throw unknownCaller("Give a bearer token in the `Authorization` header");
  const verified = await verify(token);
  if (verified === undefined) throw unknownCaller("The bearer token is not known, or has ended");
  const { principal, userId, orgs, admin, impersonate = false } = verified;
  const org = headers.get(threadHeaders.orgId);
  if (org !== null && !orgs.includes(org)) throw denied("You may not act in this organisation");
  const actAs = headers.get(threadHeaders.userId);
  if (actAs === null || actAs === userId) return { principal, userId, orgs, admin };
  if (!impersonate) throw denied("You may not act as another user");
  return { principal, userId: actAs, orgs, admin };
}

function unknownCaller(message: string): RobotoUnauthorizedException {
  return new RobotoUnauthorizedException({
    message,
    status: 401,
    headers: { "www-authenticate": 'Bearer realm="threads"' },
  });
}

/** A request of a caller. */
export function callFrom(
  request: Request,
  {
    caller,
    text,
    maxValues,
    parameters,
  }: {
    readonly caller: Caller;
    readonly text: string;
    readonly maxValues: number;
    readonly parameters: Readonly<Record<string, string>>;
  },
): Call {
  const { pathname, searchParams } = new URL(request.url);
  if (pathname.length > maxPathChars) throw notFound(`route of more than ${maxPathChars} characters`);
  const parameter = (name: string): string => parameters[name] ?? "";
  const namedOrg = request.headers.get(threadHeaders.orgId) ?? undefined;
  return {
    caller,
    method: request.method,
    path: pathname,
    headers: request.headers,
    query: searchParams,
    parameter,
    index: (name) => {
      const given = parameter(name);
      if (!/^-?\d{1,9}$/.test(given)) throw invalid(`\`${name}\` is no whole number`);
      return Number(given);
    },
    text,
    body: (schema) => schema.parse(parseBody(text, maxValues)),
    orgId: () => {
      const [only, ...others] = caller.orgs;
      if (namedOrg !== undefined) return namedOrg;
      if (only !== undefined && others.length === 0) return only;
      throw new RobotoNoOrgProvidedException({
        message: `No organisation was provided; name one in the \`${threadHeaders.orgId}\` header`,
        status: 400,
      });
    },
    namedOrg,
  };
}

/** A switch of a query, in any case; undefined when it is left out. */
export function flagOf({ query }: Call, name: string): boolean | undefined {
  const given = query.get(name)?.toLowerCase();
  if (given === undefined || given === "") return undefined;
  if (given === "true" || given === "1") return true;
  if (given === "false" || given === "0") return false;
  throw invalid(`\`${name}\` is neither true nor false`);
}

/** Where a page begins, and how long it may be. */
export function pageOf({ query }: Call): { readonly limit: number; readonly pageToken: string | undefined } {
  const size = query.get("page_size") ?? "50";
  const limit = Number(size);
  if (!/^\d{1,3}$/.test(size) || limit < 1 || limit > 200) throw invalid("`page_size` is between 1 and 200");
  return { limit, pageToken: query.get("page_token") ?? undefined };
}
