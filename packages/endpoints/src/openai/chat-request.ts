import type { ChatRequest, ModelMessage, ModelTool } from "@roboz/core";

type JsonObject = Readonly<Record<string, unknown>>;

/** The body of a chat completion request. Only `tool_choice` may be replaced by `extraBody`. */
export function chatBody(request: ChatRequest): JsonObject {
  const { model, messages, temperature, outputFormat, tools = [], extraBody } = request;
  const hasTools = tools.length > 0;
  return {
    ...(hasTools && { tool_choice: "required" }),
    ...extraBody,
    model,
    messages: messages.map(wireMessage),
    temperature,
    response_format: { type: outputFormat === "json" ? "json_object" : "text" },
    ...(hasTools && { tools: tools.map(wireTool) }),
  };
}

function wireMessage({ role, content, images = [], toolCalls = [], toolCallId }: ModelMessage): JsonObject {
  if (role === "tool") return { role, tool_call_id: toolCallId, content };
  if (toolCalls.length > 0) {
    return {
      role,
      // Some services refuse an empty text, all take null beside calls.
      content: content === "" ? null : content,
      tool_calls: toolCalls.map(({ id, name, arguments: text }) => ({
        id,
        type: "function",
        function: { name, arguments: text },
      })),
    };
  }
  if (images.length === 0) return { role, content };
  const parts = images.map(({ url, detail }) => ({
    type: "image_url",
    image_url: detail === undefined ? { url } : { url, detail },
  }));
  return { role, content: content === "" ? parts : [{ type: "text", text: content }, ...parts] };
}

function wireTool({ name, description, parameters }: ModelTool): JsonObject {
  return { type: "function", function: { name, description, parameters } };
}
