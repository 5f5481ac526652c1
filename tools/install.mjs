import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pinnedPnpm, readManifest, root, workspaceFolders } from "./workspace.mjs";

const leastNode = readManifest(root).engines?.node ?? "";
const stamp = join(root, "node_modules", ".roboz-install");

/** What decides what an install puts where: the platform, the lockfile, the settings, the manifests. */
function fingerprint() {
  const hash = createHash("sha256").update(`${process.platform} ${process.arch}\n`);
  const manifests = [root, ...workspaceFolders()].map((folder) => join(folder, "package.json"));
  for (const file of [join(root, "pnpm-lock.yaml"), join(root, "pnpm-workspace.yaml"), ...manifests]) {
    hash
      .update(`${file.slice(root.length)}\n`)
      .update(readFileSync(file))
      .update("\n");
  }
  return hash.digest("hex");
}

function isComplete() {
  return workspaceFolders().every((folder) => {
    const { dependencies, devDependencies } = readManifest(folder);
    const needsModules = Object.keys({ ...dependencies, ...devDependencies }).length > 0;
    return !needsModules || existsSync(join(folder, "node_modules"));
  });
}

/** @param {string} output what the failed install printed */
function remedy(output) {
  if (output.includes('Cannot install with "frozen-lockfile"')) {
    return `pnpm-lock.yaml does not match the manifests; bring it up to date with \`npx ${pinnedPnpm([]).args[1]} install\``;
  }
  return "check that the npm registry can be reached and that this folder can be written, then run the command again";
}

/** True when this Node is at least the release that the root manifest asks for. */
function isNodeNewEnough() {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const [leastMajor = 0, leastMinor = 0] = (leastNode.match(/\d+/g) ?? []).map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

/**
 * Installs the workspace's packages, unless nothing that decides about them has changed since the last install.
 * Prints nothing to standard output, and to standard error only what went wrong.
 *
 * @returns {boolean} false when the install failed; why has been printed, and the exit code is set
 */
export function install() {
  if (!isNodeNewEnough()) {
    console.error(`This workspace needs Node ${leastNode}; this is ${process.versions.node}.`);
    process.exitCode = 1;
    return false;
  }
  const wanted = fingerprint();
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted && isComplete()) return true;
  // An install that is interrupted leaves no stamp.
  rmSync(stamp, { force: true });
  if (process.stderr.isTTY) console.error("Installing the workspace's packages …");
  const { file, args, shell } = pinnedPnpm(["install", "--frozen-lockfile"]);
  /** @type {NodeJS.ProcessEnv} */
  const env = { ...process.env, CI: "true" }; // pnpm asks no question
  delete env["NODE_ENV"]; // for production pnpm would leave the development tools out
  const { status, error, stdout, stderr } = spawnSync(file, args, {
    cwd: root,
    env,
    shell,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: Infinity,
  });
  if (status === 0) {
    writeFileSync(stamp, wanted);
    return true;
  }
  process.exitCode = 1;
  const output = `${stdout ?? ""}${stderr ?? ""}`.trim();
  if (output) console.error(output);
  const why = error ? `\`npx\` could not be started (${error.message}); install npm` : remedy(output);
  console.error(`The workspace's packages could not be installed: ${why}.`);
  return false;
}
