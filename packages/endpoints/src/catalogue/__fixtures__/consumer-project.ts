import { execFile } from "node:child_process";
import fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const workspaceDirectory = fileURLToPath(new URL("../../../../../", import.meta.url));

/** Everything that makes the compiler stricter; a generated module must hold under all of it. */
const strictOptions = {
  target: "ES2023",
  lib: ["ES2023"],
  types: ["node"],
  typeRoots: [join(workspaceDirectory, "node_modules", "@types")],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  customConditions: ["@roboz/source"],
};

/** What a program printed, and how it ended. */
interface Outcome {
  readonly status: number;
  readonly output: string;
}

/** Made for these tests: an application outside the workspace that has this package installed. */
export interface ConsumerProject {
  readonly directory: string;
  readonly write: (name: string, text: string) => Promise<string>;
  readonly remove: (name: string) => Promise<void>;
  /** Compiles everything written, with the workspace's `tsc`. */
  readonly compile: (options: Readonly<Record<string, string>>) => Promise<Outcome>;
  /** Runs a module with no environment but the path. */
  readonly run: (name: string) => Promise<Outcome>;
  readonly end: () => Promise<void>;
}

export async function consumerProject(): Promise<ConsumerProject> {
  const directory = await fs.realpath(await fs.mkdtemp(join(tmpdir(), "roboz-consumer-")));
  const write = async (name: string, text: string) => {
    const file = join(directory, name);
    await fs.writeFile(file, text);
    return file;
  };
  await fs.mkdir(join(directory, "node_modules", "@roboz"), { recursive: true });
  for (const name of ["core", "endpoints"]) {
    const target = join(workspaceDirectory, "packages", name);
    await fs.symlink(target, join(directory, "node_modules", "@roboz", name), "dir");
  }
  await write("package.json", '{"type": "module"}');
  return {
    directory,
    write,
    remove: (name) => fs.rm(join(directory, name)),
    compile: async (options) => {
      const compilerOptions = { ...strictOptions, ...options };
      await write("tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }));
      return execute(join(workspaceDirectory, "node_modules", ".bin", "tsc"), ["-p", "."], directory);
    },
    run: (name) => {
      const tsx = join(workspaceDirectory, "node_modules", "tsx", "dist", "loader.mjs");
      return execute(process.execPath, ["--conditions=@roboz/source", "--import", tsx, name], directory);
    },
    end: () => fs.rm(directory, { recursive: true }),
  };
}

function execute(program: string, given: readonly string[], cwd: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] };
    execFile(program, given, { cwd, env }, (error, stdout, stderr) => {
      const status = error === null ? 0 : typeof error.code === "number" ? error.code : 1;
      resolve({ status, output: stdout + stderr });
    });
  });
}
