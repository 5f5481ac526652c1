import { apiUserIo, cliUserIo, noUserIo, Str, type UserIo } from "@roboz/core";

import type { Approval } from "./options.ts";

/** Who answers what the desk asks; with `"later"` nobody is there. */
export function answersOf(approval: Approval, write: (text: string) => unknown): UserIo {
  switch (approval) {
    case "ask":
      return cliUserIo();
    case "later":
      return noUserIo;
    case "yes":
    case "no":
      return apiUserIo({
        requestInput: (question) => {
          write(`  ? ${question} ${approval}\n`);
          return Promise.resolve(Str({ value: approval }));
        },
        notify: (text) => {
          write(`${text}\n`);
        },
      });
  }
}
