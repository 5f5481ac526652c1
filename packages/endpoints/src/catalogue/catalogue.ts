import type { LLMEndpoint, TranscriptionEndpoint } from "@roboz/core";

import { type EndpointAdapter } from "./endpoint-adapter.ts";
import { ModelNameError, UnknownModelError } from "./errors.ts";
import {
  type ChatModelSpec,
  checkedModel,
  type ModelSpec,
  type ModelSpecs,
  type TranscriptionModelSpec,
} from "./model-spec.ts";
import { modelNameFault } from "./public-name.ts";

/** The endpoint that a model of a catalogue gives: chat and speech-to-text are told apart by type. */
export type EndpointOf<Spec extends ModelSpec> = Spec extends ChatModelSpec
  ? LLMEndpoint
  : Spec extends TranscriptionModelSpec
    ? TranscriptionEndpoint
    : never;

/** The specs a catalogue lists; a catalogue without models lists specs of either kind. */
export type SpecOf<Models extends ModelSpecs> = [keyof Models] extends [never]
  ? ModelSpec
  : Models[keyof Models];

/** What `configured` sets; what is left out takes these defaults, not the settings of the catalogue it is called on. */
export interface CatalogueConfiguration {
  /** The key to use; without it the provider's environment variable is read, even if the original had a key. */
  readonly apiKey?: string | undefined;
  /** Milliseconds after which a request is given up; 60 000 when left out. */
  readonly timeoutMs?: number | undefined;
  /** Whether chat endpoints may stream; `true` when left out. */
  readonly stream?: boolean | undefined;
}

/** What every catalogue has beside its models. */
export interface CatalogueMembers<Models extends ModelSpecs> {
  /** The provider's name. */
  readonly apiName: string;
  /** The models' specs, in the order of declaration. Frozen. */
  readonly models: readonly SpecOf<Models>[];
  /** The models' specs by attribute name, in the order of declaration. Frozen. */
  readonly modelsByAttribute: Models;
  /** An independent catalogue of the same models, with its own endpoints and clients. */
  readonly configured: (configuration?: CatalogueConfiguration) => Catalogue<Models>;
  /** Name and specs, for `JSON.stringify`; selects no model. */
  readonly toJSON: () => { readonly apiName: string; readonly models: Models };
}

/**
 * The models of one provider, each an attribute. Reading an attribute describes the endpoint, once: every later read gives the identical
 * object. No client is built, no credential read and nothing imported from a provider's SDK until the endpoint is used.
 *
 * Reading an attribute throws what the adapter throws when its settings are wrong, each time until they are right;
 * {@link UnknownModelError} (`endpoints/unknown-model`) for a name that is no model. `Object.keys` lists the models.
 */
export type Catalogue<Models extends ModelSpecs> = CatalogueMembers<Models> & {
  readonly [Attribute in keyof Models]: EndpointOf<Models[Attribute]>;
};

/** What a catalogue is made of. */
export interface CatalogueSettings<Models extends ModelSpecs> {
  /** The service the models are on. */
  readonly adapter: EndpointAdapter;
  /** Attribute name to spec; copied. */
  readonly models: Models;
  /** Whether chat endpoints may stream; `true` when left out. */
  readonly stream?: boolean | undefined;
}

/**
 * Makes a catalogue of models that are on one service. Applications that keep their models in a `models.json` need it not: the generated
 * module, or {@link inventoryCatalogues}, does it for them.
 *
 * @throws ModelNameError (`endpoints/model-name`) for an attribute that is not a public identifier or that every catalogue has;
 * ModelSpecError (`endpoints/model-spec`) for a spec with a wrong value.
 */
export function catalogue<const Models extends ModelSpecs>(
  settings: CatalogueSettings<Models>,
): Catalogue<Models>;
// The seam: attributes are added by name, which no type can follow.
export function catalogue({ adapter, models, stream = true }: CatalogueSettings<ModelSpecs>): object {
  const specs = checkedModels(models);
  const { apiName } = adapter;
  const members: CatalogueMembers<ModelSpecs> = {
    apiName,
    models: Object.freeze(Object.values(specs)),
    modelsByAttribute: specs,
    configured: ({ apiKey, timeoutMs = 60_000, stream: mayStream = true } = {}) =>
      catalogue({ adapter: adapter.configured({ apiKey, timeoutMs }), models: specs, stream: mayStream }),
    toJSON: () => ({ apiName, models: specs }),
  };
  const attributes = {};
  for (const [name, value] of Object.entries(members)) Object.defineProperty(attributes, name, { value });
  for (const [name, spec] of Object.entries(specs)) {
    let endpoint: LLMEndpoint | TranscriptionEndpoint | undefined;
    const get = () => (endpoint ??= describe(adapter, spec, stream));
    Object.defineProperty(attributes, name, { enumerable: true, get });
  }
  return new Proxy(Object.freeze(attributes), {
    get(target, name) {
      // `await` and promise resolution ask every object for `then`; symbols are asked for by the language and by printers.
      if (typeof name === "string" && name !== "then" && !(name in target)) {
        throw new UnknownModelError({ apiName, attribute: name, known: Object.keys(specs) });
      }
      const value: unknown = Reflect.get(target, name);
      return value;
    },
  });
}

function checkedModels(models: ModelSpecs): ModelSpecs {
  const entries = Object.entries(models);
  for (const [attribute] of entries) {
    const fault = modelNameFault(attribute);
    if (fault !== undefined) throw new ModelNameError({ attribute, fault });
  }
  return Object.freeze(Object.fromEntries(entries.map(([name, spec]) => [name, checkedModel(spec)])));
}

function describe(
  adapter: EndpointAdapter,
  spec: ModelSpec,
  stream: boolean,
): LLMEndpoint | TranscriptionEndpoint {
  if (spec.endpointType === "transcription") return adapter.transcriptionEndpoint({ model: spec.modelId });
  const { modelId: model, maxContextTokens, acceptsImages } = spec;
  return adapter.chatEndpoint({ model, maxContextTokens, stream, acceptsImages });
}
