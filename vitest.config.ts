import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

// Node knows no `module` condition, and what stands behind it in @opentelemetry/api is for bundlers only.
const nodeConditions = defaultServerConditions.filter((condition) => condition !== "module");

export default defineConfig({
  ssr: { resolve: { conditions: ["@roboz/source", ...nodeConditions] } },
  test: {
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
          testTimeout: 120_000,
          hookTimeout: 180_000,
          fileParallelism: false,
        },
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
