import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const packageFolder = join(dirname(fileURLToPath(import.meta.url)), "..");
const binaries = join(packageFolder, "..", "..", "node_modules", ".bin");

/** A library that exports what it infers, without writing one of our types down. */
const library = `
import * as z from "zod";
import { All, Empty, factory, image, Int, Invoke, match, Stop, Str, StrImage, Suspend, tool, value, when } from "@roboz/core";

export const Booking = value("booking", {
  table: z.number().int(),
  guest: z.object({ name: z.string(), tags: z.array(z.string()) }).optional(),
  cover: image.optional(),
});
export const VipBooking = Booking.extend("vip_booking", { level: z.number().default(1) });
export const Nickname = Str.extend("nickname", {});
export const Page = All.extend("page", { title: z.string() });
export const Rejected = value("rejected", { reason: z.string() });
export const booking = Booking({ table: 4 });
export const guests = [VipBooking({ table: 4 }).guest, booking.guest];

export const askNumber = tool({ name: "ask_number", description: "", input: Empty, output: Int, run: () => Int({ value: 1 }) });
export const search = tool({
  name: "search",
  description: "",
  input: z.object({ q: z.string(), limit: z.number().default(10) }),
  output: [Str, StrImage, Stop],
  run: ({ q }) => Str({ value: q }),
});
export const review = tool({
  name: "review",
  description: "",
  input: Empty,
  output: [Booking, Rejected, Suspend],
  suspends: { request: z.object({ question: z.string() }), reply: Booking },
  run: () => Rejected({ reason: "late" }),
});
export const link = when(review, Booking.is);
export const evenLink = when(askNumber, ({ value: n }) => n % 2 === 0);
export const publish = tool({ name: "publish", description: "", input: Booking, output: Stop, chainedTo: link, run: ({ table }) => Stop({ value: String(table) }) });
export const bind = factory<{ readonly prefix: string }>()({
  name: "bind",
  description: "",
  input: Int,
  output: [Str, Invoke],
  chainedTo: [evenLink, askNumber],
  run: (_input, _run, { prefix }) => Str({ value: prefix }),
});
export const bound = bind({ prefix: "x" });
export const tools = [askNumber, search.copy({ name: "find" }), bound];
export const told = (verdict: ReturnType<typeof Booking> | ReturnType<typeof Rejected>) =>
  match(verdict, { booking: ({ table }) => table, rejected: ({ reason }) => reason });
`;

/** A program that has only the library's declarations. */
const program = `
import { Booking, VipBooking, publish, review, search, link, bind, told, Nickname } from "./library.js";
import { Str, Stop, tool } from "@roboz/core";

export const table: number = VipBooking({ table: 1 }).table;
export const isBooking: boolean = Booking.is(VipBooking({ table: 1 }));
export const text: string = Nickname({ value: "x" }).value;
export const answer: number | string = told(Booking({ table: 1 }));
export const found: Promise<unknown> = search.invoke({ q: "x", limit: 1 });
tool({ name: "fits", description: "", input: Booking, output: Stop, chainedTo: [link], run: () => Stop() });
tool({
  name: "bad",
  description: "",
  input: Str,
  output: Stop,
  // @ts-expect-error -- the links are checked across declarations, too
  chainedTo: publish,
  run: () => Stop(),
});
tool({
  name: "bad",
  description: "",
  input: Booking,
  output: Stop,
  // @ts-expect-error -- \`review\` may return a rejection
  chainedTo: review,
  run: () => Stop(),
});
tool({
  name: "bad",
  description: "",
  input: Booking,
  output: Stop,
  // @ts-expect-error -- \`bind\` returns no booking
  chainedTo: bind,
  run: () => Stop(),
});
`;

let project: string;

async function compile(compiler: string, file: string): Promise<void> {
  const settings = {
    compilerOptions: {
      target: "es2023",
      lib: ["es2023"],
      module: "nodenext",
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      types: ["node"],
      typeRoots: [join(binaries, "..", "@types")],
      declaration: true,
      skipLibCheck: true,
    },
    files: [file],
  };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(settings));
  await run(join(binaries, compiler), ["-p", "tsconfig.json"], { cwd: project }).catch((error: unknown) => {
    throw new Error(
      String(typeof error === "object" && error !== null && "stdout" in error ? error.stdout : error),
    );
  });
}

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "roboz-declarations-"));
  const installed = join(project, "node_modules", "@roboz", "core");
  await mkdir(installed, { recursive: true });
  await run(
    join(binaries, "tsc"),
    [
      "-p",
      "tsconfig.build.json",
      "--emitDeclarationOnly",
      "--outDir",
      join(installed, "dist"),
      "--tsBuildInfoFile",
      join(project, "info"),
    ],
    { cwd: packageFolder },
  );
  await writeFile(join(project, "package.json"), JSON.stringify({ type: "module" }));
  await writeFile(
    join(installed, "package.json"),
    JSON.stringify({
      name: "@roboz/core",
      type: "module",
      exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } },
    }),
  );
  await symlink(join(packageFolder, "node_modules", "zod"), join(project, "node_modules", "zod"));
});

afterAll(async () => {
  await rm(project, { recursive: true, force: true });
});

describe("a library that exports what it infers", () => {
  it.each([{ compiler: "tsc6" }, { compiler: "tsc" }])(
    "emits declarations under $compiler",
    async ({ compiler }) => {
      await writeFile(join(project, "library.ts"), library);
      await compile(compiler, "library.ts");
      const declarations = await readFile(join(project, "library.d.ts"), "utf8");
      expect(declarations).toContain('import("@roboz/core").Tool<');
      expect(declarations).not.toMatch(/node_modules|\.\.\/|\bany\b/);
    },
  );

  it("gives a program the same types through its declarations", async () => {
    await rm(join(project, "library.ts"));
    await writeFile(join(project, "program.ts"), program);
    await compile("tsc", "program.ts");
  });
});
