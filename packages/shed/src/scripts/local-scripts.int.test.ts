import { Agent, MockLLMEndpoint, stop, type EventSink, type RunEvent } from "@roboz/core";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { eventually, processesWith } from "./__fixtures__/eventually.ts";
import { scriptFolder, type ScriptFolder } from "./__fixtures__/script-folder.ts";
import { scriptContainment } from "./containment.ts";
import { scriptTool } from "./script-tool.ts";

let folder: ScriptFolder;
beforeEach(() => {
  folder = scriptFolder();
});
afterEach(() => {
  folder[Symbol.dispose]();
});

describe("a script", () => {
  it("runs in its working directory, without arguments and input, and tells what it wrote in its order", async () => {
    folder.write(
      "a.sh",
      "echo one",
      "echo two >&2",
      "echo three >/dev/stderr",
      "cat",
      'echo "$0 $# $PWD"',
      "tty",
    );
    expect(await folder.run("a.sh")).toMatchObject({
      status: "failed",
      exit_code: 1,
      scripts: [],
      output: `one\ntwo\nthree\n${folder.scriptsDir}/a.sh 0 ${folder.root}\nnot a tty\n`,
    });
  });

  it("shed 131: sees nothing of the host's variables but those that are allowed, as they are when it starts", async () => {
    folder.write("a.sh", "env | grep -v -e '^_=' -e '^SHLVL=' -e '^PWD=' | sort");
    const environment: Record<string, string> = { FOO: "foo", BAR: "bar baz\n=", HOME: "/h", BASH_ENV: "/x" };
    expect((await folder.run("a.sh", { environment })).output).toBe("LANG=C.UTF-8\nPATH=/usr/bin:/bin\n");
    const allowEnv = ["FOO", "LATER"];
    const tool = scriptTool({ scriptsDir: folder.scriptsDir, environment, allowEnv });
    environment["LATER"] = "late";
    expect((await tool.invoke({ script: "a.sh" })).output).toBe(
      "FOO=foo\nLANG=C.UTF-8\nLATER=late\nPATH=/usr/bin:/bin\n",
    );
  });

  it.each([
    { why: "an exit status", lines: ["exit 7"], exit_code: 7, output: "" },
    {
      why: "a signal",
      lines: ["echo x; kill -9 $$"],
      exit_code: 137,
      output: "x\nThe script was ended by SIGKILL.",
    },
    {
      why: "a mistake",
      lines: ["set -e", "printf x", "nonesuch"],
      exit_code: 127,
      output: /^x.*command not found\n$/,
    },
  ])("has failed by $why", async ({ lines, exit_code, output }) => {
    folder.write("a.sh", ...lines);
    const report = await folder.run("a.sh");
    expect(report).toMatchObject({ status: "failed", exit_code });
    if (typeof output === "string") expect(report.output).toBe(output);
    else expect(report.output).toMatch(output);
  });

  it("is refused, and nothing is run, when its name is a link", async () => {
    folder.write("real/a.sh", "touch ran");
    symlinkSync("real/a.sh", join(folder.scriptsDir, "a.sh"));
    expect(await folder.run("a.sh")).toMatchObject({
      status: "refused",
      exit_code: null,
      output: "The script, or a directory on its way, is a link.",
    });
  });

  it("may have any name", async () => {
    const name = "$(touch x); 'é\n\".sh";
    folder.write(name, "echo ran");
    expect(await folder.run(name)).toMatchObject({ status: "success", output: "ran\n" });
  });

  it("has failed without a status when it cannot be started", async () => {
    folder.write("a.sh", "echo");
    const { scriptsDir } = folder;
    const nowhere = scriptTool({ scriptsDir, cwd: join(folder.root, "none") });
    expect(await nowhere.invoke({ script: "a.sh" })).toMatchObject({
      status: "failed",
      exit_code: null,
      output: "The script could not be started (ENOENT).",
    });
    // What it was started with is free again.
    expect(await nowhere.invoke({ script: "a.sh" })).toMatchObject({ status: "failed" });
    const path = process.env["PATH"];
    try {
      process.env["PATH"] = "/none";
      expect((await folder.run("a.sh")).output).toBe(
        "The script could not be started: bash is not on the PATH.",
      );
    } finally {
      process.env["PATH"] = path;
    }
  });
});

describe("a script's output", () => {
  it("reaches the run's events while it runs", async () => {
    folder.write("a.sh", "echo begun; until [ -e go ]; do sleep 0.02; done; printf 'end\\xff'");
    const events: string[] = [];
    const sink: EventSink = (event: RunEvent) => {
      if (event.type !== "script-output") return;
      if (events.length === 0) writeFileSync(join(folder.root, "go"), "");
      events.push(event.content);
    };
    const agent = new Agent({
      name: "runner",
      systemPrompt: "Run scripts.",
      endpoint: new MockLLMEndpoint([
        { action: "run_shell_script", rationale: "It is time.", script: "a.sh" },
        { action: "stop", rationale: "Done.", value: "done" },
      ]),
      tools: [scriptTool({ scriptsDir: folder.scriptsDir, cwd: folder.root }), stop],
    });
    const { messages } = await agent.complete(undefined, { sinks: [sink] });
    expect(events[0]).toBe("begun\n");
    expect(events.join("")).toBe("begun\nend\ufffd");
    expect(messages.map(({ content }) => content).join("\n")).toContain("begun\\nend\ufffd");
  });

  it.each([
    { why: "the limit", bytes: 1000, status: "success" },
    { why: "one byte more", bytes: 1001, status: "output_limit" },
  ])("may have as many bytes as the limit, and not $why", async ({ bytes, status }) => {
    folder.write("a.sh", `head -c ${bytes} /dev/zero | tr '\\0' x`);
    const report = await folder.run("a.sh", { maxOutputBytes: 1000 });
    expect(report).toMatchObject({ status, exit_code: status === "success" ? 0 : null });
    expect(report.output).toBe("x".repeat(1000));
  });

  it("ends a script that writes for ever, and ignores the request to end", async () => {
    folder.write("a.sh", "trap '' TERM; while :; do echo xxxxxxxxx; done");
    const report = await folder.run("a.sh", { maxOutputBytes: 100_000 });
    expect(report.status).toBe("output_limit");
    expect(report.output).toBe("xxxxxxxxx\n".repeat(10_000));
  });
});

describe("the processes of a script", () => {
  it("shed 132: are gone when it has ended well, and left one behind", async () => {
    folder.write("a.sh", "exec -a left-behind sleep 60 & echo $!");
    const report = await folder.run("a.sh");
    expect(report).toMatchObject({ status: "success", exit_code: 0 });
    expect(report.output).toMatch(/^\d+\n$/);
    expect(processesWith("left-behind")).toEqual([]);
  });

  it.skipIf(process.platform !== "linux")(
    "are gone, also 200 of them in sessions of their own, without parents, variables and descriptors",
    async () => {
      expect(await scriptContainment()).toBe("descendants");
      const left = `tree-of-${process.pid}`;
      folder.write(
        "a.sh",
        `one() { exec -a ${left} sleep 600; }`,
        "export -f one",
        "for i in {1..50}; do",
        "  (one) &",
        "  setsid bash -c one &",
        "  (setsid bash -c one </dev/null >/dev/null 2>&1 &)",
        `  (setsid env -i /bin/bash -c 'trap "" TERM HUP; exec -a ${left} sleep 600' <&- >&- 2>&- &)`,
        "done",
        `until [ "$(pgrep -fc '^${left} 600')" = 200 ]; do sleep 0.05; done`,
        "echo all",
      );
      const report = await folder.run("a.sh");
      expect(report).toMatchObject({ status: "success", output: "all\n" });
      expect(processesWith(left)).toEqual([]);
    },
  );

  it.skipIf(process.platform !== "linux")("are gone when they make ever more of themselves", async () => {
    const left = `bomb-${process.pid}`;
    // Each starts its successor in a session of its own and ends; 8 lines of succession go on at once.
    folder.write(
      "next.sh",
      `# ${left}`,
      "n=$1; (( n > 400 )) && sleep 600",
      'setsid bash "$0" $((n + 1)) </dev/null >/dev/null 2>&1 &',
    );
    folder.write("a.sh", `for i in {1..8}; do setsid bash ${folder.scriptsDir}/next.sh 0 & done; exit 3`);
    expect(await folder.run("a.sh")).toMatchObject({ status: "failed", exit_code: 3 });
    expect(processesWith(folder.scriptsDir)).toEqual([]);
  });

  it("are asked to end, and killed two seconds later when they do not, when the time is over", async () => {
    folder.write("a.sh", "trap 'echo asked' TERM", "echo begun", "while :; do sleep 0.1; done");
    const report = await folder.run("a.sh", { timeoutMs: 300 });
    expect(report).toMatchObject({ status: "timeout", exit_code: null });
    // bash itself says of its children that they were.
    expect(report.output).toMatch(/^begun\n(?:Terminated\n)?asked\n$/);
    expect(processesWith(folder.scriptsDir)).toEqual([]);
  });

  it("may tidy up when they are asked to end", async () => {
    folder.write("a.sh", "trap 'echo tidy; exit 0' TERM", "while :; do sleep 0.1; done");
    const report = await folder.run("a.sh", { timeoutMs: 300 });
    expect(report.status).toBe("timeout");
    expect(report.output).toMatch(/^(?:Terminated\n)?tidy\n$/);
  });

  it.skipIf(process.platform !== "linux")("are gone when the host's process ends before them", async () => {
    folder.write("a.sh", "setsid sleep 600 & sleep 600");
    const program = `
      import { scriptTool } from ${JSON.stringify(new URL("../index.ts", import.meta.url).href)};
      const tool = scriptTool({ scriptsDir: ${JSON.stringify(folder.scriptsDir)} });
      void tool.invoke({ script: "a.sh" });
      setInterval(() => undefined, 1000);
      process.stdin.once("data", () => process.exit(0));`;
    const host = spawn(
      process.execPath,
      [
        "--import",
        import.meta.resolve("tsx"),
        "--conditions=@roboz/source",
        "--input-type=module",
        "-e",
        program,
      ],
      { cwd: new URL("../../../..", import.meta.url), stdio: ["pipe", "inherit", "inherit"] },
    );
    await eventually("the script runs", () => processesWith(`${folder.scriptsDir}/a.sh`).length > 0);
    host.stdin.end("\n");
    await once(host, "exit");
    await eventually("its processes are gone", () => processesWith(folder.scriptsDir).length === 0);
  });
});

describe("a call", () => {
  it("is busy while another one runs, lists meanwhile, and runs again afterwards", async () => {
    folder.write("a.sh", "until [ -e go ]; do sleep 0.02; done");
    folder.write("b.sh", "touch go");
    const tool = scriptTool({ scriptsDir: folder.scriptsDir, cwd: folder.root });
    const first = tool.invoke({ script: "a.sh" });
    await eventually("it runs", () => processesWith(`${folder.scriptsDir}/a.sh`).length > 0);
    expect(await tool.invoke({ script: "b.sh" })).toMatchObject({ status: "busy", exit_code: null });
    expect(await tool.invoke({})).toMatchObject({ status: "listed" });
    expect(await tool.invoke({ script: "none.sh" })).toMatchObject({ status: "refused" });
    expect(await folder.run("b.sh")).toMatchObject({ status: "success" });
    expect(await first).toMatchObject({ status: "success" });
    expect(await tool.invoke({ script: "b.sh" })).toMatchObject({ status: "success" });
  });

  it("throws the reason when it is cancelled, and ends the script first", async () => {
    folder.write("a.sh", "sleep 600");
    const controller = new AbortController();
    const reason = new Error("enough");
    const tool = scriptTool({ scriptsDir: folder.scriptsDir });
    const call = tool.invoke({ script: "a.sh" }, { signal: controller.signal });
    await eventually("it runs", () => processesWith(`${folder.scriptsDir}/a.sh`).length > 0);
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect(processesWith(folder.scriptsDir)).toEqual([]);
    await expect(tool.invoke({ script: "a.sh" }, { signal: controller.signal })).rejects.toBe(reason);
    await expect(tool.invoke({}, { signal: controller.signal })).rejects.toBe(reason);
  });

  it("throws what a listener throws, and ends the script first", async () => {
    folder.write("a.sh", "echo x; sleep 600");
    folder.write("b.sh", "echo x");
    const reason = new Error("the log is full");
    const emit = (): never => {
      throw reason;
    };
    const tool = scriptTool({ scriptsDir: folder.scriptsDir });
    await expect(tool.invoke({ script: "a.sh" }, { emit })).rejects.toBe(reason);
    expect(processesWith(folder.scriptsDir)).toEqual([]);
    await expect(tool.invoke({ script: "b.sh" }, { emit })).rejects.toBe(reason);
    expect(await tool.invoke({ script: "b.sh" })).toMatchObject({ status: "success" });
  });

  it("lists with null as well, and refuses an empty name", async () => {
    folder.write("a.sh", "# Does it.");
    const tool = scriptTool({ scriptsDir: folder.scriptsDir });
    const listed = { status: "listed", scripts: [{ script: "a.sh", description: "Does it." }], output: "" };
    expect(await tool.invoke({})).toMatchObject(listed);
    expect(await tool.invoke({ script: null })).toMatchObject(listed);
    expect(await tool.invoke({ script: "" })).toMatchObject({ status: "refused" });
    rmSync(folder.scriptsDir, { recursive: true });
    expect(await tool.invoke({})).toMatchObject({ status: "listed", scripts: [] });
  });
});
