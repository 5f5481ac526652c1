import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** Ends a test run's output with one plain line: "N passed, N failed, N skipped". */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    for (const module of modules) {
      const failedBefore = failed;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") passed += 1;
        else if (state === "failed") failed += 1;
        else skipped += 1;
      }
      // A file that does not load, or a hook that throws, has no failing test of its own.
      if (module.state() === "failed" && failed === failedBefore) failed += 1;
    }
    // Written at exit, so that it stands below the coverage table.
    process.on("exit", () => {
      process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`);
    });
  }
}
