import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

// Node knows no `module` condition, and what stands behind it in @opentelemetry/api is for bundlers only.
const nodeConditions = defaultServerConditions.filter((condition) => condition !== "module");

/** These limit the time of processes, or wait for them no longer than a while: nothing else runs beside them. */
const timed = [
  "packages/shed/src/{pdf,scripts}/**/*.int.test.ts",
  "packages/shed/src/command-tools/hostile-content.int.test.ts",
];
const patience = { testTimeout: 120_000, hookTimeout: 180_000 };

export default defineConfig({
  ssr: { resolve: { conditions: ["@roboz/source", ...nodeConditions] } },
  test: {
    // By default one core is left to others, which on a machine of two is half of it.
    maxWorkers: "100%",
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["{packages,apps}/*/src/**/*.test.ts", "tools/**/*.test.ts"],
          exclude: ["**/*.int.test.ts", "**/node_modules/**"],
          typecheck: {
            enabled: true,
            checker: "tsc",
            include: ["packages/*/src/**/*.test-d.ts"],
            tsconfig: "./tsconfig.types.json",
          },
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["{packages,apps}/*/src/**/*.int.test.ts", "tools/**/*.int.test.ts"],
          exclude: [...timed, "**/node_modules/**"],
          ...patience,
          // After the unit tests, whose time limits are short.
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "integration-timed", include: timed, ...patience, fileParallelism: false },
      },
    ],
    reporters: ["default", "./tools/closing-line.ts"],
    coverage: {
      provider: "v8",
      include: ["packages/*/src/**/*.ts"],
      exclude: ["**/*.test.ts", "**/*.test-d.ts", "**/__fixtures__/**"],
      reporter: ["text", "json-summary"],
      thresholds: { "packages/core/src/**": { branches: 95 } },
    },
  },
});
