import { field, listField, textField } from "./json-fields.ts";

/** What a service says of a failure. */
export interface ProviderWords {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  /** An HTTP status that stands in the words. */
  readonly status?: number | undefined;
}

const maxDepth = 4;

/**
 * Finds a service's words in the body of a failure. Services put them in `error` (the protocol), at the top (vLLM),
 * in `detail` (FastAPI) or in a list (Gemini); routers repeat those of the service behind them as text.
 */
export function providerWords(body: unknown, depth = 0): ProviderWords {
  if (typeof body === "string") return body === "" ? {} : { message: body };
  if (typeof body !== "object" || body === null || depth > maxDepth) return {};
  if (Array.isArray(body)) return providerWords(body[0], depth + 1);
  const inner = field(body, "error");
  if (inner !== undefined && inner !== null) return providerWords(inner, depth + 1);

  const code = field(body, "code");
  const behind = textField(field(body, "metadata"), "raw");
  const messages = [
    textField(body, "message") ?? detailOf(body),
    behind === undefined ? undefined : (providerWords(parsed(behind), depth + 1).message ?? behind),
  ].filter((message) => message !== undefined);
  return {
    message: messages.length > 0 ? messages.join(": ") : undefined,
    code: typeof code === "string" && code !== "" ? code : textField(body, "status"),
    type: textField(body, "type"),
    status: statusIn(code),
  };
}

/** FastAPI's `detail`: a text, or a list of what is wrong with which field. */
function detailOf(body: object): string | undefined {
  const said = textField(body, "detail");
  if (said !== undefined) return said;
  const problems = listField(body, "detail").map((problem) => {
    const place = listField(problem, "loc").filter((part) => typeof part === "string");
    return [place.join("."), textField(problem, "msg")].filter((part) => part !== undefined).join(": ");
  });
  return problems.length > 0 ? problems.join("; ") : undefined;
}

/** Routers give the HTTP status as the code, since the answer itself had begun as a success. */
function statusIn(code: unknown): number | undefined {
  const status = typeof code === "string" && /^[45]\d\d$/.test(code) ? Number(code) : code;
  return typeof status === "number" && Number.isInteger(status) && status >= 400 && status <= 599
    ? status
    : undefined;
}

/** JSON as its value, anything else as undefined. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
