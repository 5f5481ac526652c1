import type { IncomingMessage } from "node:http";

/** A file that came with a request. */
export interface UploadedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What a multipart request had. */
export interface UploadedForm {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, UploadedFile>>;
}

/** A request as a scripted provider got it. */
export interface ProviderRequest {
  readonly method: string;
  /** The path below the base URL, such as `/chat/completions`. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body; empty when there was none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The parts of a multipart body. */
  readonly form: UploadedForm | undefined;
  /** How it ended: fully answered, or the connection was gone before. */
  readonly ended: Promise<"answered" | "abandoned">;
}

/** Reads a request to its end. A body that is neither a JSON object nor multipart counts as none. */
export async function readRequest(
  incoming: IncomingMessage,
  path: string,
  ended: ProviderRequest["ended"],
): Promise<ProviderRequest> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) if (chunk instanceof Uint8Array) chunks.push(chunk);
  const bytes = Buffer.concat(chunks);
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
  );
  const type = headers["content-type"] ?? "";
  return {
    method: incoming.method ?? "",
    path,
    headers,
    body: type.includes("json") ? jsonObject(bytes.toString()) : {},
    form: type.startsWith("multipart/form-data") ? await readForm(bytes, type) : undefined,
    ended,
  };
}

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null ? Object.fromEntries(Object.entries(body)) : {};
  } catch {
    return {};
  }
}

async function readForm(bytes: Uint8Array, type: string): Promise<UploadedForm> {
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- meant against large uploads to servers in use; these are a test's own
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const fields: Record<string, string> = {};
  const files: Record<string, UploadedFile> = {};
  for (const [name, part] of form) {
    if (typeof part === "string") fields[name] = part;
    else {
      files[name] = { name: part.name, type: part.type, bytes: new Uint8Array(await part.arrayBuffer()) };
    }
  }
  return { fields, files };
}
