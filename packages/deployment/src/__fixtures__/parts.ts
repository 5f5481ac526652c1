import { Empty, Stop, Str, tool, type AnyTool } from "@roboz/core";

/** A tool that does nothing, under a name. */
export function toolNamed(name: string, chainedTo?: AnyTool): AnyTool {
  return tool({
    name,
    description: `Does nothing, as ${name}.`,
    input: Empty,
    output: Str,
    ...(chainedTo === undefined ? {} : { chainedTo }),
    run: () => Str({ value: name }),
  });
}

/** A tool that ends the run. */
export function stopNamed(name: string): AnyTool {
  return tool({
    name,
    description: `Ends the run, as ${name}.`,
    input: Empty,
    output: Stop,
    run: () => Stop({ value: name }),
  });
}

/** What `make` throws; undefined when it does not. */
export function thrownBy(make: () => unknown): unknown {
  try {
    make();
    return undefined;
  } catch (error) {
    return error;
  }
}
