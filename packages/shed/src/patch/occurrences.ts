import { Pace } from "../language/pace.ts";

/** So many bytes are looked at between two looks at the clock. */
const stretch = 1 << 16;

/**
 * Tells of each place where bytes stand in others, from left to right and without overlaps. Whatever the bytes are, each is looked
 * at a few times only (Knuth, Morris and Pratt); the search of `Buffer` takes hours for some.
 *
 * @param old - At least one byte.
 * @throws The signal's reason.
 */
export async function eachOccurrence(
  content: Uint8Array,
  old: Uint8Array,
  { signal, found }: { readonly signal: AbortSignal; readonly found: (at: number) => void },
): Promise<void> {
  if (old.length > content.length) return;
  const pace = new Pace();
  const rest = async (): Promise<void> => {
    await pace.pause(signal);
  };
  // For each beginning of `old`: how much of it stands at its own end as well, and so need not be looked at again.
  const borders = new Int32Array(old.length);
  const matchedWith = (byte: number | undefined, matched: number): number => {
    let length = matched;
    while (length > 0 && byte !== old[length]) length = borders[length - 1] ?? 0;
    return byte === old[length] ? length + 1 : length;
  };
  for (let at = 1; at < old.length; at += 1) {
    if (at % stretch === 0 && pace.isDue) await rest();
    borders[at] = matchedWith(old[at], borders[at - 1] ?? 0);
  }
  let matched = 0;
  for (let at = 0; at < content.length; at += 1) {
    if (at % stretch === 0 && pace.isDue) await rest();
    matched = matchedWith(content[at], matched);
    if (matched < old.length) continue;
    found(at + 1 - old.length);
    matched = 0;
  }
}
