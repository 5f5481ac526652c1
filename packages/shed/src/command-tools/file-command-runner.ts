import type { ExternalDependency, Suspend, ToolContext } from "@roboz/core";

import { changingCommands } from "../commands/command.ts";
import { programDependencies } from "../commands/programs.ts";
import { systemSentence } from "../files/system-error.ts";
import { nextStep, stepsOf, type Step } from "../language/grammar.ts";
import { reportText, withJudgement, withStep, type Ending, type StepReport } from "../language/report.ts";
import { SpoolStore, type Spool, type SpoolLimits } from "../language/spool.ts";
import type { Judgement } from "../permissions/guard.ts";
import type { GuardedCall, GuardedToolOptions } from "./approval.ts";
import { execute, type Outcome } from "./execution.ts";
import { guardedCommand, hidden, refusedCommand, resolvedCommand, stepAt } from "./guarded-command.ts";
import {
  answerTooLate,
  confirm,
  guardPrepared,
  resumed,
  seenFor,
  suspendFor,
  type Waited,
} from "./guarding.ts";
import type { GuardedFileCommand } from "./payloads.ts";
import {
  FileCommandProgress,
  FileCommandReport,
  positionOf,
  ResolvedFileCommand,
  type Piped,
  type Position,
} from "./payloads.ts";
import {
  prepare,
  PreparedStore,
  requestId,
  tellable,
  type CommandSetting,
  type Preparation,
} from "./preparation.ts";

/** What a runner is made with. */
export interface RunnerSettings extends CommandSetting {
  readonly options: GuardedToolOptions;
  /** Of one command; 60,000 by default. */
  readonly timeoutMs: number;
  readonly spoolLimits: SpoolLimits;
}

/** Pipes with at most this many bytes are carried in the payload, and outlive the process. */
const carriedBytes = 64 * 1024;

/** Does the work of the four tools. All that a sequence needs travels in the payloads; what is kept here is a short cut. */
export class FileCommandRunner {
  readonly #settings: RunnerSettings;
  readonly #prepared = new PreparedStore<Preparation>();
  /** What was allowed without asking anybody, and is run as it was judged. */
  readonly #judged = new PreparedStore<Preparation>();
  readonly #spools = new SpoolStore();

  constructor(settings: RunnerSettings) {
    this.#settings = settings;
  }

  /** The programs that searches run; nothing else is needed from outside. */
  externalDependencies(): readonly ExternalDependency[] {
    return programDependencies;
  }

  /** Looks into the command that a sequence has reached. */
  async resolve(position: Position, context: ToolContext): Promise<ResolvedFileCommand> {
    const preparation = await prepare(stepAt(position), this.#settings, context.signal);
    const id = requestId(positionOf(position), context);
    this.#prepared.put(id, preparation);
    return resolvedCommand(position, preparation, id);
  }

  /** Judges a command that was looked into; after a wait, with the reply. */
  async guard(
    resolved: ResolvedFileCommand,
    context: ToolContext,
    waited?: Waited,
  ): Promise<GuardedFileCommand | Suspend> {
    const call = this.#call(context, stepAt(resolved));
    if (resolved.refusal !== null) return refusedCommand(call, resolved);
    const preparation =
      this.#prepared.take(resolved.id) ?? (await prepare(stepAt(resolved), this.#settings, context.signal));
    if ("refusal" in preparation) {
      const denial = waited === undefined ? undefined : answerTooLate(call, waited);
      if (denial !== undefined) return guardedCommand(resolved, denial, null);
      return refusedCommand(call, resolvedCommand(resolved, preparation, resolved.id), waited?.answered);
    }
    const { prepared } = preparation;
    const seen = () => seenFor(call, prepared, { id: resolved.id, waited });
    const judgement = await guardPrepared(call, prepared, { waited, seen });
    if (judgement.status === "waiting")
      return suspendFor(judgement, {
        payload: resolved,
        command: resolved.label,
        fingerprint: await seen(),
      });
    const { exchanges } = judgement;
    if (judgement.status === "allowed" && exchanges.length === 0) this.#judged.put(resolved.id, preparation);
    return guardedCommand(resolved, judgement, exchanges.length === 0 ? null : await seen());
  }

  /** Goes on with a judgement that waited for a reply. */
  resumeGuard(reply: unknown, state: unknown, context: ToolContext): Promise<GuardedFileCommand | Suspend> {
    const { payload, waited } = resumed(reply, state, ResolvedFileCommand.schema);
    return this.guard(ResolvedFileCommand(payload), context, waited);
  }

  /** Runs a judged command, if it may, and finds what is next. */
  async execute(
    guarded: GuardedFileCommand,
    context: ToolContext,
  ): Promise<FileCommandProgress | FileCommandReport> {
    if (guarded.refusal?.need === null)
      return this.#conclude(guarded, { type: "refused", message: guarded.refusal.message });
    if (guarded.verdict === "denied") return this.#conclude(guarded, { type: "denied", judgement: null });
    const ending = await this.#runOnce(guarded, context);
    context.signal.throwIfAborted();
    return this.#conclude(guarded, ending);
  }

  #runOnce(guarded: GuardedFileCommand, context: ToolContext): Promise<CommandEnding> {
    const key = `file-command:${guarded.id}`;
    const run = () => this.#run(guarded, context);
    // What changes files must not happen twice, and whether it did when the process ended in the middle of it, nobody
    // knows: that is what the model is told.
    if (changingCommands.has(stepAt(guarded).name))
      return context.once(key, run, { verify: () => interrupted });
    // What reads may be read again when a run is resumed. Files that were put back for a replay are none that a person
    // was asked about. Of what is piped, a record may hold the place alone.
    const isPiped = stepsOf(guarded.value)[guarded.at + 1]?.operator === "|";
    if (guarded.fingerprint === null || isPiped) return run();
    const read = async (): Promise<CommandEnding> => {
      const ending = await run();
      context.signal.throwIfAborted();
      return ending;
    };
    return context.once(key, read, { onUncertain: "repeat" });
  }

  async #run(guarded: GuardedFileCommand, context: ToolContext): Promise<CommandEnding> {
    const ready = await this.#ready(guarded, context);
    if ("refusal" in ready) return { type: "refused", message: ready.refusal.message };
    if ("judgement" in ready) return { type: "denied", judgement: ready.judgement };
    const stdin = this.#takePiped(guarded.piped);
    if (stdin === "lost") return { type: "lost" };
    const { policy, timeoutMs, spoolLimits } = this.#settings;
    const stepsAhead = stepsOf(guarded.value)[guarded.at + 1];
    ready.access.stayOpen();
    try {
      const outcome = await execute(ready.prepared, {
        stdin: stdin?.bytes ?? null,
        isPiped: stepsAhead?.operator === "|",
        runsToEnd: changingCommands.has(stepAt(guarded).name),
        mayRead: (location) => policy.permits("read", location),
        signal: context.signal,
        timeoutMs,
        spoolLimits,
      });
      return this.#ending(guarded.id, ready.label, outcome);
    } catch (error) {
      // As far as it got, it happened.
      if (context.signal.aborted) return interrupted;
      throw error;
    } finally {
      stdin?.dispose();
      ready.access.close();
    }
  }

  #ending(id: string, label: string, outcome: Outcome): CommandEnding {
    switch (outcome.type) {
      case "done": {
        const { spool, ...done } = outcome;
        return { label, piped: spool === undefined ? null : this.#carry(id, spool), ...done };
      }
      case "refused":
        return { type: "refused", message: tellable(outcome.refusal, this.#settings.policy).message };
      case "failed":
        return { type: "failed", label, why: systemSentence(outcome.error) ?? errorName(outcome.error) };
      case "timed-out":
        return { type: "timed-out", label };
      case "too-large":
        return { type: "too-large", label, status: outcome.status };
    }
  }

  /** What is to be run: what was judged, or the same prepared again, which must then need and find the same. */
  async #ready(
    guarded: GuardedFileCommand,
    context: ToolContext,
  ): Promise<Preparation | { readonly judgement: Judgement }> {
    const kept = this.#judged.take(guarded.id);
    if (kept !== undefined) return kept;
    const again = await prepare(stepAt(guarded), this.#settings, context.signal);
    if ("refusal" in again) return again;
    const judgement = await confirm(this.#call(context, stepAt(guarded)), again.prepared, guarded);
    return judgement.status === "allowed" ? again : { judgement };
  }

  #conclude(guarded: GuardedFileCommand, ending: CommandEnding): FileCommandProgress | FileCommandReport {
    const { name } = stepAt(guarded);
    const mayAskToRead = this.#settings.policy.ask.some(({ operations }) => operations.includes("read"));
    const { label, piped: fed } = guarded;
    const facts = { label, isFed: fed !== null, leftOut: 0, mayAskToRead, stdout: "", stderr: "", status: 1 };
    const failing = (report: Partial<StepReport> & { readonly stderr: string }) =>
      this.#finish(guarded, { report: { ...facts, ...report }, endsPipeline: true });
    switch (ending.type) {
      case "done": {
        const { type: _done, piped, ...shown } = ending;
        return this.#finish(guarded, { report: { ...facts, ...shown }, endsPipeline: false, piped });
      }
      case "refused":
        return failing({ label: name, stderr: ending.message });
      case "denied": {
        const { judgement } = ending;
        const parts = judgement === null ? {} : withJudgement(guarded, judgement);
        const report = { ...facts, stderr: "Denied; see the permission messages above." };
        return this.#finish({ ...guarded, ...parts }, { report, endsPipeline: true });
      }
      case "lost":
        return failing({
          stderr: "The piped bytes are gone: the process that held them has ended. Run the pipeline again.",
        });
      case "interrupted":
        return failing({
          stderr:
            "The process ended while this command ran: it may have been done, in part or as a whole. Look before you run it again.",
        });
      case "timed-out": {
        const part = changingCommands.has(name)
          ? " A part of its work may be done. Look before you run it again."
          : "";
        return failing({
          label: ending.label,
          status: 124,
          stderr: `Stopped: it took more than 60 seconds. Its output was discarded.${part}`,
        });
      }
      case "too-large": {
        const advice =
          ending.status === null ? "Narrow the command." : "The command was carried out to its end.";
        const stderr = `The output is too large to be shown, so none of it is. ${advice}`;
        const status = ending.status ?? 1;
        return stopped(
          guarded,
          { type: "too-large", status },
          { ...facts, label: ending.label, status, stderr },
        );
      }
      case "failed":
        return stopped(
          guarded,
          { type: "execution-error" },
          { ...facts, label: ending.label, stderr: ending.why },
        );
    }
  }

  /** Adds a step to the report, and goes to the next one that is reached. */
  #finish(
    position: Position,
    { report, endsPipeline, piped = null }: Finished,
  ): FileCommandProgress | FileCommandReport {
    const { status } = report;
    const steps = stepsOf(position.value);
    const parts = withStep(position, report);
    const next = nextStep(steps, { at: position.at, status, endsPipeline });
    if (next === undefined) {
      return FileCommandReport({
        value: reportText({ type: "exit", status }, parts),
        ending: "exit",
        status,
      });
    }
    return FileCommandProgress({ value: position.value, at: next, status, piped, ...parts }, hidden);
  }

  #carry(id: string, spool: Spool): Piped {
    const bytes = spool.peek(carriedBytes);
    if (bytes === undefined) {
      this.#spools.put(id, spool);
      return { id, base64: null };
    }
    spool.dispose();
    return { id: null, base64: bytes.toString("base64") };
  }

  #takePiped(piped: Piped | null): PipedBytes | "lost" | null {
    if (piped === null) return null;
    if (piped.base64 !== null) {
      const bytes = Buffer.from(piped.base64, "base64");
      return { bytes: once(bytes), dispose: () => undefined };
    }
    const spool = piped.id === null ? undefined : this.#spools.take(piped.id);
    if (spool === undefined) return "lost";
    return {
      bytes: spool.read(),
      dispose: () => {
        spool.dispose();
      },
    };
  }

  #call(context: ToolContext, { name }: Step): GuardedCall {
    return { options: this.#settings.options, context, toolName: "guard_file_command", command: name };
  }
}

/** A step that is over. */
interface Finished {
  readonly report: StepReport;
  readonly endsPipeline: boolean;
  /** What it wrote for the next command, which reads it. */
  readonly piped?: Piped | null;
}

/** How a command that was reached ended: plain data, which a journal may keep. */
type CommandEnding =
  | {
      readonly type: "done";
      readonly label: string;
      readonly status: number;
      /** Null when it was piped. */
      readonly stdout: string | null;
      readonly stderr: string;
      readonly leftOut: number;
      readonly piped: Piped | null;
    }
  | { readonly type: "refused"; readonly message: string }
  /** `judgement` is null for a denial that the report already has. */
  | { readonly type: "denied"; readonly judgement: Judgement | null }
  | { readonly type: "failed"; readonly label: string; readonly why: string }
  | { readonly type: "timed-out"; readonly label: string }
  /** `status` is null when it was stopped for that. */
  | { readonly type: "too-large"; readonly label: string; readonly status: number | null }
  | { readonly type: "lost" | "interrupted" };

const interrupted: CommandEnding = { type: "interrupted" };

interface PipedBytes {
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly dispose: () => void;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  if (bytes.length > 0) yield await Promise.resolve(bytes);
}

function stopped(position: Position, ending: Ending, report: StepReport): FileCommandReport {
  return FileCommandReport({
    value: reportText(ending, withStep(position, report)),
    ending: ending.type,
    status: report.status,
  });
}

/** What kind of failure it is; never its text, which may hold what nobody is to see. */
function errorName(error: unknown): string {
  return error instanceof Error ? error.name : "An exception that is no error";
}
