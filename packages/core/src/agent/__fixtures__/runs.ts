import { isLink, when, type AnyLink } from "../../tools/link.ts";
import { isTool, tool, type AnyTool } from "../../tools/tool.ts";
import type { Message } from "../../values/message.ts";

/** A call as a scripted model sends it. */
export function call(
  action: string,
  given: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return { action, rationale: "Because.", ...given };
}

/** What a conversation says, a line for each message. */
export function said(messages: readonly Message[]): readonly string[] {
  return messages.map(({ role, content }) => `${role}: ${content}`);
}

/** The tools whose outputs a conversation holds, in order. */
export function callers(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ content }) => /^\{"caller":"(\w+)"/.exec(content)?.[1] ?? []);
}

/** What a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown");
}

/** A promise that others settle. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
}

export function deferred<T = void>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/** A promise that nobody settles. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** A tool as untyped code may declare it: the compiler checks none of it. */
export function looseTool(definition: object): AnyTool {
  const made: unknown = Reflect.apply(tool, undefined, [{ description: "", ...definition }]);
  if (!isTool(made)) throw new Error("not a tool");
  return made;
}

/** A link as untyped code may make it. */
export function looseWhen(parent: object, condition: (output: never) => unknown): AnyLink {
  const made: unknown = Reflect.apply(when, undefined, [parent, condition]);
  if (!isLink(made)) throw new Error("not a link");
  return made;
}

/** The same value as a file or another process would give it back. */
export function throughJson<T>(value: T): T {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-return -- plain data comes back as what it was
  return JSON.parse(JSON.stringify(value));
}
