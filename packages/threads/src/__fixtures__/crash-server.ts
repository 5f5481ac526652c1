// A server of threads in a process of its own: address of the store, role, port and file of notes are its arguments.
import { createThreadServer } from "../server/thread-server.ts";
import { openStoreAt } from "../server/store-address.ts";
import { crashAgent } from "./crash-agent.ts";

const [address = "", role = "all", port = "0", notes = ""] = process.argv.slice(2);
const { store, queue } = await openStoreAt(address);
const server = await createThreadServer({
  store,
  agents: { standard: crashAgent(notes, 20) },
  queue: role === "api" ? null : queue,
  // A turn may meet any number of kills here; how many it survives is another test's matter.
  lease: { leaseMs: 1500, heartbeatMs: 300, reapMs: 250, attempts: 1_000_000 },
  limits: { requests: null },
  flush: { everyMs: 5, chars: 100 },
});
if (role === "worker") await server.start();
else await server.listen({ port: Number(port) });
process.stdout.write("ready\n");
