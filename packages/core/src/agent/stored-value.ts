import { metadataFor } from "../values/metadata.ts";
import { SnapshotError, UnknownKindError } from "./errors.ts";
import { kindOf, metadataOf, typeState, type AnyValue, type AnyValueType } from "../values/value.ts";
import type { StoredValue } from "./snapshot.ts";

/** A value as plain JSON. */
export function storeValue(value: AnyValue): StoredValue {
  const meta = metadataOf(value);
  const stored = { kind: kindOf(value), fields: { ...value } };
  return Object.keys(meta).length === 0 ? stored : { ...stored, meta };
}

/**
 * The value that was stored.
 *
 * @throws {@link UnknownKindError} (`core/unknown-kind`) when no type of this agent has the kind;
 * {@link SnapshotError} (`core/snapshot`) when the fields do not fit.
 */
export function restoreValue(stored: StoredValue, types: ReadonlyMap<string, AnyValueType>): AnyValue {
  const state = typeState(types.get(stored.kind));
  if (state === undefined) throw new UnknownKindError({ kind: stored.kind });
  const misfit = (cause: unknown): SnapshotError =>
    new SnapshotError(`a stored \`${stored.kind}\` does not fit its type`, { cause });
  const parsed = state.parse(stored.fields);
  if ("problem" in parsed) throw misfit(parsed.problem);
  try {
    const { meta } = stored;
    return state.adopt(parsed.fields, meta === undefined ? undefined : metadataFor(stored.kind, meta));
  } catch (cause) {
    throw misfit(cause);
  }
}
