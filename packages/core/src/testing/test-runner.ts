/** The two functions of a test runner that the suites need: those of Vitest, Jest, Mocha and `node:test` all do. */
export interface TestRunner {
  readonly describe: (title: string, body: () => void) => unknown;
  readonly it: (title: string, body: () => Promise<void>) => unknown;
}
