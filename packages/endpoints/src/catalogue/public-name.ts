import { type NameFault } from "./errors.ts";

/** Unicode's identifiers, as ECMAScript takes them, but without `$`, the invisible joiners, and `_` in front. */
const publicIdentifier = /^\p{ID_Start}(?:(?![\u200C\u200D])\p{ID_Continue})*$/u;

/**
 * What a module cannot declare: the reserved words of ECMAScript (2025, section 12.7.2) with those of strict mode and of modules, its
 * literals, and the names that strict mode or the TypeScript compiler will not have bound.
 */
const ecmascriptKeywords = `
  arguments await break case catch class const continue debugger default delete do else enum eval export extends
  false finally for function globalThis if implements import in instanceof interface let new null package private
  protected public return static super switch this throw true try typeof undefined var void while with yield`;

/** The keywords of Python 3, so that one `models.json` serves both releases. */
const pythonKeywords = `
  False None True and as assert async await break class continue def del elif else except finally for from global if
  import in is lambda nonlocal not or pass raise return try while with yield`;

const keywords: ReadonlySet<string> = new Set(
  `${ecmascriptKeywords} ${pythonKeywords}`.split(/\s+/).filter((word) => word !== ""),
);

/** What every catalogue has, in the spelling of this release and of the Python release, and what every object has. */
const reservedModelNames: ReadonlySet<string> = new Set([
  "apiName",
  "api_name",
  "models",
  "modelsByAttribute",
  "models_by_attribute",
  "configured",
  "toJSON",
  "prototype",
  "then", // an object with it looks like a promise
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/** Whether code can export a provider, or name a model, so: a compiler neither refuses nor rewrites the name. */
export function isPublicIdentifier(name: string): boolean {
  return publicIdentifier.test(name) && !keywords.has(name) && name.normalize("NFKC") === name;
}

/** Whether a catalogue has, or must not have, a member of that name. */
export function isReservedModelName(name: string): boolean {
  return reservedModelNames.has(name);
}

/** What keeps a catalogue from having a model of that name. */
export function modelNameFault(name: string): NameFault | undefined {
  if (!isPublicIdentifier(name)) return "identifier";
  return isReservedModelName(name) ? "reserved" : undefined;
}
