import type { CommandDefinition } from "./command.ts";
import { CommandRefusal } from "./command.ts";
import { fingerprintOf, read } from "./inputs.ts";
import { Output } from "./output.ts";

/** `pwd`: the base. */
export const pwd: CommandDefinition = {
  name: "pwd",
  options: { options: [{ key: "physical", forms: ["-P", "--physical"] }], hasNoEnd: true },
  async prepare(command, { access, paths }) {
    if (command.operands.length > 0) throw new CommandRefusal("pwd: it takes no operands");
    const base = await paths.literal(".");
    return {
      needs: [read(access.base)],
      shown: command.tokens.map(({ text }) => text),
      fingerprint: () => fingerprintOf([base]),
      async run(io) {
        const output = new Output("pwd", io);
        output.add(`${access.base}\n`);
        await output.flush();
        return 0;
      },
    };
  },
};
