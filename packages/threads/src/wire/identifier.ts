import { z } from "zod";

/** The most characters that an identifier or a name has; databases keep them in indexes. */
export const maxIdentifierChars = 256;

/** An identifier that a request brings. */
export const identifierSchema = z.string().min(1).max(maxIdentifierChars);

/** The number of a version, from 1 on. */
export const versionNumberSchema = z.int32().min(1);
