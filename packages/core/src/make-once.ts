/** Makes something when it is first asked for, and keeps it: what most programs never need costs them nothing. */
export function makeOnce<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
