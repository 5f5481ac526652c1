import { Str } from "../../values/builtin.ts";
import { factory } from "../factory.ts";

/** Tells the user the text it is bound to, and returns that text; its input is not used. */
export const messageUser = factory<string>()({
  name: "message_user",
  description: "Send the user a fixed notice.",
  input: Str,
  output: Str,
  run: async (_input, { io }, text) => {
    await io.notify(text);
    return Str({ value: text });
  },
});
