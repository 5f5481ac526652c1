// Packs the package in the current folder and checks the tarball as its users' tools will read it.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pinnedPnpm, readManifest, root } from "./workspace.mjs";

const bin = join(root, "node_modules", ".bin");
const { name } = readManifest(process.cwd());
const folder = mkdtempSync(join(tmpdir(), "roboz-pack-"));
try {
  const pack = pinnedPnpm(["pack", "--pack-destination", folder]);
  passes("packing", pack.file, pack.args);
  const tarballs = readdirSync(folder).map((file) => join(folder, file));
  if (tarballs.length === 0) process.exitCode = 1;
  for (const tarball of tarballs) {
    passes("publint", join(bin, "publint"), ["--strict", tarball]);
    passes("attw", join(bin, "attw"), [tarball, "--profile", "esm-only", "--no-emoji"]);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * @param {string} check
 * @param {string} file
 * @param {readonly string[]} args
 */
function passes(check, file, args) {
  const { status, error, stdout, stderr } = spawnSync(file, args, {
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (error) throw error;
  if (status === 0) {
    console.log(`${name}: ${check} passes`);
    return;
  }
  console.error(`${stdout}${stderr}\n${name}: ${check} fails`);
  process.exitCode = 1;
}
