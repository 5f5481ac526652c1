import { checkDependency, isExternalDependency } from "@roboz/core";
import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ServiceFolder } from "./__fixtures__/service-folder.ts";
import { encodeFrame } from "./frames.ts";
import { checkScriptService } from "./script-socket.ts";
import { scriptTool } from "./script-tool.ts";

const greeting = { kind: "greeting", protocol: 2, roboz: "0", timeout_s: 5, max_output_bytes: 4 };
const completed = { kind: "completion", status: "success", exit_code: 0, diagnostic: "" } as const;

let place: ServiceFolder;
beforeEach(() => {
  place = new ServiceFolder();
});
afterEach(async () => {
  await place.close();
});

describe.skipIf(process.platform !== "linux")("a service that does not keep to the protocol", () => {
  it("shed 135: is sent nothing when it speaks another version", async () => {
    const { heard } = await place.pretend({ ...greeting, protocol: 1 });
    const report = await place.call("a.sh");
    expect(report).toMatchObject({ status: "failed", exit_code: null });
    expect(report.output).toMatch(/version 1 of the protocol, not 2.*Nothing was run/);
    await expect(checkScriptService(place.socketPath)).rejects.toMatchObject({ fault: "unavailable" });
    expect(heard()).toBe("");
  });

  it.each([
    { why: "greets with more than it should", given: { ...greeting, pid: 1 } },
    { why: "greets with less", given: { kind: "greeting", protocol: 2 } },
    { why: "does not greet", given: { hello: "world" } },
    { why: "greets with a list", given: [greeting] },
    { why: "says nothing", given: undefined },
  ])("is sent nothing when it $why", async ({ given }) => {
    const { heard } = await place.pretend(given);
    expect(await place.call()).toMatchObject({ status: "failed" });
    expect(heard()).toBe("");
  });

  const output = encodeFrame({ kind: "output", output: "ab" }).toString();
  const completion = `${JSON.stringify(completed)}\n`;

  it.each([
    { why: "goes away at once", script: "a.sh", says: "", heard: "" },
    { why: "goes away in the middle", script: "a.sh", says: output, heard: "ab\n" },
    { why: "goes away in the middle of a frame", script: "a.sh", says: `${output}{"kind`, heard: "ab\n" },
    { why: "says what is no frame", script: "a.sh", says: `${output}hello\n`, heard: "ab\n" },
    {
      why: "says more than it promised",
      script: "a.sh",
      says: output.repeat(7),
      heard: `${"ab".repeat(6)}\n`,
    },
    {
      why: "lists when it should run",
      script: "a.sh",
      says: '{"kind":"entry","script":"x","description":""}\n',
      heard: "",
    },
    { why: "contradicts itself", script: "a.sh", says: completion.replace("0,", "1,"), heard: "" },
    {
      why: "says it listed",
      script: "a.sh",
      says: completion.replace("success", "listed").replace("0,", "null,"),
      heard: "",
    },
  ])("makes the outcome unknown when it $why", async ({ script, says, heard }) => {
    await place.pretend(greeting, (socket) => void socket.end(says));
    const report = await place.call(script);
    expect(report).toMatchObject({ status: "failed", exit_code: null });
    expect(report.output).toMatch(/is unknown; find out before it is run again\.$/);
    expect(report.output.startsWith(`${heard}The connection`)).toBe(true);
  });

  it.each([
    { why: "runs", says: output },
    { why: "says it ran", says: completion },
    { why: "goes away", says: "" },
  ])("fails a list when it $why, and nothing is unknown", async ({ says }) => {
    await place.pretend(greeting, (socket) => void socket.end(says));
    const report = await place.call();
    expect(report.status).toBe("failed");
    expect(report.output).not.toContain("unknown");
  });

  it("lists ten thousand scripts at most", async () => {
    const entry = '{"kind":"entry","script":"x.sh","description":""}\n';
    await place.pretend(greeting, (socket) => socket.end(entry.repeat(10_001)));
    const report = await place.call();
    expect(report).toMatchObject({ status: "failed" });
    expect(report.scripts).toHaveLength(10_000);
  });

  it("keeps the scripts' time and ten seconds, whatever it says", async () => {
    // The patience is a sum, so a time below zero would shorten it; the greeting has none.
    await place.pretend({ ...greeting, timeout_s: -9 });
    expect(await place.call()).toMatchObject({ status: "failed" });
  });

  it("ends a call that is cancelled, at once and with its reason", async () => {
    await place.pretend(greeting, (socket) => socket.write(output));
    const reason = new Error("enough");
    const controller = new AbortController();
    const call = scriptTool({ socketPath: place.socketPath }).invoke(
      { script: "a.sh" },
      {
        signal: controller.signal,
        emit: () => {
          controller.abort(reason);
        },
      },
    );
    await expect(call).rejects.toBe(reason);
    const silent = scriptTool({ socketPath: place.socketPath }).invoke(
      { script: "a.sh" },
      { signal: controller.signal },
    );
    await expect(silent).rejects.toBe(reason);
  });

  it("ends a call whose listener fails, with what it failed with", async () => {
    await place.pretend(greeting, (socket) => socket.write(output));
    const reason = new Error("the log is full");
    const emit = (): never => {
      throw reason;
    };
    await expect(
      scriptTool({ socketPath: place.socketPath }).invoke({ script: "a.sh" }, { emit }),
    ).rejects.toBe(reason);
  });

  it.each([
    { why: "is not there", make: () => Promise.resolve(), reasonCode: "not_found" },
    {
      why: "is a file",
      make: () => writeFile(place.run, ""),
      reasonCode: "connection_failed",
    },
    { why: "left its socket", make: () => place.leaveStale(), reasonCode: "connection_failed" },
    {
      why: "speaks another version",
      make: () => place.pretend({ ...greeting, protocol: 3 }),
      reasonCode: "protocol_error",
    },
    { why: "says nothing", make: () => place.pretend(undefined), reasonCode: "timeout" },
  ])("is unavailable as a dependency when it $why", async ({ make, reasonCode }) => {
    await make();
    const [dependency] = scriptTool({ socketPath: place.socketPath }).externalDependencies();
    if (!isExternalDependency(dependency)) throw new TypeError("no dependency");
    expect(dependency).toMatchObject({
      dependencyId: `script_socket:${place.socketPath}`,
      kind: "network_service",
    });
    expect(dependency.redactedMetadata()).toMatchObject({ displayName: place.socketPath });
    expect(await checkDependency(dependency)).toMatchObject({ reasonCode });
    await expect(checkScriptService(place.socketPath)).rejects.toMatchObject({
      code: "shed/script-service",
      fault: "unavailable",
    });
    await expect(checkScriptService(place.socketPath)).rejects.toThrow(/is unavailable or incompatible: /);
  });

  it("is available as a dependency when it is one, and runs nothing for that", async () => {
    await place.serve();
    const [dependency] = scriptTool({ socketPath: place.socketPath }).externalDependencies();
    if (!isExternalDependency(dependency)) throw new TypeError("no dependency");
    expect(await checkDependency(dependency)).toBeNull();
  });
});
