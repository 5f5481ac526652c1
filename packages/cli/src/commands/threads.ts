import { command, group, listOption, textOption, wholeNumberOption } from "../command.ts";
import { UsageError } from "../errors.ts";

const databaseOption = textOption(
  "db",
  "sqlite:PATH or postgres://…; by default $ROBOZ_THREADS_DB, else sqlite:threads.db",
);

const migrate = command({
  usage: "migrate",
  describe: "Bring the tables of a store to this release, and make them where there are none",
  options: (yargs) => yargs.option("db", databaseOption),
  run: async ({ db }, { terminal }) => {
    const { withThreadStore } = await import("../threads/with-store.ts");
    await withThreadStore(db, () => Promise.resolve());
    terminal.output.write("The tables are those of this release.\n");
  },
});

const createToken = command({
  usage: "create",
  describe: "Make a bearer token, and print it once",
  options: (yargs) =>
    yargs
      .option("db", databaseOption)
      .option("user", { ...textOption("user", "Id of the user it speaks for"), demandOption: true })
      .option("org", {
        ...listOption("org", "Id of an organisation the user belongs to"),
        demandOption: true,
      })
      .option("admin", { type: "boolean", describe: "Let it read and cancel all threads" })
      .option("days", wholeNumberOption("days", "Days until it ends; by default it does not"))
      .option("json", { type: "boolean", describe: "Print it as JSON" }),
  run: async ({ db, user, org, admin = false, days, json = false }, { terminal }) => {
    if (org.length === 0) throw new UsageError("`--org` needs a value");
    const { makeToken } = await import("../threads/tokens.ts");
    await makeToken(db, { user, orgs: org, admin, days, json }, terminal);
  },
});

const revokeToken = command({
  usage: "revoke <id>",
  describe: "End a token for good",
  options: (yargs) =>
    yargs
      .positional("id", {
        type: "string",
        demandOption: true,
        describe: "The token's id, as `create` printed it",
      })
      .option("db", databaseOption),
  run: async ({ db, id }, { terminal }) => {
    const { endToken } = await import("../threads/tokens.ts");
    await endToken(db, id, terminal.output);
  },
});

/** `threads`: durable threads on a server. */
export const threads = group("threads", "Serve durable threads, talk to them, and make tokens", [
  group("token", "Make and revoke bearer tokens", [createToken, revokeToken]),
  migrate,
]);
