import type { FileStoreOptions } from "@roboz/core";

/** A file system in memory, for one who opens a file store over many contents. */
export interface HeldFiles {
  readonly contents: Map<string, Buffer>;
  readonly files: NonNullable<FileStoreOptions["files"]>;
}

export function heldFiles(): HeldFiles {
  const contents = new Map<string, Buffer>();
  const done = <T>(result: T): Promise<T> => Promise.resolve(result);
  const change = (path: string, bytes: Uint8Array): Promise<void> => {
    contents.set(path, Buffer.from(bytes));
    return done(undefined);
  };
  return {
    contents,
    files: {
      makeFolder: () => done(undefined),
      syncFolder: () => done(undefined),
      exists: (path) => done(contents.has(path)),
      read: (path) => done(contents.get(path)),
      empty: (path) => change(path, Buffer.alloc(0)),
      remove: (path) => {
        contents.delete(path);
        return done(undefined);
      },
      list: (path) =>
        done(
          [...contents.keys()]
            .filter((name) => name.startsWith(`${path}/`))
            .map((name) => name.slice(path.length + 1)),
        ),
      createExclusive: async (path, text) => {
        if (contents.has(path)) return false;
        await change(path, Buffer.from(text));
        return true;
      },
      openForAppend: async (path) => {
        await change(path, contents.get(path) ?? Buffer.alloc(0));
        return {
          append: (bytes) => change(path, Buffer.concat([contents.get(path) ?? Buffer.alloc(0), bytes])),
          sync: () => done(undefined),
          close: () => done(undefined),
        };
      },
    },
  };
}
