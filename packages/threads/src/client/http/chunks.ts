/** The bytes of a body as they come; leaving the loop lets go of the connection. `watch` is called before each wait, and what it returns after it. */
export async function* chunksOf(
  body: ReadableStream<unknown>,
  watch: () => () => void = () => () => undefined,
): AsyncGenerator<Uint8Array, void> {
  // Not every browser lets one loop over a body.
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().finally(watch());
      if (done) return;
      if (value instanceof Uint8Array) yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
