// A process that works on turns of the store at an address, until it is ended.
import { createThreadServer, openStoreAt } from "@roboz/threads/server";

import { quickAgent } from "./quick-agent.ts";

const { store, queue } = await openStoreAt(process.argv[2] ?? "");
const server = await createThreadServer({ store, queue, agents: { standard: quickAgent() } });
await server.start();
process.stdout.write("ready\n");
