import type { TokenGrant } from "@roboz/threads/server";

import { ThreadsTokenError } from "../errors.ts";
import type { TerminalOutput } from "../terminal.ts";
import { withThreadStore } from "./with-store.ts";

/** What a new token is asked for with. */
export interface AskedToken {
  readonly user: string;
  readonly orgs: readonly string[];
  readonly admin: boolean;
  /** Days until it ends; undefined for never. */
  readonly days: number | undefined;
  readonly json: boolean;
}

const dayMs = 24 * 60 * 60 * 1000;

/** Makes a token and prints it: it is not seen again. */
export async function makeToken(
  database: string | undefined,
  { user, orgs, admin, days, json }: AskedToken,
  { output, errors }: { readonly output: TerminalOutput; readonly errors: TerminalOutput },
): Promise<void> {
  const grant: TokenGrant = {
    userId: user,
    orgs,
    admin,
    expires: days === undefined ? null : new Date(Date.now() + days * dayMs).toISOString(),
  };
  const { tokenId, token } = await withThreadStore(database, (store, { createToken }) =>
    store.write((transaction) => createToken(transaction, grant)),
  );
  if (json) {
    output.write(`${JSON.stringify({ tokenId, token, ...grant }, null, 2)}\n`);
    return;
  }
  output.write(`${token}\n`);
  errors.write(
    `Token ${tokenId} for ${user} in ${orgs.join(", ")}. It is shown this once; the store keeps its hash.\n`,
  );
}

/**
 * Ends a token.
 *
 * @throws {@link ThreadsTokenError} (`cli/threads-token`) when there is none.
 */
export async function endToken(
  database: string | undefined,
  tokenId: string,
  output: TerminalOutput,
): Promise<void> {
  const isRevoked = await withThreadStore(database, (store, { revokeToken }) =>
    store.write((transaction) => revokeToken(transaction, tokenId)),
  );
  if (!isRevoked) throw new ThreadsTokenError({ tokenId });
  output.write(`Revoked: ${tokenId}\n`);
}
