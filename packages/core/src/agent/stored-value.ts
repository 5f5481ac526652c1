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
  const type = types.get(stored.kind);
  const state = type === undefined ? undefined : typeState(type);
  if (type === undefined || state === undefined) throw new UnknownKindError({ kind: stored.kind });
  const parsed = type.schema.safeParse(stored.fields);
  if (!parsed.success || typeof parsed.data !== "object" || parsed.data === null) {
    throw new SnapshotError(`a stored \`${stored.kind}\` does not fit its type`, { cause: parsed.error });
  }
  return state.adopt(parsed.data, stored.meta);
}
