import type { ThreadStore, ThreadStoreOptions } from "../store/thread-store.ts";
import { catalogueChecks } from "./catalogue-checks.ts";
import { leaseChecks } from "./lease-checks.ts";
import { readingChecks } from "./reading-checks.ts";
import type { Check } from "./store-check.ts";
import { turnChecks } from "./turn-checks.ts";

/** The part of a test runner that a suite needs: `describe` and `it` of vitest, Jest or `node:test`. */
export interface TestRunner {
  readonly describe: (title: string, register: () => void) => unknown;
  readonly it: (title: string, check: () => Promise<void>) => unknown;
}

/**
 * What the suite needs to know of a store.
 *
 * @typeParam Place - Where one store keeps its data, such as a file or a schema of a database.
 */
export interface ThreadStoreSuite<Place> {
  /** Makes a place with nothing in it; each test gets its own. */
  readonly makePlace: () => Place | Promise<Place>;
  /** Opens a store over a place. Called again, it opens the same data, as another process does. */
  readonly open: (place: Place, options: ThreadStoreOptions) => Promise<ThreadStore>;
  readonly removePlace?: ((place: Place) => void | Promise<void>) | undefined;
}

/**
 * Registers the tests that every store of threads has to pass with the test runner that is given.
 *
 * ```ts
 * testThreadStore({ makePlace: newFile, open: sqliteThreadStore }, { describe, it });
 * ```
 */
export function testThreadStore<Place>(
  { makePlace, open, removePlace }: ThreadStoreSuite<Place>,
  { describe, it }: TestRunner,
): void {
  const register = (title: string, checks: readonly Check[]): void => {
    describe(title, () => {
      for (const check of checks) {
        it(check.title, async () => {
          const place = await makePlace();
          let passed = 0;
          const now = (): Date => {
            // Each look at the clock is a millisecond later, so that order by time is order of doing.
            passed += 1;
            return new Date(Date.UTC(2026, 0, 1) + passed);
          };
          const opened: ThreadStore[] = [];
          const openOne = async (options: ThreadStoreOptions): Promise<ThreadStore> => {
            const store = await open(place, { now, ...options });
            opened.push(store);
            return store;
          };
          try {
            await check.run({
              store: await openOne({}),
              reopen: (options = {}) => openOne(options),
              pass: (ms) => {
                passed += ms;
              },
            });
          } finally {
            for (const store of opened) await store.close();
            await removePlace?.(place);
          }
        });
      }
    });
  };
  register("what is read", readingChecks);
  register("turns", turnChecks);
  register("turns whose worker is gone", leaseChecks);
  register("skills, templates and ratings", catalogueChecks);
}
