/** A tool as a prompt tells of it. */
export interface PromptTool {
  readonly name: string;
  /** May be empty: the name then has to say it all. */
  readonly description: string;
  /** The JSON schema of the whole call, `action` and `rationale` included. */
  readonly callSchema: object;
}

const commonFields: ReadonlySet<string> = new Set(["action", "rationale"]);
/** What every call's schema says alike, so that the prompt's rules can say it once. */
const plainKeywords: ReadonlySet<string> = new Set([
  "$schema",
  "type",
  "properties",
  "required",
  "additionalProperties",
]);

/**
 * Tells of tools, a line each, in the order given: name, description, and the JSON schemas of the fields beside `action`
 * and `rationale`. A schema that this cannot say, such as one with definitions, is given whole.
 */
export function toolList(tools: readonly PromptTool[]): string {
  return tools.map((tool) => `${entry(tool)}${fieldsOf(tool)}`).join("\n");
}

/** A name with what it stands for, as a list entry. */
export function entry({ name, description }: Pick<PromptTool, "name" | "description">): string {
  const text = description.trim().replaceAll("\n", "\n  ");
  return `- \`${name}\`: ${text === "" ? "its name says what it does." : text}`;
}

const fieldTexts = new WeakMap<object, string>();

function fieldsOf({ callSchema }: PromptTool): string {
  let text = fieldTexts.get(callSchema);
  if (text === undefined) fieldTexts.set(callSchema, (text = fieldText(callSchema)));
  return text;
}

function fieldText(callSchema: object): string {
  const schema: Readonly<Record<string, unknown>> = { ...callSchema };
  const { properties, required, additionalProperties } = schema;
  const isPlain =
    Object.keys(schema).every((keyword) => plainKeywords.has(keyword)) &&
    (additionalProperties === false || additionalProperties === undefined);
  if (!isPlain) return ` Call: ${JSON.stringify({ ...schema, $schema: undefined })}`;
  const isRequired = new Set(Array.isArray(required) ? required : []);
  const fields = Object.entries({ ...(typeof properties === "object" ? properties : undefined) }).filter(
    ([name]) => !commonFields.has(name),
  );
  if (fields.length === 0) return "";
  const optional = fields.map(([name]) => name).filter((name) => !isRequired.has(name));
  const note = optional.length === 0 ? "" : `; optional: ${optional.join(", ")}`;
  return ` Fields: ${JSON.stringify(Object.fromEntries(fields))}${note}`;
}
