import { z } from "zod";
import { exceptionFor } from "../../errors/by-code.ts";
import type { RobotoHttpException } from "../../errors/http-exception.ts";
import { RobotoResponseError } from "../../errors/http-exceptions.ts";
import { errorBodySchema } from "../../wire/envelope.ts";
import { parseJson } from "../../wire/json.ts";
import { problemsOf } from "../../wire/problems.ts";
import { chunksOf } from "./chunks.ts";

/** The longest answer that is read. */
const maxAnswerBytes = 64 * 2 ** 20;
const maxShown = 2000;

const envelopeSchema = z.object({ data: z.unknown().optional() });

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Reads the body of an answer. */
export async function readAnswer(response: Response): Promise<Answer> {
  const headers = Object.fromEntries(response.headers);
  const status = response.status;
  const decoder = new TextDecoder();
  const pieces: string[] = [];
  let bytes = 0;
  for await (const chunk of response.body === null ? [] : chunksOf(response.body)) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) {
      const message = `The server's answer has more than ${maxAnswerBytes} bytes`;
      throw new RobotoResponseError({ message, status, headers });
    }
    pieces.push(decoder.decode(chunk, { stream: true }));
  }
  pieces.push(decoder.decode());
  return { status, headers, text: pieces.join("") };
}

/** What an answer holds; an answer without a body holds nothing. */
export function dataOf<S extends z.ZodType>({ status, headers, text }: Answer, schema: S): z.output<S> {
  const unusable = (problem: string, cause: unknown): RobotoResponseError =>
    new RobotoResponseError({
      message: `The server's answer is not what was asked for: ${problem}`,
      status,
      headers,
      body: text.slice(0, maxShown),
      cause,
    });
  let data: unknown;
  if (text.trim() !== "") {
    try {
      data = envelopeSchema.parse(parseJson(text)).data;
    } catch (cause) {
      throw unusable("it is no JSON object with `data`", cause);
    }
  }
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw unusable(problemsOf(parsed.error), parsed.error);
  return parsed.data;
}

/** The error that a refusal stands for. */
export function refusalOf({ status, headers, text }: Answer, idempotencyKey?: string): RobotoHttpException {
  const facts = { headers, body: text.slice(0, maxShown), idempotencyKey };
  const parsed = errorBodySchema.safeParse(jsonOf(text));
  if (parsed.success) {
    const { error, details } = parsed.data;
    const message = error.message === "" ? `The server answered ${status}` : error.message;
    return exceptionFor(status, error, { message, details, ...facts });
  }
  const message = `The server answered ${status}, without saying why`;
  return exceptionFor(status, {}, { message, ...facts });
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
