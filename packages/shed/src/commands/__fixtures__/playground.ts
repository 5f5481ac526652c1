import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PermissionPolicy } from "../../permissions/policy.ts";
import type { PermissionPolicySettings } from "../../permissions/policy.ts";
import { runLine } from "./command-run.ts";
import type { CommandResult } from "./command-run.ts";

/** A base with a `notes` folder in which everything is allowed, and a folder outside with a secret. */
export class Playground {
  readonly top = realpathSync(mkdtempSync(join(tmpdir(), "shed-play-")));
  readonly base = join(this.top, "app");
  readonly out = join(this.top, "out");
  /** What the commands run under; rows set another one where they need to. */
  policy: PermissionPolicy;

  constructor() {
    mkdirSync(join(this.base, "notes"), { recursive: true });
    mkdirSync(this.out);
    writeFileSync(join(this.out, "secret.txt"), "OUTSIDE");
    this.policy = this.policyWith({});
  }

  /** A policy that allows everything in `notes`, with changes. */
  policyWith(settings: Partial<PermissionPolicySettings>): PermissionPolicy {
    const allow = [{ pattern: "notes/**", operations: ["read", "create", "delete"] }] as const;
    return new PermissionPolicy({ base: this.base, allow, ...settings });
  }

  allowAll(): void {
    this.policy = this.policyWith({ allow: [{ pattern: "/**", operations: ["read", "create", "delete"] }] });
  }

  path(name: string): string {
    return join(this.base, name);
  }

  write(files: Readonly<Record<string, string | Buffer>>): void {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), content);
    }
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  fifo(name: string): void {
    execFileSync("mkfifo", [this.path(name)]);
  }

  /** Makes a socket; it stays when the server is closed only as long as nobody removes it. */
  async socket(name: string): Promise<() => void> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(this.path(name), resolve));
    return () => void server.close();
  }

  run(line: string, stdin?: string | Buffer): Promise<CommandResult> {
    return runLine(line, {
      policy: this.policy,
      stdin: typeof stdin === "string" ? Buffer.from(stdin) : stdin,
    });
  }

  /** Runs a command, and does something between the decision and the effect. */
  runBetween(line: string, between: () => void): Promise<CommandResult> {
    return runLine(line, { policy: this.policy, between });
  }

  secret(): string {
    return readFileSync(join(this.out, "secret.txt"), "utf8");
  }

  remove(): void {
    rmSync(this.top, { recursive: true, force: true });
  }
}
