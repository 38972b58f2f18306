// The authorize hook, which runs before other access rules: what it refuses is refused to everybody; what it
// allows still needs the rules.

import { type Log, maskIdentifier, ServiceError } from "../../../base/index.ts";
import { checkIdentifier } from "../../../iiif/index.ts";
import type { Authorization } from "../../hooks/hook.ts";
import type { Hooks } from "../../hooks/index.ts";
import {
  type Access,
  type Caller,
  combineSharing,
  type Decision,
  type Denial,
  type Grant,
  type Ruled,
} from "../access.ts";
import { hookRequestOf } from "./hook-request.ts";
import { isSameMaster } from "./spellings.ts";

const statuses: ReadonlySet<number> = new Set<Denial["status"]>([401, 403, 404, 410, 429, 451]);

export interface HookedParts {
  readonly hooks: Hooks;
  readonly log: Pick<Log, "warn">;
  /** Returns other identifiers of the same master. */
  readonly otherNames: (identifier: string) => readonly string[];
}

/**
 * Access rules with a hook before them. Without the function `authorize` these are the rules themselves. A
 * refusal by the hook needs no session lookup, and its decisions may be cached by their caller only. If the
 * hook fails, `decide` throws `busy` (code authorize_failed), since nobody knows who may have the image.
 */
export function hookedAccess(rules: Access, { hooks, log, otherNames }: HookedParts): Access {
  const decide = async (caller: Caller): Promise<Decision> => {
    const { identifier } = caller;
    const said = await ask(caller);
    const refused = rules.ruleFor?.(identifier);
    const own = said && decisionOf(said, identifier, refused);
    if (own) return withSharing(own, said, refused);
    const ruled = await rules.decide(caller);
    return withSharing(ruled, said, ruled);
  };

  const ask = async (caller: Caller): Promise<Authorization | undefined> => {
    try {
      return await hooks.authorize(hookRequestOf(caller));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "hook") throw error;
      throw new ServiceError("busy", "Your access to this image could not be checked. Try again later.", {
        code: "authorize_failed",
      });
    }
  };

  /** Returns the hook's own decision, or undefined if it leaves the decision to the rules. */
  const decisionOf = (
    said: Authorization,
    identifier: string,
    refused: Grant | Denial | undefined,
  ): Decision | undefined => {
    const { allow, redirect: location, reason = "This image is elsewhere.", substitute } = said;
    if (location !== undefined) return { allowed: false, status: 303, location, reason, ...open };
    if (allow && substitute === undefined) return undefined;
    const otherwise = denialOf(said, identifier);
    const note = said.reason === undefined ? {} : { note: said.reason };
    if (substitute === true && refused?.allowed) return { ...refused, ...note };
    const picture = substituteOf(said, identifier);
    if (picture === undefined) return otherwise;
    return { allowed: true, tier: "substitute", identifier: picture, otherwise, ...note, ...open };
  };

  /**
   * Returns undefined if there is no substitute that can be shown. A substitute gets no decision of its own,
   * so the same image under another name would bypass the rules.
   */
  const substituteOf = ({ substitute }: Authorization, identifier: string): string | undefined => {
    if (substitute === undefined) return undefined;
    const warnUnusable = (reason: string) => {
      log.warn(`a hook named a substitute that cannot be shown: ${reason}`, {
        identifier: maskIdentifier(identifier),
        substitute: maskIdentifier(String(substitute)),
      });
      return undefined;
    };
    if (substitute === true) return warnUnusable("no profile with substitute.max_size applies to the image");
    try {
      const picture = checkIdentifier(substitute);
      if (!isSameMaster(picture, identifier, otherNames)) return picture;
    } catch {
      return warnUnusable("it cannot be an identifier");
    }
    return warnUnusable("it is the image itself, or another page of it");
  };

  const denialOf = ({ status = 401, reason }: Authorization, identifier: string): Denial => {
    const isDenial = statuses.has(status);
    if (!isDenial)
      log.warn("the status that a hook named is not one of a denial; 401 is sent", {
        identifier: maskIdentifier(identifier),
        status,
      });
    return {
      allowed: false,
      status: isDenial ? (status as Denial["status"]) : 401,
      reason: reason ?? "You may not have this image.",
      ...(reason !== undefined && { note: reason }),
      ...open,
    };
  };

  /** Responses for one identifier vary by the same headers, whatever decided. */
  const withSharing = (
    decision: Decision,
    said: Authorization | undefined,
    ruled: Ruled | undefined,
  ): Decision => {
    const { vary } = combineSharing([ruled, hooks.sharing()].filter((each) => each !== undefined));
    const profile = said?.profile ?? ruled?.profile;
    return { ...decision, cachedBy: "caller", vary, ...(profile !== undefined && { profile }) };
  };

  return {
    decide: (caller) => (hooks.has("authorize") ? decide(caller) : rules.decide(caller)),
    ...(rules.ruleFor && { ruleFor: rules.ruleFor }),
    unhooked: () => (hooks.has("authorize") ? undefined : rules),
  };
}

/** Members that a decision has to have; `withSharing` replaces their values. */
const open = { cachedBy: "caller", vary: [] } as const;
