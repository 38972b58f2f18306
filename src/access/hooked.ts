// The authorize hook, behind other access rules: it can refuse what they allow, never allow what they refuse.

import { ServiceError } from "../errors.ts";
import type { Authorization } from "../hooks/hook.ts";
import type { Hooks } from "../hooks/index.ts";
import { checkIdentifier, splitPage } from "../iiif/image/path.ts";
import type { Log } from "../lib/log.ts";
import {
  type Access,
  type Caller,
  combineSharing,
  type Decision,
  type Denial,
  type Refused,
} from "./access.ts";
import { hookRequestOf } from "./hook-request.ts";

const statuses: ReadonlySet<number> = new Set<Denial["status"]>([401, 403, 404, 410, 429, 451]);

/**
 * Access rules with a hook behind them. Without the function `authorize` these are the rules themselves. A hook that fails
 * denies. What it decided is kept by its caller alone.
 */
export function hookedAccess(rules: Access, hooks: Hooks, log: Pick<Log, "warn">): Access {
  const decide = async (caller: Caller): Promise<Decision> => {
    const ruled = await rules.decide(caller);
    let said: Authorization | undefined;
    try {
      said = await hooks.authorize(hookRequestOf(caller));
    } catch (error) {
      if (!(error instanceof ServiceError) || error.kind !== "hook") throw error;
      said = {
        allow: false,
        reason: "Whether you may have this image could not be found out. Try again later.",
      };
    }
    const { vary } = combineSharing([ruled, ...[hooks.sharing() ?? []].flat()]);
    const profile = said?.profile ?? ruled.profile;
    const decision = tightened(ruled, said, caller.identifier);
    return { ...decision, keptBy: "caller", vary, ...(profile !== undefined && { profile }) };
  };

  const tightened = (ruled: Decision, said: Authorization | undefined, identifier: string): Decision => {
    if (!said) return ruled;
    if (said.redirect !== undefined) return redirection(ruled, said.redirect, said.reason);
    const substitute = substituteOf(said, identifier);
    // It is not decided on again, so a page of the image in question would lift what rules refuse.
    const lifts = substitute !== undefined && !hasAll(ruled) && isSameMaster(substitute, identifier);
    if (said.allow && (said.substitute === undefined || lifts)) return ruled;
    const denial = denialOf(ruled, said, identifier);
    if (denial.status === 303 || substitute === undefined || lifts) return denial;
    return { allowed: true, tier: "substitute", identifier: substitute, otherwise: denial, ...open };
  };

  /** Undefined where there is none, or none that could be an identifier. */
  const substituteOf = ({ substitute }: Authorization, identifier: string): string | undefined => {
    if (substitute === undefined) return undefined;
    try {
      return checkIdentifier(substitute);
    } catch {
      log.warn("the substitute that a hook named can be no identifier", { identifier, substitute });
      return undefined;
    }
  };

  const denialOf = (ruled: Decision, { status, reason }: Authorization, identifier: string): Refused => {
    if (status !== undefined && !statuses.has(status))
      log.warn("the status that a hook named is none of a denial; 401 is sent", { identifier, status });
    const own = status === undefined ? undefined : statuses.has(status) ? (status as Denial["status"]) : 401;
    if (!ruled.allowed && ruled.status === 303) return ruled;
    return {
      allowed: false,
      status: own ?? (ruled.allowed ? 401 : ruled.status),
      reason: reason ?? (ruled.allowed ? "You may not have this image." : ruled.reason),
      ...open,
    };
  };

  return { decide: (caller) => (hooks.has("authorize") ? decide(caller) : rules.decide(caller)) };
}

const hasAll = (ruled: Decision) => ruled.allowed && ruled.tier !== "substitute";

/** Pages are of the master of their name. */
const isSameMaster = (one: string, other: string) => withoutPage(one) === withoutPage(other);

const withoutPage = (identifier: string) => splitPage(identifier)?.identifier ?? identifier;

/** To be replaced by what holds for all that a hook decides. */
const open = { keptBy: "caller", vary: [] } as const;

const redirection = (ruled: Decision, location: string, reason = "This image is elsewhere."): Decision =>
  ruled.allowed || ruled.status !== 303 ? { allowed: false, status: 303, location, reason, ...open } : ruled;
