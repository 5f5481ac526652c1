import { CommandRefusal } from "../commands/command.ts";
import { isWithin, parentLocation, childLocation } from "../files/file-name.ts";
import type { RequiredPermission } from "../permissions/operation.ts";
import type { PermissionPolicy } from "../permissions/policy.ts";
import { quoted } from "../permissions/quote.ts";

/** A path leads where the policy allows nothing; nobody looked whether anything stands there. */
export class LookDenied extends CommandRefusal {
  readonly need: RequiredPermission;

  constructor(location: string) {
    super(`Denied read: ${quoted(location)}`);
    this.name = "LookDenied";
    this.need = { operation: "read", location };
  }
}

/**
 * What a command's messages may tell about: places at which a policy allows anything, and all names in folders that may
 * be read. Of other places not even that they exist may show.
 */
export class Visibility {
  readonly #policy: PermissionPolicy;

  constructor(policy: PermissionPolicy) {
    this.#policy = policy;
  }

  isVisible(location: string): boolean {
    const allows = (operation: RequiredPermission["operation"], at: string): boolean =>
      this.#policy.decide(operation, at).verdict === "allow";
    return (
      allows("read", location) ||
      allows("create", location) ||
      allows("delete", location) ||
      allows("read", parentLocation(location))
    );
  }

  /**
   * Checks a path before anything is looked at: where it leads, and each folder that a later `..` takes back.
   *
   * @throws {@link LookDenied} for the first place that may not show.
   */
  checkPath(text: string): void {
    const { base } = this.#policy;
    const visited: string[] = [];
    let location = text.startsWith("/") ? "/" : base;
    for (const component of text.split("/")) {
      if (component === "" || component === ".") continue;
      location = component === ".." ? parentLocation(location) : childLocation(location, component);
      visited.push(location);
    }
    for (const place of [location, ...visited]) {
      const isOnTheWay = place !== location && (isWithin(location, place) || isWithin(base, place));
      if (!isOnTheWay && !this.isVisible(place)) throw new LookDenied(place);
    }
  }
}
