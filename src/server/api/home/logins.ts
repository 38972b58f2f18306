// The ways to log in from a page, and whether its reader is logged in.

import { combineSharing, type Decision, isUndecided, type Sharing } from "../../access/access.ts";
import type { Auth } from "../../access/auth.ts";
import type { Profile } from "../../access/profiles/profile.ts";
import { callerOf, type RequestContext } from "../http/context.ts";

export interface Logins {
  /** Profiles with a page to log in, of rules that the reader has no access by. */
  readonly profiles: readonly Profile[];
  readonly isLoggedIn: boolean;
  /** Who may cache a page that shows this. */
  readonly sharing: Sharing;
}

/** True if readers log in on a page: not by their address, and not at a site in front of this service. */
export const isInteractive = ({ pattern, access_service: { backend } }: Profile): boolean =>
  pattern !== "kiosk" && backend !== "header";

/** Finds them. While sessions cannot be looked up, readers count as not logged in. */
export async function findLogins(c: RequestContext, auth: Auth | undefined): Promise<Logins> {
  const offered = auth?.requirements.filter(({ profiles }) => profiles.some(isInteractive)) ?? [];
  if (!auth || offered.length === 0) return none;
  const caller = callerOf(c, "");
  const decisions: Decision[] = [];
  const profiles = new Set<Profile>();
  for (const required of offered) {
    const decision = await Promise.resolve(required)
      .then((each) => auth.decideOn(each, caller))
      .catch(whileUndecided(required.refused));
    decisions.push(decision);
    if (decision !== required.granted)
      for (const profile of required.profiles) if (isInteractive(profile)) profiles.add(profile);
  }
  const sessions = await auth.findSessions(caller).catch(whileUndecided([]));
  return {
    profiles: [...profiles],
    isLoggedIn: sessions.some(({ session }) => session.grants.length > 0),
    sharing: combineSharing(decisions),
  };
}

const none: Logins = { profiles: [], isLoggedIn: false, sharing: { cachedBy: "anyone", vary: [] } };

function whileUndecided<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (!isUndecided(error)) throw error;
    return instead;
  };
}
