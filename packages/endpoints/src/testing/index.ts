export { scriptedProvider } from "./scripted-provider.ts";
export type { ScriptedProvider, ScriptedProviderOptions } from "./scripted-provider.ts";
export type { ProviderRequest, UploadedFile, UploadedForm } from "./provider-request.ts";
export type {
  BreakOff,
  ScriptedAnswer,
  ScriptedError,
  ScriptedToolCall,
  ScriptedUsage,
  ScriptEntry,
} from "./scripted-answer.ts";
