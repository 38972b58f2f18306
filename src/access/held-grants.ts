// Sessions as far as their grants still hold: for as long as somebody could log in as they did.

import type { Profile } from "./profiles/profile.ts";
import type { LoginGrant, Session, Sessions } from "./session.ts";

export interface HeldGrantsParts {
  readonly sessions: Sessions;
  profileOf(name: string): Profile | undefined;
  /** Those of a profile whose readers have passwords here. */
  passwordsOf(profile: string): { holds(user: string, mark: string): Promise<boolean> } | undefined;
}

/**
 * Sessions that are found without the grants of a profile that is no longer there or has another pattern or backend than at the login,
 * and without those of a user who was removed or has another password since. Their store keeps these grants until they
 * expire, so that what was changed by mistake can be changed back.
 */
export function heldSessions({ sessions, profileOf, passwordsOf }: HeldGrantsParts): Sessions {
  const holds = async ({ profile: name, pattern, backend, user, mark }: LoginGrant): Promise<boolean> => {
    const profile = profileOf(name);
    if (profile?.pattern !== pattern || profile.access_service.backend !== backend) return false;
    const passwords = passwordsOf(name);
    return !passwords || (mark !== undefined && (await passwords.holds(user, mark)));
  };
  const held = async (session: Session | undefined): Promise<Session | undefined> => {
    if (!session) return undefined;
    const { grants } = session;
    const each = await Promise.all(grants.map(holds));
    return each.every(Boolean) ? session : { ...session, grants: grants.filter((_, at) => each[at]) };
  };
  return {
    ...sessions,
    find: async (id) => held(await sessions.find(id)),
    findByToken: async (token) => held(await sessions.findByToken(token)),
  };
}
