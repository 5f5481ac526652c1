import { EndpointsError } from "../errors.ts";
import { type CatalogueLocation, quoteName } from "./catalogue-text.ts";

/**
 * The base of what can be wrong in the text of a model catalogue. The message starts with the file, line and column, then
 * names the field; it never shows a value.
 */
export abstract class CatalogueError extends EndpointsError {
  /** The file as the caller named it; `undefined` for text that came from no file. */
  readonly file: string | undefined;
  /** The field, such as `providers.groq.models.chat.max_context_tokens`; the root is `inventory`. */
  readonly path: string;
  /** Counts from 1. */
  readonly line: number;
  /** Counts from 1, in UTF-16 units, as editors do. */
  readonly column: number;

  constructor(where: CatalogueLocation, problem: string, options?: ErrorOptions) {
    const { file, path, line, column } = where;
    const place = file === undefined ? `${line}:${column}` : `${file}:${line}:${column}`;
    super(`${place}: \`${path}\` ${problem}`, options);
    this.file = file;
    this.path = path;
    this.line = line;
    this.column = column;
  }
}

/** The text is no JSON: malformed, not UTF-8, with a byte-order mark, or nested too deep. */
export class CatalogueSyntaxError extends CatalogueError {
  readonly code = "endpoints/catalogue-syntax";
}

/** One object has the same name twice; `path` names the second. */
export class CatalogueDuplicateKeyError extends CatalogueError {
  readonly code = "endpoints/catalogue-duplicate-key";

  constructor(where: CatalogueLocation) {
    super(where, "stands twice in the same object; keep one of the two");
  }
}

/** The object at `path` lacks fields it must have. */
export class CatalogueMissingFieldError extends CatalogueError {
  readonly code = "endpoints/catalogue-missing-field";
  /** Sorted. */
  readonly fields: readonly string[];

  constructor(where: CatalogueLocation, fields: readonly string[]) {
    super(where, `has missing fields: ${list(fields)}`);
    this.fields = fields;
  }
}

/** The object at `path` has fields that schema 1 does not know; credentials, headers and prices have no place in it. */
export class CatalogueUnknownFieldError extends CatalogueError {
  readonly code = "endpoints/catalogue-unknown-field";
  /** Sorted. */
  readonly fields: readonly string[];

  constructor(where: CatalogueLocation, fields: readonly string[], known: readonly string[]) {
    super(where, `has unknown fields: ${list(fields)}; it may have ${list(known)}`);
    this.fields = fields;
  }
}

/** The value at `path` has the wrong type or is out of range. */
export class CatalogueValueError extends CatalogueError {
  readonly code = "endpoints/catalogue-value";
}

/** What is wrong with the name of a provider or a model. */
export type NameFault = "identifier" | "reserved";

/** A provider or model in the object at `path` has a name that code could not use. */
export class CatalogueNameError extends CatalogueError {
  readonly code = "endpoints/catalogue-name";
  /** The refused name. */
  readonly attribute: string;
  /** `identifier` when no code could use the name, `reserved` when the catalogue has a member of that name. */
  readonly fault: NameFault;

  constructor(
    where: CatalogueLocation,
    refused: { readonly kind: "provider" | "model"; readonly name: string; readonly fault: NameFault },
  ) {
    super(
      where,
      `has an invalid ${refused.kind} attribute ${quoteName(refused.name)}: ${hint[refused.fault]}`,
    );
    this.attribute = refused.name;
    this.fault = refused.fault;
  }
}

/** The fields of a model spec. */
export type ModelSpecField = "modelId" | "maxContextTokens" | "acceptsImages";

/** A model spec was given a value it cannot have. */
export class ModelSpecError extends EndpointsError {
  readonly code = "endpoints/model-spec";
  readonly field: ModelSpecField;

  constructor({ field, problem }: { readonly field: ModelSpecField; readonly problem: string }) {
    super(`\`${field}\` of a model spec ${problem}`);
    this.field = field;
  }
}

/** A catalogue was given a model under a name it cannot have. */
export class ModelNameError extends EndpointsError {
  readonly code = "endpoints/model-name";
  /** The refused name. */
  readonly attribute: string;
  /** `identifier` when no code could use the name, `reserved` when the catalogue has a member of that name. */
  readonly fault: NameFault;

  constructor({ attribute, fault }: { readonly attribute: string; readonly fault: NameFault }) {
    super(`A catalogue was given an invalid model attribute ${quoteName(attribute)}: ${hint[fault]}`);
    this.attribute = attribute;
    this.fault = fault;
  }
}

/** A catalogue was asked for a model it does not have. */
export class UnknownModelError extends EndpointsError {
  readonly code = "endpoints/unknown-model";
  readonly apiName: string;
  /** The name that was asked for. */
  readonly attribute: string;

  constructor(asked: {
    readonly apiName: string;
    readonly attribute: string;
    readonly known: readonly string[];
  }) {
    const { apiName, attribute, known } = asked;
    const offer = known.length === 0 ? "no models" : list(known);
    super(`The catalogue \`${apiName}\` has no model ${quoteName(attribute)}; it has ${offer}`);
    this.apiName = apiName;
    this.attribute = attribute;
  }
}

/** No chat model has the name that was chosen at run time. */
export class ModelChoiceError extends EndpointsError {
  readonly code = "endpoints/model-choice";
  /** The name that was asked for. */
  readonly asked: string;
  /** The names of the chat models there are, as `provider.model`. */
  readonly known: readonly string[];

  constructor({ asked, known }: { readonly asked: string; readonly known: readonly string[] }) {
    const offer = known.length === 0 ? "the catalogue has none" : `there are ${list(known)}`;
    super(`${quoteName(asked)} is no chat model of the catalogue; ${offer}`);
    this.asked = asked;
    this.known = known;
  }
}

/** Why a file of a model catalogue was not read or not written. */
export type CatalogueFileFault =
  | "missing"
  | "unreadable"
  | "unwritable"
  | "not-a-file"
  | "link"
  | "exists"
  | "not-generated"
  | "inside-package"
  | "output-name"
  | "same-file";

/** A catalogue's JSON or module could not be read or may not be written; what was there is unchanged. */
export class CatalogueFileError extends EndpointsError {
  readonly code = "endpoints/catalogue-file";
  readonly file: string;
  readonly fault: CatalogueFileFault;

  constructor(refused: {
    readonly file: string;
    readonly fault: CatalogueFileFault;
    readonly cause?: unknown;
  }) {
    const { file, fault, cause } = refused;
    super(`\`${file}\` ${fileProblem[fault]}`, cause === undefined ? undefined : { cause });
    this.file = file;
    this.fault = fault;
  }
}

/** Every error class of catalogues. */
export type AnyCatalogueError =
  | CatalogueSyntaxError
  | CatalogueDuplicateKeyError
  | CatalogueMissingFieldError
  | CatalogueUnknownFieldError
  | CatalogueValueError
  | CatalogueNameError
  | ModelChoiceError
  | ModelSpecError
  | ModelNameError
  | UnknownModelError
  | CatalogueFileError;

const hint: Readonly<Record<NameFault, string>> = {
  identifier:
    "it must be an identifier in Unicode NFKC form, without `$` or a leading underscore, and no keyword of JavaScript or Python",
  reserved: "every catalogue has a member of that name",
};

const fileProblem: Readonly<Record<CatalogueFileFault, string>> = {
  missing: "does not exist",
  unreadable: "cannot be read",
  unwritable: "cannot be written; the directory must exist and be writable",
  "not-a-file": "is not a regular file",
  link: "is a symbolic link; name the file or directory it leads to",
  exists: "exists already and is never replaced; delete it first, or choose another path",
  "not-generated":
    "was not generated by this command and is not replaced; delete it first, or choose another path",
  "inside-package": "is inside the installed package; choose a path in the project",
  "output-name":
    "cannot be the generated module: its name must be an identifier other than `roboz`, followed by `.ts`",
  "same-file": "is the catalogue's JSON; choose another path for the module",
};

function list(names: readonly string[]): string {
  return names.map((name) => (/^[\w.]+$/.test(name) ? `\`${name}\`` : quoteName(name))).join(", ");
}
