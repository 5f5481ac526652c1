import type { Suspend, ToolContext } from "@roboz/core";

import { CommandRefusal, type PathOperand } from "../commands/command.ts";
import { FileAccess } from "../files/access.ts";
import { systemSentence } from "../files/system-error.ts";
import { pathTokens } from "../language/path-tokens.ts";
import { labelOf } from "../language/report.ts";
import { Visibility } from "../language/visibility.ts";
import { exchangeText, type Exchange } from "../permissions/guard.ts";
import { auditDecision, type GuardedCall, type GuardedToolOptions } from "./approval.ts";
import {
  answerTooLate,
  confirm,
  guardPrepared,
  seenFor,
  suspendFor,
  type Guarded,
  type Waited,
} from "./guarding.ts";
import { PreparedStore, requestId, tellable } from "./preparation.ts";

/** What is done with one file under the permissions. */
interface Work<Request, Prepared extends Guarded> {
  /** What the model calls, and what messages begin with. */
  readonly name: string;
  /** The tool that guards, as audit events name it. */
  readonly guardName: string;
  /** What a person sees of a request. */
  readonly words: (request: Request) => readonly string[];
  /** @throws {@link CommandRefusal} for what cannot or must not be done. */
  readonly prepare: (request: Request, paths: PreparePaths) => Promise<Prepared>;
}

/** The way to the one file. */
export interface PreparePaths {
  readonly access: FileAccess;
  readonly literal: (path: string) => Promise<PathOperand>;
}

/** Work that was looked into, and the way to its file; to be closed after use. */
interface Ready<Prepared> {
  readonly prepared: Prepared;
  readonly access: FileAccess;
}

/** Work that will not be done, and why. */
export interface Unwanted {
  readonly outcome: "denied" | "refused";
  readonly text: string;
}

/** Work that a guard did not let pass, and what was asked about it. */
export interface Denied extends Unwanted {
  readonly exchanges: readonly Exchange[];
}

/** What a guard passes on. */
export interface Approval {
  readonly exchanges: readonly Exchange[];
  /** What was looked at when a person was asked; null when nobody was. */
  readonly fingerprint: string | null;
}

/** Prepares, guards and begins work on one file, for the three tools of a chain without a continuation. */
export class GuardedWork<Request, Prepared extends Guarded> {
  readonly #work: Work<Request, Prepared>;
  readonly #options: GuardedToolOptions;
  readonly #prepared = new PreparedStore<Ready<Prepared>>();
  /** What was allowed without asking anybody, and is done as it was judged. */
  readonly #judged = new PreparedStore<Ready<Prepared>>();

  constructor(work: Work<Request, Prepared>, options: GuardedToolOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** Looks into a request. `id` names what was prepared, for as long as this process has it. */
  async resolve(request: Request, context: ToolContext): Promise<{ readonly id: string } | Unwanted> {
    const ready = await this.#prepare(request, context);
    if (ready instanceof CommandRefusal) return this.#refused(ready, context);
    const id = requestId(request, context);
    this.#prepared.put(id, ready);
    return { id };
  }

  /** @param payload - What a suspended run is to go on with. */
  async guard(
    { request, id, payload }: { readonly request: Request; readonly id: string; readonly payload: unknown },
    context: ToolContext,
    waited?: Waited,
  ): Promise<Approval | Suspend | Denied> {
    const ready = this.#prepared.take(id) ?? (await this.#prepare(request, context));
    const call = this.#call(context);
    if (ready instanceof CommandRefusal) {
      const denial = waited === undefined ? undefined : answerTooLate(call, waited);
      if (denial !== undefined)
        return { outcome: "denied", text: denial.message, exchanges: denial.exchanges };
      return { ...this.#refused(ready, context), exchanges: waited?.answered ?? [] };
    }
    const seen = () => seenFor(call, ready.prepared, { id, waited });
    const judgement = await guardPrepared(call, ready.prepared, { waited, seen });
    switch (judgement.status) {
      case "waiting":
        return suspendFor(judgement, {
          payload,
          command: labelOf(this.#work.words(request)),
          fingerprint: await seen(),
        });
      case "denied":
        return { outcome: "denied", text: judgement.message, exchanges: judgement.exchanges };
      case "allowed": {
        const { exchanges } = judgement;
        if (exchanges.length === 0) this.#judged.put(id, ready);
        return { exchanges, fingerprint: exchanges.length === 0 ? null : await seen() };
      }
    }
  }

  /** Does the work as it was approved, when that still holds. */
  async execute<Done>(
    { request, id, exchanges, fingerprint }: Approval & { readonly request: Request; readonly id: string },
    context: ToolContext,
    run: (prepared: Prepared) => Done | Promise<Done>,
  ): Promise<Done | Unwanted> {
    let ready = this.#judged.take(id);
    if (ready === undefined) {
      const again = await this.#prepare(request, context);
      if (again instanceof CommandRefusal) return this.#refused(again, context);
      const judgement = await confirm(this.#call(context), again.prepared, { exchanges, fingerprint });
      if (judgement.status === "denied") return { outcome: "denied", text: judgement.message };
      ready = again;
    }
    try {
      return await run(ready.prepared);
    } finally {
      ready.access.close();
    }
  }

  /** A report's frame, behind what was asked. */
  frame(request: Request, text: string, exchanges: readonly Exchange[] = []): string {
    const label = labelOf(this.#work.words(request));
    const frame = `--- begin: ${label} ---\n${text}\n--- end: ${label} ---`;
    return [...exchanges.map(exchangeText), frame].join("\n");
  }

  async #prepare(request: Request, { signal }: ToolContext): Promise<Ready<Prepared> | CommandRefusal> {
    const { policy } = this.#options;
    const { name } = this.#work;
    const access = new FileAccess({ base: policy.base });
    const visibility = new Visibility(policy);
    try {
      const { literal } = pathTokens({ name, access, visibility, signal, checkBudget: () => undefined });
      return { prepared: await this.#work.prepare(request, { access, literal }), access };
    } catch (error) {
      if (error instanceof CommandRefusal) return error;
      const sentence = systemSentence(error);
      if (sentence === undefined) throw error;
      return new CommandRefusal(`${name}: ${sentence}`);
    } finally {
      access.close();
    }
  }

  #refused(refusal: CommandRefusal, context: ToolContext): Unwanted {
    const { policy } = this.#options;
    const { message, need } = tellable(refusal, policy);
    if (need === null) return { outcome: "refused", text: message };
    const { verdict, rule = null } = policy.decide(need.operation, need.location);
    auditDecision(this.#call(context), { ...need, verdict, rule, answeredBy: "policy" });
    return { outcome: "denied", text: message };
  }

  #call(context: ToolContext): GuardedCall {
    const { name, guardName } = this.#work;
    return { options: this.#options, context, toolName: guardName, command: name };
  }
}
