import { join } from "node:path";
import { expect, it } from "vitest";

import { log, makeProject, row } from "./__fixtures__/project.ts";
import { readConversation } from "./conversation-log.ts";

it("tells a log from what is none, and from what the system does not give, which may be another time", async () => {
  const { put, sandbox } = makeProject();
  const good = put("logs/c1.json", log("c1", [row(1, "Hello.")]));
  expect(await readConversation(good, undefined)).toMatchObject({ conversation_id: "c1" });
  expect(await readConversation(put("logs/half.json", "{"), undefined)).toBe("invalid");
  expect(await readConversation(put("logs/escape.json", log("../x", [])), undefined)).toBe("invalid");
  expect(await readConversation(join(sandbox.logsDir, "none.json"), undefined)).toBe("unreadable");
  expect(await readConversation(sandbox.logsDir, undefined)).toBe("invalid");
});
