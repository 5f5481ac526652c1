import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { install } from "./install.mjs";
import { runProgram } from "./run-program.mjs";
import { packageFolders, readManifest, root } from "./workspace.mjs";

const defaultApp = "lunch";
const apps = packageFolders(join(root, "apps")).map((folder) => basename(folder));

function printApps() {
  const width = Math.max(...apps.map((app) => app.length), 0);
  const rows = apps.map((app) => {
    const { description = "" } = readManifest(join(root, "apps", app));
    return `  ${app.padEnd(width)}  ${description}`.trimEnd();
  });
  console.log(
    [
      "npm start -- [app] [its options]",
      "",
      `Runs an app of this workspace; without a name, \`${defaultApp}\`. The apps:`,
      "",
      ...rows,
    ].join("\n"),
  );
}

async function main() {
  const given = process.argv.slice(2);
  const [first] = given;
  if (first === "--help" || first === "-h") return printApps();
  const isNamed = first !== undefined && !first.startsWith("-");
  const app = isNamed ? first : defaultApp;
  if (!apps.includes(app)) {
    console.error(`There is no app \`${app}\`; \`npm start -- --help\` lists the apps (${apps.join(", ")}).`);
    process.exitCode = 2;
    return;
  }
  if (!install()) return;
  // The loader is the root's, whichever folder the command was started from.
  const loader = pathToFileURL(createRequire(join(root, "package.json")).resolve("tsx")).href;
  await runProgram(process.execPath, [
    "--conditions=@roboz/source",
    "--import",
    loader,
    join(root, "apps", app, "src", "main.ts"),
    ...(isNamed ? given.slice(1) : given),
  ]);
}

await main();
