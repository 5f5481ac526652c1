export { ShedError } from "./errors.ts";
export type { AnyShedError, ShedErrorCode } from "./errors.ts";
export { ApprovalStateError, GuardSettingsError } from "./command-tools/errors.ts";
export { PolicyError, SandboxError } from "./permissions/errors.ts";
export type {
  ActionVerdict,
  GuardDenyReason,
  GuardStatus,
  Operation,
  RequiredPermission,
} from "./permissions/operation.ts";
export { escapePattern } from "./permissions/pattern.ts";
export { PermissionPolicy } from "./permissions/policy.ts";
export type {
  MatchedRule,
  PermissionPolicySettings,
  PermissionRule,
  PolicyDecision,
} from "./permissions/policy.ts";
export { permissionRequest } from "./command-tools/approval.ts";
export type { GuardedToolOptions, PermissionRequest } from "./command-tools/approval.ts";
export { fileCommandTools } from "./command-tools/file-commands.ts";
export type { FileCommandTools } from "./command-tools/guarded-chain.ts";
export { FileCommandProgress, FileCommandReport, GuardedFileCommand } from "./command-tools/payloads.ts";
export { Sandbox } from "./permissions/sandbox.ts";
export type { Protection, SandboxSettings } from "./permissions/sandbox.ts";
export { PatchReport, patchTools } from "./command-tools/patch-tools.ts";
export type { PatchTools } from "./command-tools/patch-tools.ts";
export { Filesystem } from "./filesystem/filesystem.ts";
export type { FilesystemSettings } from "./filesystem/filesystem.ts";
export type { NeedsSandbox } from "./permissions/needs-sandbox.ts";
export { filesystemSkill } from "./filesystem/filesystem-skill.ts";
export { DependencyHealthMonitor } from "./health/monitor.ts";
export type { HealthLogEntry, HealthMonitorSettings } from "./health/monitor.ts";
export { HealthSettingsError } from "./health/errors.ts";
export type { HealthRecord, HealthStatus } from "./health/record.ts";
export { ScriptServiceError, ScriptSettingsError } from "./scripts/errors.ts";
export type { ScriptServiceFault } from "./scripts/errors.ts";
export { scriptContainment } from "./scripts/containment.ts";
export type { Containment } from "./scripts/containment.ts";
export type { ScriptLimits } from "./scripts/limits.ts";
export { SafeScripts } from "./scripts/safe-scripts.ts";
export type { NeedsSandboxRoot, SafeScriptsSettings, ScriptNeeds } from "./scripts/safe-scripts.ts";
export { checkScriptService } from "./scripts/script-socket.ts";
export { ScriptReport, scriptTool } from "./scripts/script-tool.ts";
export type { LocalScriptSettings, RemoteScriptSettings, ScriptTool } from "./scripts/script-tool.ts";
export { serveScripts } from "./scripts/serve-scripts.ts";
export type { ScriptServer, ScriptServerSettings } from "./scripts/serve-scripts.ts";
export { Compactification } from "./memory/compactification.ts";
export type { CompactificationSettings } from "./memory/compactification.ts";
export { ConversationSnapshots } from "./memory/conversation-snapshots.ts";
export type { ConversationSnapshotsSettings } from "./memory/conversation-snapshots.ts";
export { MemoryConsolidation } from "./memory/memory-consolidation.ts";
export type { MemoryConsolidationSettings } from "./memory/memory-consolidation.ts";
export type { SummaryLimits } from "./memory/summary-limits.ts";
export { ArtifactRetention } from "./memory/artifact-retention.ts";
export type { ArtifactRetentionSettings } from "./memory/artifact-retention.ts";
export { MaintenanceCadence } from "./memory/maintenance-cadence.ts";
export type { MaintenanceCadenceSettings } from "./memory/maintenance-cadence.ts";
export type { NeedsRecords, NeedsSummaries, NeedsWatched } from "./memory/needs.ts";
export type { RecordsSource } from "./memory/records.ts";
export { MaintenanceError, MemorySettingsError } from "./memory/errors.ts";
export { SnapshotCounts } from "./memory/snapshot-tool.ts";
export { ConsolidationResult } from "./memory/consolidation-tool.ts";
export { PurgeResult } from "./memory/retention-tools.ts";
export { SleepResult, WatchStatus } from "./memory/cadence-tools.ts";
export { librarian } from "./agents/librarian.ts";
export type { LibrarianAttributes, LibrarianSettings } from "./agents/librarian.ts";
export { orchestrator } from "./agents/orchestrator.ts";
export type { OrchestratorAttributes, OrchestratorSettings } from "./agents/orchestrator.ts";
export { Pdf } from "./pdf/pdf.ts";
export type { PdfSettings } from "./pdf/pdf.ts";
export { pdfSkill } from "./pdf/pdf-skill.ts";
export { getPdfTool, PdfReport } from "./pdf/pdf-tools.ts";
export type { PdfTools } from "./pdf/pdf-tools.ts";
