// Sessions over a store: replaces earlier sessions at a login, hides expired ones, and digests ids before a
// store sees them.

import { sha256, toBase64Url, toHex } from "../../../base/index.ts";
import type { Issued, LoginGrant, Session, Sessions } from "../session.ts";
import type { SessionStore } from "./store.ts";

export interface SessionsOptions {
  readonly store: SessionStore;
  /** Lifetime of a session from its login, in milliseconds. */
  readonly ttlMs: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Creates the sessions of a service. Errors of the store are passed on. */
export function createSessions({ store, ttlMs, now = Date.now }: SessionsOptions): Sessions {
  const isLive = ({ expiresAt }: { readonly expiresAt: number }) => expiresAt > now();

  /** Returns the session with its valid grants; removes it and returns undefined if it has expired. */
  const liveSession = async (key: string, found: Session | undefined): Promise<Session | undefined> => {
    if (!found) return undefined;
    if (isLive(found)) return { ...found, grants: found.grants.filter(isLive) };
    // An expired session counts as gone even if it cannot be removed.
    await store.end(key).catch(() => {});
    return undefined;
  };

  const findByKey = async (key: string) => liveSession(key, await store.find(key));

  const idsOf = async () => {
    const id = createId();
    return { id, key: (await keyOf(id)) as string };
  };
  const sessionWith = (grants: readonly LoginGrant[]): Session => {
    const createdAt = now();
    return { createdAt, expiresAt: createdAt + ttlMs, grants };
  };

  const begin = async (grant: LoginGrant): Promise<Issued> => {
    const { id, key } = await idsOf();
    const session = sessionWith([grant]);
    await store.begin(key, session);
    return { id, expiresAt: session.expiresAt };
  };

  /**
   * Filters of sessions that are being ended. A login takes none of these over, so that logging in does not
   * escape the filter.
   */
  const ending = new Set<(session: Session) => boolean>();

  const replace = async (grant: LoginGrant, before: string): Promise<Issued | undefined> => {
    const oldKey = await keyOf(before);
    const old = oldKey && (await findByKey(oldKey));
    if (!old || [...ending].some((isMeant) => isMeant(old))) return undefined;
    const { id, key } = await idsOf();
    const session = sessionWith(withGrant(old.grants, grant));
    return (await store.begin(key, session, oldKey)) ? { id, expiresAt: session.expiresAt } : undefined;
  };

  return {
    async find(id) {
      const key = await keyOf(id);
      return key === undefined ? undefined : findByKey(key);
    },
    async findByToken(id) {
      const key = await keyOf(id);
      const found = key && (await store.findByToken(key));
      if (!found) return undefined;
      const { token, session } = found;
      if (isLive(token)) return limitTo(await liveSession(token.session, session), token.profiles);
      await store.removeToken(key, token.session).catch(() => {});
      return undefined;
    },
    // If another login or a logout ended the session before in the meantime, there is nothing to take over.
    logIn: async (grant, before) =>
      (before === undefined ? undefined : await replace(grant, before)) ?? begin(grant),
    replace,
    async issueToken(id, tokenTtlMs, profiles): Promise<Issued | undefined> {
      const key = await keyOf(id);
      const session = key && (await findByKey(key));
      if (!session) return undefined;
      const token = createId();
      const createdAt = now();
      const expiresAt = Math.min(createdAt + tokenTtlMs, session.expiresAt);
      const added = await store.addToken((await keyOf(token)) as string, {
        session: key,
        createdAt,
        expiresAt,
        ...(profiles && { profiles }),
      });
      return added ? { id: token, expiresAt } : undefined;
    },
    async logOut(id) {
      const key = await keyOf(id);
      if (key) await store.end(key);
    },
    async endAll({ profile, user }) {
      const isHeld = (grant: LoginGrant) =>
        (profile === undefined || grant.profile === profile) && (user === undefined || grant.user === user);
      const everybody = profile === undefined && user === undefined;
      const isMeant = ({ grants }: Session) => everybody || grants.some(isHeld);
      let ended = 0;
      // Some stores count expired sessions, which log nobody in.
      const countEnded = (session: Session) => {
        const isOne = isMeant(session);
        if (isOne && isLive(session)) ended++;
        return isOne;
      };
      ending.add(isMeant);
      try {
        await store.endMatching(countEnded);
        // Again, for grants that a login took over during the first pass, here or on another server.
        await store.endMatching(countEnded);
        return ended;
      } finally {
        ending.delete(isMeant);
      }
    },
    async knowsNetwork(user, network) {
      const expiresAt = await store.findNetwork(user, network);
      return expiresAt !== undefined && isLive({ expiresAt });
    },
    async rememberNetwork(user, network, forMs) {
      const createdAt = now();
      await store.rememberNetwork(user, network, { createdAt, expiresAt: createdAt + forMs });
    },
    count: () => store.count(),
    check: () => store.check(),
    close: async () => store.close?.(),
  };
}

/** Returns a session with the grants of some profiles, or all. */
const limitTo = (session: Session | undefined, profiles: readonly string[] | undefined) =>
  session && profiles
    ? { ...session, grants: session.grants.filter(({ profile }) => profiles.includes(profile)) }
    : session;

/** A new login to a profile replaces the previous one. */
const withGrant = (grants: readonly LoginGrant[], grant: LoginGrant): LoginGrant[] => [
  ...grants.filter(({ profile }) => profile !== grant.profile),
  grant,
];

/** Returns a reader's secret: 256 random bits (RFC 4648, section 5). Stores know only its digest. */
function createId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Returns the key of a record; undefined for an impossible id. */
async function keyOf(id: string): Promise<string | undefined> {
  return /^[A-Za-z0-9_-]{43}$/.test(id) ? toHex(await sha256(id)) : undefined;
}
