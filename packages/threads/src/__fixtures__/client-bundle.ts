import { fileURLToPath } from "node:url";
import { build, defaultClientConditions } from "vite";

/** A module put into one file for browsers. */
export interface ClientBundle {
  readonly code: string;
  /** The modules that went into it, and those that could not. */
  readonly modules: readonly string[];
}

/** Puts a module and everything it imports into one file, as a bundler for browsers does. */
export async function bundleForBrowsers(entry: URL): Promise<ClientBundle> {
  const modules = new Set<string>();
  const output = await build({
    configFile: false,
    publicDir: false,
    logLevel: "error",
    resolve: { conditions: ["@roboz/source", ...defaultClientConditions] },
    plugins: [
      {
        name: "note-modules",
        moduleParsed: ({ id, importedIds }) => {
          for (const module of [id, ...importedIds]) modules.add(module);
        },
      },
    ],
    build: {
      write: false,
      minify: true,
      lib: { entry: fileURLToPath(entry), formats: ["es"] },
    },
  });
  const bundles = Array.isArray(output) ? output : [output];
  const chunks = bundles.flatMap((bundle) => ("output" in bundle ? bundle.output : []));
  const code = chunks.map((chunk) => ("code" in chunk ? chunk.code : "")).join("");
  return { code, modules: [...modules] };
}
