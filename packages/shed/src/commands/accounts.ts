import { readFileSync } from "node:fs";

/** The names of users and groups by their numbers, as the local account files have them. */
export interface Accounts {
  readonly user: (id: bigint) => string;
  readonly group: (id: bigint) => string;
}

/** Reads the account files afresh; numbers without a name stay numbers. */
export function readAccounts(): Accounts {
  const users = namesIn("/etc/passwd");
  const groups = namesIn("/etc/group");
  return {
    user: (id) => users.get(String(id)) ?? String(id),
    group: (id) => groups.get(String(id)) ?? String(id),
  };
}

/** Lines of `name:password:number:…`; the first name of a number counts. */
function namesIn(path: string): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return names;
  }
  for (const line of text.split("\n")) {
    const [name, , id] = line.split(":");
    if (name !== undefined && id !== undefined && !names.has(id)) names.set(id, name);
  }
  return names;
}
