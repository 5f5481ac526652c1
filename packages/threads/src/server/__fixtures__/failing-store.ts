import type { ThreadStore } from "../../store/thread-store.ts";

/** A store in which a statement fails the first time that it is run, within its transaction. */
export function failingAt(store: ThreadStore, statement: string): ThreadStore {
  let isDue = true;
  return {
    ...store,
    write: (work) =>
      store.write(({ queries, ...transaction }) =>
        work({
          ...transaction,
          queries: {
            rows: queries.rows,
            run: (sql, ...parameters) => {
              if (!isDue || !sql.includes(statement)) return queries.run(sql, ...parameters);
              isDue = false;
              return Promise.reject(new Error("the disk is full"));
            },
          },
        }),
      ),
  };
}
