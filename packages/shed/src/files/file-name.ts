import { isUtf8 } from "node:buffer";

// A name is text in which each byte that is no UTF-8 stands as a lone surrogate, U+DC80 to U+DCFF (Python's
// "surrogateescape"). Tokens never hold lone surrogates, so such a name can be met and handed back, but not typed.
const surrogate = /\p{Surrogate}/u;
const utf8Sequences =
  /[^\x80-\xff]+|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|[\x80-\xff]/g;

/** The text of a file name, from its bytes on disk. Nothing is lost: {@link bytesFromName} gives the same bytes. */
export function nameFromBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  return bytes.toString("latin1").replace(utf8Sequences, (sequence) => {
    const first = sequence.charCodeAt(0);
    if (sequence.length === 1 && first >= 0x80) return String.fromCharCode(0xdc00 + first);
    return Buffer.from(sequence, "latin1").toString("utf8");
  });
}

/** The bytes on disk of a name or path. */
export function bytesFromName(name: string): Buffer {
  if (!surrogate.test(name)) return Buffer.from(name, "utf8");
  const parts: Buffer[] = [];
  for (const character of name) {
    const point = character.codePointAt(0) ?? 0;
    parts.push(
      point >= 0xdc80 && point <= 0xdcff ? Buffer.from([point - 0xdc00]) : Buffer.from(character, "utf8"),
    );
  }
  return Buffer.concat(parts);
}

/** Whether a name can be handed to the system as text; otherwise only its bytes can. */
export function isTextName(name: string): boolean {
  return !surrogate.test(name);
}

/** Compares names or paths by their bytes, as the C locale does. */
export function compareNames(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a === b) continue;
    if (a < 0xd800 && b < 0xd800) return a - b;
    return Buffer.compare(bytesFromName(left), bytesFromName(right));
  }
  return left.length - right.length;
}

/** Compares locations as a walk meets them: component by component, each by its bytes. */
export function compareLocations(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  let at = 0;
  while (at < shared && left.charCodeAt(at) === right.charCodeAt(at)) at++;
  const start = left.lastIndexOf("/", at - 1) + 1;
  return compareNames(nameAt(left, start), nameAt(right, start)) || left.length - right.length;
}

/** The component that begins at a place. */
function nameAt(location: string, start: number): string {
  const end = location.indexOf("/", start);
  return end === -1 ? location.slice(start) : location.slice(start, end);
}

/** The location of an entry of a directory. */
export function childLocation(directory: string, name: string): string {
  return directory === "/" ? `/${name}` : `${directory}/${name}`;
}

/** The location of the directory that holds `location`; `/` holds itself. */
export function parentLocation(location: string): string {
  const slash = location.lastIndexOf("/");
  return slash <= 0 ? "/" : location.slice(0, slash);
}

/** The last component of a location; empty for `/`. */
export function lastName(location: string): string {
  return location.slice(location.lastIndexOf("/") + 1);
}

/** Whether `location` is `directory` or lies below it. */
export function isWithin(location: string, directory: string): boolean {
  if (location.length <= directory.length) return location === directory;
  return location.startsWith(directory) && (directory === "/" || location[directory.length] === "/");
}
