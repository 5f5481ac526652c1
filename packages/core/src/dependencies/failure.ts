import { errorChain, chainText } from "./error-chain.ts";
import { isReasonCode, reasonOf, type ReasonCode } from "./reason-code.ts";
import { redactor, type RedactionOptions } from "./redact.ts";

const marker = Symbol.for("@roboz/core/dependency-failure");
const maxMessage = 20_000;

/** What counts as a secret beside what looks like one. */
export type FailureOptions = Pick<RedactionOptions, "secrets" | "environment">;

/**
 * Why a dependency cannot be used: a stable code for programs, and a text for people that shows no secret. It keeps
 * nothing else, so that printing or storing it shows no more.
 */
export class DependencyFailure {
  readonly reasonCode: ReasonCode;
  /** Masked by {@link redactSecrets}, at most about 20 000 characters. */
  readonly message: string;
  declare readonly [marker]: true;

  static {
    // On the prototype, so that no printer shows it.
    Object.defineProperty(this.prototype, marker, { value: true });
  }

  constructor(
    { reasonCode, message }: { readonly reasonCode: ReasonCode; readonly message: string },
    options: FailureOptions = {},
  ) {
    this.reasonCode = isReasonCode(reasonCode) ? reasonCode : "check_failed";
    this.message = redactor(options)(message, maxMessage);
    Object.freeze(this);
  }

  /**
   * The failure that an error, or anything else that was thrown, stands for. Its text has the error and what it was
   * caused by, each as its class, its HTTP status where there is one, and its message, or the provider's own words. Nothing
   * else of an error is read, and none is changed. The innermost error that says what kind of failure it is decides the
   * code; an error may say so itself by a `reasonCode`.
   */
  static fromError(error: unknown, options: FailureOptions = {}): DependencyFailure {
    const chain = errorChain(error);
    const message = chainText(chain, redactor(options));
    return new DependencyFailure({ reasonCode: reasonOf(chain), message }, options);
  }

  /** Like `instanceof`, and also true for a failure of another installed copy of this package. */
  static is(candidate: unknown): candidate is DependencyFailure {
    return typeof candidate === "object" && candidate !== null && marker in candidate;
  }

  toString(): string {
    return `${this.reasonCode}: ${this.message}`;
  }
}
