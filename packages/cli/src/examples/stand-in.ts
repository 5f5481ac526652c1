import { cliUserIo, type CliUserIoOptions, Str, type UserIo } from "@roboz/core";

/** What is answered when nobody is there: one odd number, then the two even ones that end the example. */
const answers = ["7", "4", "10"] as const;

/** The person at the terminal, or lines that are piped in; when they end, a few numbers given by the example itself. */
export function personOrStandIn(ends: CliUserIoOptions): UserIo {
  const person = cliUserIo(ends);
  let given = 0;
  return {
    isLive: true,
    notify: (text) => person.notify(text),
    ask: async (question, options) => {
      try {
        return await person.ask(question, options);
      } catch (error) {
        const answer = answers[given];
        // Whoever is at a terminal and closes it wants to end the example.
        if (ends.input?.isTTY === true || person.isLive || answer === undefined) throw error;
        given += 1;
        await person.notify(`Nobody is there to answer; the example takes ${answer}.`);
        return Str({ value: answer });
      }
    },
  };
}
