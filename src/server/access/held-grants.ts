// Limits sessions to grants that are still valid: those with which somebody could log in now.

import type { Fingerprints } from "./fingerprints.ts";
import type { LoginGrant, Session, Sessions } from "./session.ts";

/**
 * Hides grants whose fingerprint has changed since the login. The store keeps them until they expire, so that
 * a change made by mistake can be reverted.
 */
export function heldSessions(sessions: Sessions, fingerprints: Fingerprints): Sessions {
  const holds = async ({ profile, user, fingerprint }: LoginGrant): Promise<boolean> =>
    (await fingerprints.of(profile, user)) === fingerprint;
  const keepHeldGrants = async (session: Session | undefined): Promise<Session | undefined> => {
    if (!session) return undefined;
    const { grants } = session;
    const each = await Promise.all(grants.map(holds));
    return each.every(Boolean) ? session : { ...session, grants: grants.filter((_, at) => each[at]) };
  };
  return {
    ...sessions,
    find: async (id) => keepHeldGrants(await sessions.find(id)),
    findByToken: async (token) => keepHeldGrants(await sessions.findByToken(token)),
  };
}
