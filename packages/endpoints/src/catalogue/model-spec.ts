import { ModelSpecError } from "./errors.ts";

/** A chat model as a catalogue describes it. Frozen data: no client, no credential. */
export interface ChatModelSpec {
  readonly endpointType: "llm";
  /** The model's name at the provider, kept as given. */
  readonly modelId: string;
  /** The context window in tokens, above 0. */
  readonly maxContextTokens: number;
  /** Whether messages may carry images; never inferred from a model's name. */
  readonly acceptsImages: boolean;
}

/** A speech-to-text model as a catalogue describes it. Frozen data: no client, no credential. */
export interface TranscriptionModelSpec {
  readonly endpointType: "transcription";
  /** The model's name at the provider, kept as given. */
  readonly modelId: string;
}

/** A model of a catalogue; `endpointType` tells the two kinds apart. */
export type ModelSpec = ChatModelSpec | TranscriptionModelSpec;

/** Attribute name to model, in the order of declaration. */
export type ModelSpecs = Readonly<Record<string, ModelSpec>>;

/** What a chat model is described by. */
export interface ChatModelSettings {
  /** The model's name at the provider; not blank. */
  readonly modelId: string;
  /** The context window in tokens: a whole number above 0. */
  readonly maxContextTokens: number;
  /** Whether messages may carry images; `false` when left out. */
  readonly acceptsImages?: boolean | undefined;
}

/** What a speech-to-text model is described by. */
export interface TranscriptionModelSettings {
  /** The model's name at the provider; not blank. */
  readonly modelId: string;
}

/**
 * Describes a chat model for a catalogue. Two specs are the same when their fields are.
 *
 * @throws ModelSpecError (`endpoints/model-spec`) when `modelId` is blank, `maxContextTokens` is not a whole number from 1 to
 * `Number.MAX_SAFE_INTEGER`, or `acceptsImages` is not a boolean.
 */
export function chatModel(settings: ChatModelSettings): ChatModelSpec {
  const { modelId, maxContextTokens, acceptsImages = false } = settings;
  checkModelId(modelId);
  if (!Number.isSafeInteger(maxContextTokens) || maxContextTokens <= 0) {
    throw new ModelSpecError({ field: "maxContextTokens", problem: "must be a whole number above 0" });
  }
  checkBoolean("acceptsImages", acceptsImages);
  return Object.freeze({ endpointType: "llm", modelId, maxContextTokens, acceptsImages });
}

/**
 * Describes a speech-to-text model for a catalogue. Two specs are the same when their fields are.
 *
 * @throws ModelSpecError (`endpoints/model-spec`) when `modelId` is blank.
 */
export function transcriptionModel(settings: TranscriptionModelSettings): TranscriptionModelSpec {
  const { modelId } = settings;
  checkModelId(modelId);
  return Object.freeze({ endpointType: "transcription", modelId });
}

/** The same spec, checked and frozen, whoever made the given one. */
export function checkedModel(spec: ModelSpec): ModelSpec {
  return spec.endpointType === "llm" ? chatModel(spec) : transcriptionModel(spec);
}

// Callers without types pass anything, so both checks take `unknown`.

function checkModelId(modelId: unknown): void {
  if (typeof modelId === "string" && modelId.trim() !== "") return;
  throw new ModelSpecError({ field: "modelId", problem: "must be text that is not blank" });
}

function checkBoolean(field: "acceptsImages", value: unknown): void {
  if (typeof value === "boolean") return;
  throw new ModelSpecError({ field, problem: "must be true or false" });
}
