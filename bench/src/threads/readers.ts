import { Child } from "./child.ts";

const processes = 5;

/** What readers that wait cost a server. */
export interface ReaderFigures {
  readonly readers: number;
  /** Resident memory of the server for each, in kilobytes. */
  readonly kilobytes: number;
  /** Of one core, while nothing happens. */
  readonly idleCore: number;
  /** From the model's answer until the last reader has all of it, in milliseconds. */
  readonly fanOutMs: number;
}

/** Opens streams of one thread from processes of their own, and lets its model answer. */
export async function measureReaders(address: string, readers: number): Promise<ReaderFigures> {
  const server = new Child("stream-server", [address]);
  const children: Child[] = [];
  try {
    const { url, token } = fieldsOf(await server.line());
    const headers = { authorization: `Bearer ${String(token)}`, "content-type": "application/json" };
    const body = JSON.stringify({
      messages: [{ role: "user", content: [{ content_type: "text", text: "Hello?" }] }],
    });
    const response = await fetch(`${String(url)}/v1/ai/threads`, { method: "POST", headers, body });
    const data: unknown = Reflect.get(Object(await response.json()), "data");
    const [threadId, next] = ["thread_id", "continuation_token"].map((name) =>
      String(Reflect.get(Object(data), name)),
    );
    const path = `/v1/ai/threads/${threadId ?? ""}/stream?next_token=${next ?? ""}`;
    const before = Number(fieldsOf(await server.ask("memory"))["bytes"]);
    const each = String(readers / processes);
    for (let index = 0; index < processes; index += 1)
      children.push(new Child("stream-readers", [String(url), String(token), path, each]));
    for (const child of children) await child.line();
    const after = Number(fieldsOf(await server.ask("memory"))["bytes"]);
    const idleMs = 5000;
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    const cpuMs = Number(fieldsOf(await server.ask("memory"))["cpuMs"]);
    const startedAt = performance.now();
    const answered = server.ask("answer");
    for (const child of children) await child.line();
    const fanOutMs = performance.now() - startedAt;
    await answered;
    return { readers, kilobytes: (after - before) / readers / 1000, idleCore: cpuMs / idleMs, fanOutMs };
  } finally {
    for (const child of [...children, server]) await child.end();
  }
}

function fieldsOf(line: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(line);
  if (typeof parsed !== "object" || parsed === null) throw new Error(`A child said ${line}`);
  return { ...parsed };
}
