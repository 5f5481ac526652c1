// Puts the modules of a package into one file for each of its entries, since Node takes a millisecond for each file that
// it loads. Run after `tsc -b`, which writes the declarations; the folder of the package is the argument, or the current one.
import { join, resolve } from "node:path";
import { build } from "vite";
import { readManifest } from "./workspace.mjs";

const folder = resolve(process.argv[2] ?? ".");
const { exports: entries = {}, dependencies = {}, peerDependencies = {} } = readManifest(folder);
const others = [...Object.keys(dependencies), ...Object.keys(peerDependencies)];

/** The sources of the entries, each with the name of its file below `dist`. */
const input = Object.fromEntries(
  Object.values(entries).flatMap((entry) => {
    if (typeof entry !== "object" || entry === null || !("@roboz/source" in entry)) return [];
    const source = String(entry["@roboz/source"]);
    return [[source.replace(/^\.\/src\/|\.ts$/g, ""), join(folder, source)]];
  }),
);

await build({
  root: folder,
  configFile: false,
  publicDir: false,
  logLevel: "warn",
  build: {
    target: "node20",
    outDir: "dist",
    // The declarations stand there.
    emptyOutDir: false,
    minify: false,
    sourcemap: true,
    lib: { entry: input, formats: ["es"] },
    rolldownOptions: {
      external: (name) =>
        name.startsWith("node:") || others.some((other) => name === other || name.startsWith(`${other}/`)),
      output: {
        entryFileNames: "[name].js",
        chunkFileNames: "chunks/[name].js",
        // The declarations and the sources, which are published too, have them; Node reads every byte that it loads.
        comments: { jsdoc: false },
      },
    },
  },
});
