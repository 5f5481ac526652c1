import { Stop, Str } from "../../values/builtin.ts";
import { tool } from "../tool.ts";

/** Ends the run with the text it is given. */
export const stop = tool({
  name: "stop",
  description: "End the run when the work is done. `value` is the final answer.",
  input: Str,
  output: Stop,
  run: ({ value }) => Stop({ value }),
});
