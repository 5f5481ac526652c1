/** A text, and where in an original its characters come from. */
export interface Layer {
  readonly text: string;
  /** The place in the original of the text from `start` to `end`. */
  readonly origin: (start: number, end: number) => Range;
}

/** A part of a text; the end is not in it. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** How often one encoding is undone inside another: JSON in JSON in a URL. */
const maxLayers = 4;

const percentRun = /^(?:%[0-9a-f]{2})+$/i;
const byteRun = /^(?:\\x[0-9a-f]{2})+$/i;
const encoded =
  /\r\n|(?:%[0-9a-f]{2})+|(?:\\x[0-9a-f]{2})+|\\u\{[0-9a-f]{1,6}\}|\\u[0-9a-f]{4}|\\["'`\\/bfnrtv]|&#x[0-9a-f]{1,6};|&#\d{1,7};|&(?:amp|lt|gt|quot|apos|nbsp);/gi;

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
};

/** A text as it is, and as it reads with its encodings undone once, twice, and so on. */
export function layersOf(text: string): readonly Layer[] {
  let layer: Layer = { text, origin: (start, end) => ({ start, end }) };
  const layers = [layer];
  while (layers.length < maxLayers) {
    const next = decodedLayer(layer);
    if (next === undefined) break;
    layers.push(next);
    layer = next;
  }
  return layers;
}

/** A text with its encodings undone once; the text itself when it has none. */
export function decodedOnce(text: string): string {
  return decodedLayer({ text, origin: (start, end) => ({ start, end }) })?.text ?? text;
}

function decodedLayer(layer: Layer): Layer | undefined {
  const pieces: string[] = [];
  /** For each character, where it starts and ends in the layer below. */
  const starts: number[] = [];
  const ends: number[] = [];
  let from = 0;
  const take = (text: string, start: number, end: number): void => {
    pieces.push(text);
    starts.push(...Array<number>(text.length).fill(start));
    ends.push(...Array<number>(text.length).fill(end));
  };
  const keep = (to: number): void => {
    if (to === from) return;
    pieces.push(layer.text.slice(from, to));
    for (let at = from; at < to; at += 1) {
      starts.push(at);
      ends.push(at + 1);
    }
  };
  for (const match of layer.text.matchAll(encoded)) {
    const [token] = match;
    keep(match.index);
    from = match.index + token.length;
    if (percentRun.test(token)) takeBytes(token, 3, match.index, take);
    else if (byteRun.test(token)) takeBytes(token, 4, match.index, take);
    else take(characterOf(token), match.index, from);
  }
  if (from === 0) return undefined;
  keep(layer.text.length);
  return {
    text: pieces.join(""),
    origin: (start, end) => layer.origin(starts[start] ?? 0, ends[end - 1] ?? layer.text.length),
  };
}

/** What an escape or entity of one character stands for. */
function characterOf(token: string): string {
  if (token === "\r\n") return "\n";
  if (token.startsWith("\\u")) return fromCode(parseInt(token.replace(/[\\u{}]/gi, ""), 16), token);
  if (token.startsWith("\\")) return escapes[token.slice(1)] ?? token.slice(1);
  if (token.startsWith("&#x") || token.startsWith("&#X"))
    return fromCode(parseInt(token.slice(3, -1), 16), token);
  if (token.startsWith("&#")) return fromCode(Number(token.slice(2, -1)), token);
  return entities[token.slice(1, -1).toLowerCase()] ?? token;
}

function fromCode(code: number, token: string): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : token;
}

/** Takes a run of bytes as UTF-8, and each byte that is none as Latin-1. */
function takeBytes(
  token: string,
  width: number,
  at: number,
  take: (text: string, start: number, end: number) => void,
): void {
  const bytes = Array.from({ length: token.length / width }, (_, index) =>
    parseInt(token.slice((index + 1) * width - 2, (index + 1) * width), 16),
  );
  for (let index = 0; index < bytes.length;) {
    const { text, length } = characterAt(bytes, index);
    take(text, at + index * width, at + (index + length) * width);
    index += length;
  }
}

function characterAt(
  bytes: readonly number[],
  index: number,
): { readonly text: string; readonly length: number } {
  const lead = bytes[index] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  const sequence = bytes.slice(index, index + length);
  if (length > 1 && sequence.length === length) {
    const text = new TextDecoder().decode(Uint8Array.from(sequence));
    if (!text.includes("\ufffd")) return { text, length };
  }
  return { text: String.fromCharCode(lead), length: 1 };
}
