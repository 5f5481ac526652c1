export {
  AgentDefinitionError,
  AmbiguousLinkError,
  CoreError,
  HistoryChangeError,
  LimitReachedError,
  LinkInputError,
  MessageError,
  NameError,
  RunFailedError,
  StopAgent,
  ToolDefinitionError,
  ToolInputError,
  ToolOutputError,
  ToolTimeoutError,
  UnknownToolError,
  UserInputUnavailableError,
  ValueError,
  ValueTypeError,
} from "./errors.ts";
export type { AgentProblem, AnyCoreError, CoreErrorCode, LimitName } from "./errors.ts";
export {
  All,
  Empty,
  HashMaps,
  Int,
  Invoke,
  Location,
  LocationStr,
  Stop,
  StopLocation,
  Str,
  StrImage,
  Strs,
  Suspend,
} from "./values/builtin.ts";
export { image, imageFromBytes } from "./values/image.ts";
export type { Image, ImageMediaType } from "./values/image.ts";
export { match } from "./values/match.ts";
export {
  assistantMessage,
  contentObject,
  errorMessage,
  filterMessages,
  finaliseValue,
  parseMessage,
  systemMessage,
  userMessage,
} from "./values/message.ts";
export type { Message, Role } from "./values/message.ts";
export { bootstrapKinds, messageKinds } from "./values/metadata.ts";
export type { MessageKind, Metadata } from "./values/metadata.ts";
export { isValue, kindOf, metadataOf, value } from "./values/value.ts";
export type {
  AnyValue,
  AnyValueType,
  DeepReadonly,
  Family,
  FieldsOf,
  GivenOf,
  KindsOf,
  Of,
  PlainFields,
  Value,
  ValueType,
  Without,
} from "./values/value.ts";
export { factory } from "./tools/factory.ts";
export type { AnyFactory, Factory } from "./tools/factory.ts";
export { when } from "./tools/link.ts";
export type {
  AnyLink,
  Contract,
  Fit,
  FitLink,
  FitOne,
  Handed,
  Input,
  InputType,
  Link,
  NameOf,
  OutOf,
  OutputOf,
  OutputTypes,
  Parent,
  Picked,
} from "./tools/link.ts";
export { isTool, tool } from "./tools/tool.ts";
export type { AnyTool, Tool } from "./tools/tool.ts";
export type { OnceOptions, ToolContext, ToolEvent } from "./tools/context.ts";
export { checkDependency } from "./dependencies/check-dependency.ts";
export { DependencyError, ExecutableNotFoundError } from "./dependencies/errors.ts";
export { ExecutableDependency } from "./dependencies/executable.ts";
export type { ExecutableOptions } from "./dependencies/executable.ts";
export {
  dedupeExternalDependencies,
  externalDependenciesOf,
  isExternalDependency,
} from "./dependencies/external-dependency.ts";
export type { CheckOptions, DependencyKind, ExternalDependency } from "./dependencies/external-dependency.ts";
export { DependencyFailure } from "./dependencies/failure.ts";
export type { FailureOptions } from "./dependencies/failure.ts";
export type { ReasonCode } from "./dependencies/reason-code.ts";
export type { Environment } from "./dependencies/environment-secrets.ts";
export { redactSecrets } from "./dependencies/redact.ts";
export type { RedactionOptions } from "./dependencies/redact.ts";
export { cliUserIo } from "./runtime/cli-io.ts";
export type { CliUserIoOptions } from "./runtime/cli-io.ts";
export type { LineSource } from "./runtime/line-reader.ts";
export { cliSink } from "./runtime/sinks/cli-sink.ts";
export type { CliSinkOptions } from "./runtime/sinks/cli-sink.ts";
export type { TextStream } from "./runtime/text-output.ts";
export { defaultEventSinks } from "./runtime/sinks/default-sinks.ts";
export type { DefaultSinkOptions } from "./runtime/sinks/default-sinks.ts";
export { apiUserIo, noUserIo } from "./runtime/user-io.ts";
export type { AskOptions, UserIo, UserIoAdapter } from "./runtime/user-io.ts";
export type {
  EventLevel,
  EventSink,
  MessageDeltaEvent,
  MessageEvent,
  RunEvent,
  RunLifecycleEvent,
  RunStatus,
  RuntimeEvent,
  RuntimeEventKind,
  ScriptOutputEvent,
} from "./runtime/events.ts";
export { EventPipe } from "./runtime/pipe.ts";
export type { LifecycleFacts, PipeSettings } from "./runtime/pipe.ts";
export type {
  SuspendedRun,
  RunResult,
  RunReport,
  FailedRun,
  CompletedRun,
  CancelledRun,
} from "./agent/outcome.ts";
export type { GraphFingerprint, RunSnapshot, StoredValue } from "./agent/snapshot.ts";
export { getCompletion } from "./llm/completion/get-completion.ts";
export type {
  ActionCompletionRequest,
  CallLlmApi,
  CompletionOutput,
  CompletionSettings,
  CompletionSource,
  CustomReply,
  RawCompletion,
  StructuredCompletion,
} from "./llm/completion/get-completion.ts";
export type { RepairSettings } from "./llm/completion/attempts.ts";
export type { CallSettings } from "./llm/call.ts";
export type { WaitLimits } from "./llm/wait.ts";
export type {
  ChatChunk,
  ChatClient,
  ChatReply,
  ChatRequest,
  ClientCallOptions,
  ClientSource,
  JsonSchema,
  ModelMessage,
  ModelTool,
  ModelToolCall,
  ReplyFacts,
  StreamOptions,
  TokenUsage,
  ToolCallPart,
  TranscriptionClient,
  TranscriptionRequest,
} from "./llm/client.ts";
export { callLlmApi } from "./llm/call.ts";
export type { LlmCall } from "./llm/call.ts";
export { setExternalCallLimit } from "./llm/call-slots.ts";
export type { Scrubber } from "./llm/chat-request.ts";
export type { ErrorClass } from "./llm/classify.ts";
export type { ClientHandle } from "./llm/client-handle.ts";
export { LLMEndpoint, LLMEndpointRoute } from "./llm/endpoint.ts";
export type {
  ConcreteEndpoint,
  EndpointLike,
  LLMEndpointSettings,
  MappedMessage,
  MessageMapper,
  ModelRequest,
  OutputFormat,
  Protocol,
  Telemetry,
} from "./llm/endpoint.ts";
export { withOpenrouterPolicy, withRequestOptions } from "./llm/endpoint-copies.ts";
export type { OpenrouterPolicy } from "./llm/endpoint-copies.ts";
export { ModelSelector } from "./llm/model-selector.ts";
export { costOf } from "./llm/prices.ts";
export type { Prices } from "./llm/prices.ts";
export type { ExtraBody } from "./llm/request-options.ts";
export type { RetrySettings } from "./llm/retry.ts";
export { callTranscriptionApi } from "./llm/transcription-call.ts";
export type { TranscriptionCall } from "./llm/transcription-call.ts";
export { MockTranscriptionEndpoint, TranscriptionEndpoint } from "./llm/transcription-endpoint.ts";
export type {
  MockTranscriptionRequest,
  TranscriptionEndpointLike,
  TranscriptionEndpointSettings,
} from "./llm/transcription-endpoint.ts";
export {
  ExternalCallCancelledError,
  ExternalCallInterruptedError,
  ExternalCallTimeoutError,
  isCancelled,
  isExternalCallCancelled,
  isExternalCallError,
  isExternalCallInterrupted,
  isExternalCallTimeout,
  isLLMError,
  isProviderRequestError,
  LLMAuthError,
  LLMCallCancelledError,
  LLMCallInterruptedError,
  LLMCallTimeoutError,
  LLMClientError,
  LLMContextLimitExceededError,
  LLMInsufficientFundsError,
  LLMOutputFormatError,
  LLMProviderRequestError,
  LLMProviderUnavailableError,
  LLMRateLimitExceededError,
  LLMUnknownProviderError,
} from "./llm/errors.ts";
export type {
  AnyExternalCallError,
  AnyLLMError,
  AnyProviderRequestError,
  ProviderFailure,
  ReplyProblem,
} from "./llm/errors.ts";
export { MockLLMEndpoint, MockProviderError, MockReply, MockScriptError } from "./llm/mock.ts";
export type { MockAnswer, MockEndpointOptions, MockEntry, MockRequest } from "./llm/mock.ts";
export { systemClock } from "./runtime/clock.ts";
export type { Clock } from "./runtime/clock.ts";
export { DEFAULT, ERROR_RETRY, GRADED, NO_MESSAGE, NO_TRUNCATION, showOnce } from "./truncation/policy.ts";
export type { Severity, Truncation, TruncationRule } from "./truncation/policy.ts";
export { selectTruncation } from "./truncation/select.ts";
export type { SelectTruncation, TruncationFacts } from "./truncation/select.ts";
export { shortenMessage } from "./truncation/shorten.ts";
export type { ShortenMessage } from "./truncation/shorten.ts";
export { ConversationView, estimateConversationTokens, projectConversation } from "./truncation/view.ts";
export type { ViewOptions } from "./truncation/view.ts";
export { structuredOutputPrompt } from "./agent/prompt/structured-output.ts";
export type { StructuredOutputParts } from "./agent/prompt/structured-output.ts";
export { Agent } from "./agent/agent.ts";
export type { ResumeOptions, RunInput } from "./agent/agent.ts";
export {
  AgentChangedError,
  CancelledError,
  ReplyError,
  RunBusyError,
  SnapshotError,
  SuspendedError,
  UnknownKindError,
} from "./agent/errors.ts";
export type { Limits } from "./agent/limits.ts";
export type { AgentMode } from "./agent/modes.ts";
export { failedRunOf } from "./agent/failed-run.ts";
export { Run } from "./agent/run.ts";
export type { AgentSettings, InitialMessage, RunOptions, ToolList, ToolStart } from "./agent/settings.ts";
export type { ChosenBy, PendingRequest } from "./agent/snapshot.ts";
export type { RepeatState } from "./agent/repeats.ts";
export type { Counts } from "./agent/tally.ts";
export { toMermaid } from "./chains/view.ts";
export type { AgentGraph, AgentGraphEdge, AgentGraphNode } from "./chains/view.ts";
export type { ToolRole } from "./chains/graph.ts";
export { messageUser } from "./tools/builtin/message-user.ts";
export { promptUser } from "./tools/builtin/prompt-user.ts";
export type { UserQuestion } from "./tools/builtin/user-question.ts";
export { promptUserAtStart } from "./tools/builtin/prompt-user-at-start.ts";
export { stop } from "./tools/builtin/stop.ts";
export { stopAfter } from "./tools/builtin/stop-after.ts";
export type { StopAfterOptions } from "./tools/builtin/stop-after.ts";
export { skillFromCatalogue } from "./skills/catalogue.ts";
export type { CatalogueSkillOptions } from "./skills/catalogue.ts";
export { SkillCatalogueError, SkillDefinitionError, SkillPrerequisiteError } from "./skills/errors.ts";
export { isSkill, Skill } from "./skills/skill.ts";
export type { SkillDefinition } from "./skills/skill.ts";
export { CompactionStatus, compactifyMessagesWhenNeeded } from "./compaction/compaction-tool.ts";
export type { CompactionSettings } from "./compaction/settings.ts";
export { conversationText } from "./compaction/conversation-text.ts";
export { characterCount, summarise } from "./compaction/summarise.ts";
export type { SummaryRequest } from "./compaction/summarise.ts";
export { describeTable } from "./agent/describe.ts";
export type { AgentDescription, ToolDescription, ToolType } from "./agent/describe.ts";
export { openRun, resumeRun } from "./agent/resume-run.ts";
export type { ResumeRunOptions } from "./agent/resume-run.ts";
export {
  JournalDamagedError,
  JournalReadError,
  JournalWriteError,
  OnceUncertainError,
  RunExistsError,
  RunIdError,
  RunLockedError,
  UnknownRunError,
  UnknownStepError,
} from "./runtime/journal/errors.ts";
export { forkRun } from "./runtime/journal/fork.ts";
export type { ForkOptions } from "./runtime/journal/fork.ts";
export { summariseRun } from "./runtime/journal/summary.ts";
export type { RunSummary } from "./runtime/journal/summary.ts";
export { readTranscript } from "./runtime/journal/transcript.ts";
export type { TranscriptEntry } from "./runtime/journal/transcript.ts";
export { printable, printableLine } from "./runtime/sinks/printable.ts";
export { fileJournalStore } from "./runtime/journal/file-store.ts";
export type { FileStoreOptions } from "./runtime/journal/file-store.ts";
export { isHeld, newProcessHold } from "./runtime/journal/process-hold.ts";
export type { ProcessHold } from "./runtime/journal/process-hold.ts";
export { memoryJournalStore } from "./runtime/journal/memory-store.ts";
export { checkRunId } from "./runtime/journal/run-id.ts";
export { parseJournal } from "./runtime/journal/parse-journal.ts";
export type { JournalDamage, ParsedJournal } from "./runtime/journal/parse-journal.ts";
export type { JournalRecord } from "./runtime/journal/record.ts";
export { rebuildRun } from "./runtime/journal/rebuild.ts";
export type { RebuiltRun } from "./runtime/journal/rebuild.ts";
export type { JournalHandle, JournalStore } from "./runtime/journal/store.ts";
export { asTool } from "./agent/as-tool.ts";
export type { AsToolOptions } from "./agent/as-tool.ts";
export { BackgroundStartError, NestingError } from "./agent/errors.ts";
export { BackgroundAgent, BackgroundStatus } from "./agent/background.ts";
export type { BackgroundOptions } from "./agent/background.ts";
export { isEndpointLike } from "./llm/endpoint.ts";
export type { Suspends } from "./tools/state.ts";
export { activeAgents, activeRuns, clearActiveRuns } from "./runtime/persistence/activity.ts";
export { messageOfRow, parseRunDocument, readRunDocument } from "./runtime/persistence/document.ts";
export type { RunDocument, RunDocumentEvent, RunDocumentMessage } from "./runtime/persistence/document.ts";
export { documentPath, listRunDocuments, writeRunDocument } from "./runtime/persistence/document-folder.ts";
export type { ListedDocument } from "./runtime/persistence/document-folder.ts";
export { DataFolderError, RunDocumentError } from "./runtime/persistence/errors.ts";
export { exportRun } from "./runtime/persistence/journal-document.ts";
export type { DetailPredicate, DocumentOptions } from "./runtime/persistence/journal-document.ts";
export { persistenceSink } from "./runtime/persistence/persistence-sink.ts";
export type { PersistenceSinkOptions } from "./runtime/persistence/persistence-sink.ts";
export { ReplayDivergedError } from "./replay/errors.ts";
export type { DifferenceKind, ReplayDifference } from "./replay/errors.ts";
export type { SameMessage } from "./replay/difference.ts";
export { ReplayEndpoint } from "./replay/replay-endpoint.ts";
export type { ReplayOptions } from "./replay/replay-endpoint.ts";
export { replayRun } from "./replay/replay-run.ts";
export type { Replay, ReplayRunOptions } from "./replay/replay-run.ts";
