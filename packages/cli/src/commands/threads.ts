import {
  choiceOption,
  command,
  group,
  listOption,
  secondsOption,
  textOption,
  wholeNumberOption,
} from "../command.ts";
import { UsageError } from "../errors.ts";

const databaseOption = textOption(
  "db",
  "sqlite:PATH or postgres://…; by default $ROBOZ_THREADS_DB, else sqlite:threads.db",
);

const serve = command({
  usage: "serve",
  describe: "Serve threads, and work on their turns",
  options: (yargs) =>
    yargs
      .option("db", databaseOption)
      .option(
        "agents",
        textOption("agents", "Module that exports deployable agents; by default agents.ts or agents.js"),
      )
      .option("host", textOption("host", "Address to listen on; by default this machine alone can reach it"))
      .option("port", wholeNumberOption("port", "Port to listen on, 0 for any that is free; 8080 by default"))
      .option(
        "role",
        choiceOption("role", "What this process does; with PostgreSQL any number may do either", [
          "all",
          "api",
          "worker",
        ]),
      )
      .option(
        "turns",
        wholeNumberOption("turns", "Turns that this process works on at once; 64 by default", 1),
      )
      .option(
        "turns-per-org",
        wholeNumberOption(
          "turns-per-org",
          "Turns of one organisation at once, over all processes; 32 by default",
          1,
        ),
      )
      .option("steps", wholeNumberOption("steps", "Steps of one turn; 100 by default", 1))
      .option("turn-s", secondsOption("turn-s", "Seconds of work on one turn; 1800 by default"))
      .option(
        "client-tool-s",
        secondsOption(
          "client-tool-s",
          "Seconds that a turn waits for its client tools; by default as long as it takes",
        ),
      )
      .option(
        "streams",
        wholeNumberOption("streams", "Streams that one token's owner may have open; 20 by default", 1),
      )
      .option(
        "requests-per-s",
        wholeNumberOption(
          "requests-per-s",
          "Requests that one token's owner may make each second, four times as many at once; 100 by default",
          1,
        ),
      )
      .option(
        "body-bytes",
        wholeNumberOption("body-bytes", "Bytes that the body of a request may have; 4194304 by default", 1),
      ),
  run: async ({ db, agents, host = "127.0.0.1", port = 8080, role, ...given }, context) => {
    const { serveThreads } = await import("../threads/serve.ts");
    const limits = {
      concurrency: given.turns,
      perOrg: given["turns-per-org"],
      steps: given.steps,
      turnSeconds: given["turn-s"],
      clientToolSeconds: given["client-tool-s"],
      streams: given.streams,
      requestsPerSecond: given["requests-per-s"],
      bodyBytes: given["body-bytes"],
    };
    await serveThreads({ database: db, module: agents, host, port, role, limits }, context);
  },
});

const chat = command({
  usage: "chat",
  describe: "Talk to an agent on a server, with the token in $ROBOZ_THREADS_TOKEN",
  options: (yargs) =>
    yargs
      .option("url", textOption("url", "The server; by default http://127.0.0.1:8080"))
      .option("thread", textOption("thread", "Id of a thread to go on with; by default a new one is started"))
      .option("org", textOption("org", "Organisation to act in, for a token of several"))
      .option(
        "profile",
        textOption("profile", "Model profile of a new thread, by which the server names its agents"),
      )
      .option("message", textOption("message", "Say this, and end when it is answered")),
  run: async ({ url = "http://127.0.0.1:8080", thread, org, profile, message }, context) => {
    const { chatInTerminal } = await import("../threads/chat.ts");
    await chatInTerminal({ url, threadId: thread, orgId: org, profile, message }, context);
  },
});

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
  serve,
  chat,
  group("token", "Make and revoke bearer tokens", [createToken, revokeToken]),
  migrate,
]);
