const sentences: Readonly<Record<string, string>> = {
  EACCES: "Permission denied",
  EAGAIN: "Resource temporarily unavailable",
  EBUSY: "Device or resource busy",
  EDQUOT: "Disk quota exceeded",
  EEXIST: "File exists",
  EFBIG: "File too large",
  EINVAL: "Invalid argument",
  EIO: "Input/output error",
  EISDIR: "Is a directory",
  ELOOP: "Too many levels of symbolic links",
  EMFILE: "Too many open files",
  EMLINK: "Too many links",
  ENAMETOOLONG: "File name too long",
  ENFILE: "Too many open files in system",
  ENODEV: "No such device",
  ENOENT: "No such file or directory",
  ENOSPC: "No space left on device",
  ENOTDIR: "Not a directory",
  ENOTEMPTY: "Directory not empty",
  ENXIO: "No such device or address",
  EPERM: "Operation not permitted",
  EROFS: "Read-only file system",
  ESTALE: "Stale file handle",
  ETXTBSY: "Text file busy",
  EXDEV: "Invalid cross-device link",
};

/** The code of an error of the operating system, such as `"ENOENT"`; `undefined` for any other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error) || !("syscall" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** What the C library says about a system error; `undefined` when `error` is something else. */
export function systemSentence(error: unknown): string | undefined {
  if (error instanceof FileChangedError || error instanceof LinkOnPathError) return error.message;
  const code = systemCode(error);
  return code === undefined ? undefined : (sentences[code] ?? code);
}

/** Makes the error the system would give, for what is found out before the system is asked. */
export function systemError(code: string): Error {
  return Object.assign(new Error(sentences[code] ?? code), { code, syscall: "check" });
}

/**
 * What stands at a place is no longer what was checked: replaced by another object, by a link, or by something
 * of another kind. The work that met it stops there.
 */
export class FileChangedError extends Error {
  readonly location: string;

  constructor(location: string) {
    super("Changed since it was checked");
    this.name = "FileChangedError";
    this.location = location;
  }
}

/** A path leads through a symbolic link. */
export class LinkOnPathError extends Error {
  /** Where the link stands. */
  readonly location: string;

  constructor(location: string) {
    super("Symbolic links are not followed");
    this.name = "LinkOnPathError";
    this.location = location;
  }
}
