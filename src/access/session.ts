// Who has logged in to what: sessions, the grants that they hold, and the tokens that stand for them.

/** A login to one profile. Times are in milliseconds since 1970. */
export interface LoginGrant {
  readonly profile: string;
  /** As the way of logging in names the reader; "" where it does not, as after a click. */
  readonly user: string;
  /** Of what vouched for the login (`fingerprints.ts`). */
  readonly fingerprint: string;
  readonly grantedAt: number;
  readonly expiresAt: number;
}

/** Which grants: of a profile, of a user, or of both; of neither, all sessions. */
export interface GrantFilter {
  readonly profile?: string;
  readonly user?: string;
}

/** A session as its store holds it. An expired one is not found. */
export interface Session {
  readonly createdAt: number;
  readonly expiresAt: number;
  /** At most one for each profile, and none that has expired. */
  readonly grants: readonly LoginGrant[];
}

/** A new secret of a reader, which only they have: stores know its digest alone. */
export interface Issued {
  /** 256 random bits in base64url. */
  readonly id: string;
  readonly expiresAt: number;
}

/** How many sessions there are; for each profile where the store can list them. */
export interface SessionCount {
  readonly total: number;
  readonly byProfile?: Readonly<Record<string, number>>;
}

/**
 * All functions throw ServiceError `busy` (code sessions_unavailable) where the store does not answer: that somebody is not
 * logged in is only said when it is known. Ids that no session can have are not asked for.
 */
export interface Sessions {
  /** The session of a cookie's value. */
  find(id: string): Promise<Session | undefined>;
  /** The session that a token stands for; none once that has ended. */
  findByToken(token: string): Promise<Session | undefined>;
  /**
   * Begins a session with this grant. It takes over the unexpired grants of the session before, which ends with all its
   * tokens; so an id that was known before a login is worth nothing after it.
   */
  logIn(grant: LoginGrant, before?: string): Promise<Issued>;
  /** The same, but begins none, and returns undefined, where the session before is not there. */
  replace(grant: LoginGrant, before: string): Promise<Issued | undefined>;
  /**
   * A token for a session; undefined if there is no such session. `profiles`: those whose grants it stands
   * for; all without.
   */
  issueToken(id: string, ttlMs: number, profiles?: readonly string[]): Promise<Issued | undefined>;
  /** Ends a session and all its tokens. */
  logOut(id: string): Promise<void>;
  /** Ends all sessions that hold such a grant, with their tokens. Returns how many. */
  endAll(of: GrantFilter): Promise<number>;
  count(): Promise<SessionCount>;
  /** Resolves when the store can be read and written; throws with the reason, in words for the operator. */
  check(): Promise<void>;
  close(): Promise<void>;
}
