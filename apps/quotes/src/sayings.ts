/** What the agent may say. */
export const sayings: readonly string[] = [
  "A plan that survives lunch was never tested.",
  "Ask once, write it down, and nobody has to ask twice.",
  "The fastest call is the one that nobody has to make.",
  "Name the thing well and half of it is built.",
  "A fork in the road is only a problem for those who forgot to label it.",
  "Whoever reads the error message first goes home first.",
  "Small steps leave footprints that others can follow.",
  "If it works, ask it how it knows.",
  "Every shortcut was somebody's long way round.",
  "The soup is done when the cook stops looking at the clock.",
];
