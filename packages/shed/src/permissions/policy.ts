import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";

import { isWithin } from "../files/file-name.ts";
import { canonicalPath } from "./canonical-path.ts";
import { PolicyError } from "./errors.ts";
import { isOperation, operations, type ActionVerdict, type Operation } from "./operation.ts";
import { matchesPattern, parsePattern, type Pattern } from "./pattern.ts";
import { settingsProblem } from "./setting-names.ts";

/** Names operations at the places that a pattern matches. */
export interface PermissionRule {
  /**
   * A pattern that starts with `/` is matched against the absolute path, any other against the path relative to the base,
   * and then never matches outside of it. `*`, `?`, `[…]` and `[!…]` match within a name, `**` any number of names, and
   * `folder/**` the folder too. A function is called afresh at every check; one that fails denies the operation.
   */
  readonly pattern: string | (() => string);
  /** At least one. */
  readonly operations: readonly Operation[];
}

/** What a policy is made of. */
export interface PermissionPolicySettings {
  /** An absolute path, of no file: what relative patterns and paths start from. Links in it are resolved once. */
  readonly base: string;
  readonly allow?: readonly PermissionRule[] | undefined;
  readonly deny?: readonly PermissionRule[] | undefined;
  /** What needs a person's yes, in addition to being allowed; never grants anything by itself. */
  readonly ask?: readonly PermissionRule[] | undefined;
  /** What is denied whatever all other rules, defaults and people say. */
  readonly protect?: readonly PermissionRule[] | undefined;
  /** For what no rule names; `"deny"` by default. */
  readonly defaultVerdict?: ActionVerdict | undefined;
  /** For what is both allowed and denied; `"deny"` by default. */
  readonly takesPrecedence?: ActionVerdict | undefined;
}

/** What a policy says to one operation at one place. */
export interface PolicyDecision {
  readonly verdict: ActionVerdict;
  /** The list and pattern that decided; undefined when the default did. */
  readonly rule: MatchedRule | undefined;
  /** The ask rule that wants a person's yes; undefined when none does, or when the verdict is `"deny"`. */
  readonly ask: MatchedRule | undefined;
}

/** A rule that matched, as audit events name it. */
export interface MatchedRule {
  readonly list: "allow" | "deny" | "ask" | "protect";
  /** The pattern's text; null for a function that failed. */
  readonly pattern: string | null;
}

type RuleList = MatchedRule["list"];

/**
 * Says which operations are allowed where. Immutable. It guards the tools that are given it; it is no sandbox of the
 * operating system.
 */
export class PermissionPolicy {
  readonly base: string;
  readonly allow: readonly PermissionRule[];
  readonly deny: readonly PermissionRule[];
  readonly ask: readonly PermissionRule[];
  readonly protect: readonly PermissionRule[];
  readonly defaultVerdict: ActionVerdict;
  readonly takesPrecedence: ActionVerdict;
  /** The rules that name each operation. */
  readonly #rules: ReadonlyMap<Operation, Readonly<Record<RuleList, readonly PreparedRule[]>>>;

  /**
   * @throws {@link PolicyError} (`shed/policy`) when the base is not absolute or is a file, a rule is malformed, or a setting is
   * not known.
   */
  constructor(settings: PermissionPolicySettings) {
    checkNames("argument", settings, settingNames);
    this.base = canonicalBase(settings.base);
    this.allow = checkRules("allow", settings.allow);
    this.deny = checkRules("deny", settings.deny);
    this.ask = checkRules("ask", settings.ask);
    this.protect = checkRules("protect", settings.protect);
    this.defaultVerdict = checkVerdict("defaultVerdict", settings.defaultVerdict);
    this.takesPrecedence = checkVerdict("takesPrecedence", settings.takesPrecedence);
    const { allow, deny, ask, protect } = this;
    const rulesOf = (operation: Operation) => ({
      allow: preparedRules("allow", allow, operation),
      deny: preparedRules("deny", deny, operation),
      ask: preparedRules("ask", ask, operation),
      protect: preparedRules("protect", protect, operation),
    });
    this.#rules = new Map(operations.map((operation) => [operation, rulesOf(operation)]));
    Object.freeze(this);
  }

  /**
   * Allows reading, creating and deleting everything in a folder.
   *
   * @param base - A relative path starts from the working directory; an empty one is refused, since it may be a setting that is
   * not there.
   * @throws {@link PolicyError} (`shed/policy`) when it is no path, or the path of a file.
   */
  static local(base: string): PermissionPolicy {
    if (typeof base !== "string" || base === "")
      throw new PolicyError({ setting: "base", problem: "is no path; give that of one folder" });
    return new PermissionPolicy({
      base: resolve(base),
      allow: [{ pattern: "**", operations: ["read", "create", "delete"] }],
    });
  }

  /**
   * Decides about one operation at one place.
   *
   * @param location - Absolute and canonical: without `.`, `..`, links and empty components.
   * @throws {@link PolicyError} (`shed/policy`) for what is no operation, and a location that is no text.
   */
  decide(operation: Operation, location: string): PolicyDecision {
    const rules = this.#rulesFor(operation);
    if (typeof location !== "string")
      throw new PolicyError({ setting: "location", problem: "is no text; give an absolute path" });
    const place = new Place(this.base, location);
    const protectedBy = firstMatch(rules.protect, place);
    if (protectedBy !== undefined) return { verdict: "deny", rule: protectedBy, ask: undefined };
    const denied = firstMatch(rules.deny, place);
    if (denied?.pattern === null) return { verdict: "deny", rule: denied, ask: undefined };
    const allowed = firstMatch(rules.allow, place);
    const { verdict, rule } = this.#combine(allowed, denied);
    if (verdict === "deny") return { verdict, rule, ask: undefined };
    const ask = firstMatch(rules.ask, place);
    // Whether a rule that failed would have asked cannot be known.
    if (ask?.pattern === null) return { verdict: "deny", rule: ask, ask: undefined };
    return { verdict, rule, ask };
  }

  /**
   * The decision about one operation that is the same at every place below a directory; undefined where it depends on the
   * place. A policy with its own {@link decide} is to be asked about each place.
   *
   * @param location - Of the directory: absolute and canonical.
   */
  decideBelow(operation: Operation, location: string): PolicyDecision | undefined {
    if (this.decide !== PermissionPolicy.prototype.decide) return undefined;
    const isInside = isWithin(location, this.base);
    // Part of what is below may be inside.
    const isMixed = !isInside && isWithin(this.base, location);
    const isSame = ({ pattern }: PreparedRule) => {
      if (typeof pattern === "function") return false;
      if (pattern.isAbsolute || isInside) return pattern.isEverything;
      return !isMixed;
    };
    const isSameForAll = Object.values(this.#rulesFor(operation)).every((rules) => rules.every(isSame));
    return isSameForAll ? this.decide(operation, location) : undefined;
  }

  /** Whether an operation may happen without asking anybody. */
  permits(operation: Operation, location: string): boolean {
    const { verdict, ask } = this.decide(operation, location);
    return verdict === "allow" && ask === undefined;
  }

  #rulesFor(operation: Operation): Readonly<Record<RuleList, readonly PreparedRule[]>> {
    const rules = this.#rules.get(operation);
    if (rules !== undefined) return rules;
    throw new PolicyError({ setting: "operation", problem: `is none of ${operations.join(", ")}` });
  }

  #combine(
    allowed: MatchedRule | undefined,
    denied: MatchedRule | undefined,
  ): Pick<PolicyDecision, "verdict" | "rule"> {
    if (allowed === undefined && denied === undefined)
      return { verdict: this.defaultVerdict, rule: undefined };
    if (denied === undefined) return { verdict: "allow", rule: allowed };
    if (allowed === undefined) return { verdict: "deny", rule: denied };
    return { verdict: this.takesPrecedence, rule: this.takesPrecedence === "allow" ? allowed : denied };
  }
}

/** A rule as it is looked through. */
interface PreparedRule {
  /** What it is called when it matches; of a pattern that is a function, the list. */
  readonly named: MatchedRule;
  /** Parsed once, when it was written out. */
  readonly pattern: Pattern | (() => string);
}

function preparedRules(
  list: RuleList,
  rules: readonly PermissionRule[],
  operation: Operation,
): readonly PreparedRule[] {
  return rules
    .filter((rule) => rule.operations.includes(operation))
    .map(({ pattern }) =>
      typeof pattern === "string"
        ? { named: Object.freeze({ list, pattern }), pattern: parsePattern(pattern) }
        : { named: Object.freeze({ list, pattern: null }), pattern },
    );
}

/** The first rule that matches a place; a failing function counts, but never for allowing. */
function firstMatch(rules: readonly PreparedRule[], place: Place): MatchedRule | undefined {
  for (const { named, pattern } of rules) {
    if (typeof pattern === "object") {
      if (matches(pattern, place)) return named;
      continue;
    }
    const text = computed(pattern);
    if (text === null) {
      if (named.list !== "allow") return named;
    } else if (matches(parsePattern(text), place)) {
      return { list: named.list, pattern: text };
    }
  }
  return undefined;
}

function matches(pattern: Pattern, place: Place): boolean {
  if (!pattern.isAbsolute && !place.isInside) return false;
  if (pattern.isEverything) return true;
  return matchesPattern(pattern, pattern.isAbsolute ? place.absolute : place.relative);
}

/** A place as both kinds of patterns see it; taken apart when a pattern needs that. */
class Place {
  readonly #base: string;
  readonly #location: string;
  readonly isInside: boolean;
  #absolute: readonly string[] | undefined;
  #relative: readonly string[] | undefined;

  constructor(base: string, location: string) {
    this.#base = base === "/" ? "" : base;
    this.#location = location;
    this.isInside = isWithin(location, base);
  }

  get absolute(): readonly string[] {
    this.#absolute ??= componentsOf(this.#location);
    return this.#absolute;
  }

  /** Only of use inside the base. */
  get relative(): readonly string[] {
    this.#relative ??= componentsOf(this.#location.slice(this.#base.length));
    return this.#relative;
  }
}

function componentsOf(path: string): readonly string[] {
  return path.split("/").filter((component) => component !== "");
}

/** What a function gives as a pattern now; null when it fails, or gives no text. */
function computed(pattern: () => string): string | null {
  try {
    const text: unknown = pattern();
    return typeof text === "string" ? text : null;
  } catch {
    return null;
  }
}

const settingNames: readonly (keyof PermissionPolicySettings)[] = [
  "base",
  "allow",
  "deny",
  "ask",
  "protect",
  "defaultVerdict",
  "takesPrecedence",
];
const ruleNames: readonly (keyof PermissionRule)[] = ["pattern", "operations"];

function checkNames(owner: string, given: unknown, known: readonly string[]): void {
  const found = settingsProblem(owner, given, known);
  if (found !== undefined) throw new PolicyError(found);
}

function checkRules(list: RuleList, rules: readonly PermissionRule[] = []): readonly PermissionRule[] {
  const given: unknown = rules;
  if (!Array.isArray(given)) throw new PolicyError({ setting: list, problem: "is no list of rules" });
  return Object.freeze(
    rules.map((rule, index) => {
      const setting = `${list}[${index}]`;
      checkNames(setting, rule, ruleNames);
      const { pattern, operations: named } = rule;
      if (typeof pattern !== "string" && typeof pattern !== "function") {
        throw new PolicyError({
          setting: `${setting}.pattern`,
          problem: "is neither a text nor a function that gives one",
        });
      }
      const listed: unknown = named;
      const unique = Array.isArray(listed) ? [...new Set(named)] : [];
      if (unique.length === 0 || !unique.every(isOperation)) {
        throw new PolicyError({
          setting: `${setting}.operations`,
          problem: `must name at least one of ${operations.join(", ")}, and nothing else`,
        });
      }
      return Object.freeze({ pattern, operations: Object.freeze(unique) });
    }),
  );
}

function checkVerdict(setting: string, verdict: ActionVerdict = "deny"): ActionVerdict {
  const given: unknown = verdict;
  if (given !== "deny" && given !== "allow") {
    throw new PolicyError({ setting, problem: 'is neither "deny" nor "allow"' });
  }
  return given;
}

/** A base without links; what does not exist yet is kept as it is written. */
function canonicalBase(base: string): string {
  if (typeof base !== "string" || !isAbsolute(base) || base.includes("\0")) {
    throw new PolicyError({ setting: "base", problem: "is no absolute path; resolve it first" });
  }
  const canonical = resolved(resolve(base));
  if (statSync(canonical, { throwIfNoEntry: false })?.isFile() === true) {
    throw new PolicyError({ setting: "base", problem: "is a file; give the folder it is in" });
  }
  return canonical;
}

function resolved(path: string): string {
  try {
    return canonicalPath(path);
  } catch {
    throw new PolicyError({ setting: "base", problem: "cannot be resolved; check its parent folders" });
  }
}
