// Swaps a directory for a link and a file for a link and a FIFO, as fast as it can, until its input ends.
// It alone moves them, so it always knows which of the two names is the real one, and mends only that.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setImmediate } from "node:timers";

const [folder = "", outside = ""] = process.argv.slice(2);

/** @param {() => void} action */
function attempt(action) {
  try {
    action();
    return true;
  } catch {
    return false;
  }
}

/** @param {string} path */
function isReal(path) {
  try {
    return !lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** @param {string} path */
function fill(path) {
  attempt(() => mkdirSync(path));
  if (!isReal(path)) return;
  for (const name of ["secret.txt", "a", "b"])
    attempt(() => writeFileSync(join(path, name), "inside\n", { flag: "wx" }));
  attempt(() => mkdirSync(join(path, "sub")));
  attempt(() => writeFileSync(join(path, "sub/c"), "inside\n", { flag: "wx" }));
}

const swaps = ["d1", "d2"].map((name) => ({
  shown: join(folder, name),
  real: join(folder, `.${name}.real`),
  link: join(folder, `.${name}.link`),
}));
const files = [
  { shown: join(folder, "f1"), real: join(folder, ".f1.real"), other: join(folder, ".f1.link") },
  { shown: join(folder, "f2"), real: join(folder, ".f2.real"), other: join(folder, ".f2.fifo") },
];

function mend() {
  for (const { real, link } of swaps) {
    fill(real);
    if (!existsSync(link)) attempt(() => symlinkSync(outside, link));
  }
  for (const [index, { real, other }] of files.entries()) {
    attempt(() => writeFileSync(real, "inside\n", { flag: "wx" }));
    if (index === 0) attempt(() => symlinkSync(join(outside, "secret.txt"), other));
    else if (!existsSync(other)) attempt(() => execFileSync("mkfifo", [other], { stdio: "ignore" }));
  }
}

let count = 0;
let hasEnded = false;
process.stdin.on("end", () => {
  hasEnded = true;
});
process.stdin.resume();

function round() {
  for (let turn = 0; turn < 200; turn++) {
    for (const { shown, real, link } of swaps) {
      // Whatever a command left at the name gives way; a directory that is not empty stays, and is the real one then.
      if (attempt(() => renameSync(real, shown))) count++;
      attempt(() => renameSync(shown, real));
      if (attempt(() => renameSync(link, shown))) count++;
      attempt(() => renameSync(shown, link));
    }
    for (const { shown, real, other } of files) {
      if (attempt(() => renameSync(real, shown))) count++;
      attempt(() => renameSync(shown, real));
      if (attempt(() => renameSync(other, shown))) count++;
      attempt(() => renameSync(shown, other));
    }
  }
  mend();
  if (hasEnded) {
    process.stdout.write(`${count}\n`);
    process.exit(0);
  }
  setImmediate(round);
}

mend();
process.stdout.write("ready\n");
round();
