import { basename } from "node:path";

import { nodeFileLayer, type FileLayer } from "../file-layer.ts";

/** What goes wrong with a call; of an append, so many bytes are written before. */
export interface Fault {
  readonly error: Error;
  readonly written?: number;
}

/** The file system of the machine, with each call noted as `call name`, and going wrong where `faultAt` says so. */
export function watchedFiles(
  note: (happening: string) => void,
  faultAt: (happening: string) => Fault | undefined = () => undefined,
): FileLayer {
  const happens = (call: string, path: string): Fault | undefined => {
    const happening = `${call} ${basename(path)}`;
    note(happening);
    return faultAt(happening);
  };
  const watch =
    <Rest extends readonly unknown[], T>(
      call: string,
      work: (path: string, ...rest: Rest) => Promise<T>,
    ): ((path: string, ...rest: Rest) => Promise<T>) =>
    async (path, ...rest) => {
      const fault = happens(call, path);
      if (fault !== undefined) throw fault.error;
      return work(path, ...rest);
    };
  return {
    makeFolder: watch("make", nodeFileLayer.makeFolder),
    syncFolder: watch("sync", nodeFileLayer.syncFolder),
    createExclusive: watch("create", nodeFileLayer.createExclusive),
    empty: watch("empty", nodeFileLayer.empty),
    exists: watch("exists", nodeFileLayer.exists),
    read: watch("read", nodeFileLayer.read),
    list: watch("list", nodeFileLayer.list),
    remove: watch("remove", nodeFileLayer.remove),
    openForAppend: watch("open", async (path: string) => {
      const file = await nodeFileLayer.openForAppend(path);
      return {
        append: async (bytes) => {
          const fault = happens("append", path);
          if (fault === undefined) return file.append(bytes);
          await file.append(bytes.subarray(0, fault.written ?? 0));
          throw fault.error;
        },
        sync: watch("sync", () => file.sync()).bind(undefined, path),
        close: watch("close", () => file.close()).bind(undefined, path),
      };
    }),
  };
}

/** An error as the system gives it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
