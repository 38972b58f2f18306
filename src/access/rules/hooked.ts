// The authorize hook, before other access rules: what it refuses is refused to everybody; what it allows is for the rules to decide.

import { ServiceError } from "../../errors.ts";
import type { Authorization } from "../../hooks/hook.ts";
import type { Hooks } from "../../hooks/index.ts";
import { checkIdentifier } from "../../iiif/image/path.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import { maskIdentifier } from "../../lib/telemetry/mask-path.ts";
import {
  type Access,
  type Caller,
  combineSharing,
  type Decision,
  type Denial,
  type Grant,
  type Refused,
  type Ruled,
} from "../access.ts";
import { hookRequestOf } from "./hook-request.ts";
import { isSameMaster } from "./spellings.ts";

const statuses: ReadonlySet<number> = new Set<Denial["status"]>([401, 403, 404, 410, 429, 451]);

export interface HookedParts {
  readonly hooks: Hooks;
  readonly log: Pick<Log, "warn">;
  /** Further identifiers of the master of an identifier. */
  readonly otherNames: (identifier: string) => readonly string[];
}

/** Another image in the place of the one that was asked for. */
type Swap = Grant & Required<Pick<Grant, "identifier" | "otherwise">>;

/**
 * Access rules with a hook before them. Without the function `authorize` these are the rules themselves. What the hook refuses
 * needs no login to be looked up; a hook that fails refuses. What it decided is kept by its caller alone.
 */
export function hookedAccess(rules: Access, { hooks, log, otherNames }: HookedParts): Access {
  const decide = async (caller: Caller): Promise<Decision> => {
    const { identifier } = caller;
    const said = await ask(caller);
    const own = said && decisionOf(said, identifier);
    // A substitute is not decided on again, so the image itself under another name would lift what the rules refuse.
    const isItself = own?.allowed && isSameMaster(own.identifier, identifier, otherNames);
    if (own && !isItself) return shared(own, said, rules.ruleFor?.(identifier));
    const ruled = await rules.decide(caller);
    if (!said || !isItself) return shared(ruled, said, ruled);
    return shared(hasAll(ruled) ? own : said.allow ? ruled : own.otherwise, said, ruled);
  };

  /** What the hook says; a failure is a refusal. */
  const ask = async (caller: Caller): Promise<Authorization | undefined> => {
    try {
      return await hooks.authorize(hookRequestOf(caller));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "hook") throw error;
      return {
        allow: false,
        reason: "Whether you may have this image could not be found out. Try again later.",
      };
    }
  };

  /** What the hook decides by itself; undefined: it leaves the decision to the rules. */
  const decisionOf = (said: Authorization, identifier: string): Refused | Swap | undefined => {
    const { allow, redirect: location, reason = "This image is elsewhere.", substitute } = said;
    if (location !== undefined) return { allowed: false, status: 303, location, reason, ...open };
    if (allow && substitute === undefined) return undefined;
    const otherwise = denialOf(said, identifier);
    const picture = substituteOf(said, identifier);
    if (picture === undefined) return otherwise;
    return { allowed: true, tier: "substitute", identifier: picture, otherwise, ...open };
  };

  /** Undefined where there is none, or none that could be an identifier. */
  const substituteOf = ({ substitute }: Authorization, identifier: string): string | undefined => {
    if (substitute === undefined) return undefined;
    try {
      return checkIdentifier(substitute);
    } catch {
      log.warn("the substitute that a hook named can be no identifier", {
        identifier: maskIdentifier(identifier),
        substitute: maskIdentifier(substitute),
      });
      return undefined;
    }
  };

  const denialOf = ({ status = 401, reason }: Authorization, identifier: string): Denial => {
    const isDenial = statuses.has(status);
    if (!isDenial)
      log.warn("the status that a hook named is none of a denial; 401 is sent", {
        identifier: maskIdentifier(identifier),
        status,
      });
    return {
      allowed: false,
      status: isDenial ? (status as Denial["status"]) : 401,
      reason: reason ?? "You may not have this image.",
      ...open,
    };
  };

  /** Answers for one identifier vary by the same headers, whoever decided. */
  const shared = (
    decision: Decision,
    said: Authorization | undefined,
    ruled: Ruled | undefined,
  ): Decision => {
    const { vary } = combineSharing([ruled, hooks.sharing()].filter((each) => each !== undefined));
    const profile = said?.profile ?? ruled?.profile;
    return { ...decision, keptBy: "caller", vary, ...(profile !== undefined && { profile }) };
  };

  return {
    decide: (caller) => (hooks.has("authorize") ? decide(caller) : rules.decide(caller)),
    ...(rules.ruleFor && { ruleFor: rules.ruleFor }),
    unhooked: () => (hooks.has("authorize") ? undefined : rules),
  };
}

const hasAll = (ruled: Decision) => ruled.allowed && ruled.tier !== "substitute";

/** To be replaced by what holds for all that a hook decides. */
const open = { keptBy: "caller", vary: [] } as const;
