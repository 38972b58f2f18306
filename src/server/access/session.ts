// Sessions of readers, the grants that they hold, and the tokens that stand for them.

/** A login to one profile. Times are in milliseconds since 1970. */
export interface LoginGrant {
  readonly profile: string;
  /** The reader's name according to the login; "" if it has none, as after a click. */
  readonly user: string;
  /** Fingerprint of what vouched for the login (`fingerprints.ts`). */
  readonly fingerprint: string;
  readonly grantedAt: number;
  readonly expiresAt: number;
}

/** Selects grants of a profile, of a user, or of both; without either, all sessions. */
export interface GrantFilter {
  readonly profile?: string;
  readonly user?: string;
}

/** A session as its store holds it. Expired ones are not found. */
export interface Session {
  readonly createdAt: number;
  readonly expiresAt: number;
  /** At most one for each profile, and none that has expired. */
  readonly grants: readonly LoginGrant[];
}

/** A reader's new secret; stores know only its digest. */
export interface Issued {
  /** 256 random bits in base64url. */
  readonly id: string;
  readonly expiresAt: number;
}

/** Number of sessions; per profile if the store can list them. */
export interface SessionCount {
  readonly total: number;
  readonly byProfile?: Readonly<Record<string, number>>;
}

/**
 * All functions throw ServiceError `busy` (code sessions_unavailable) if the store does not respond: a caller
 * counts as not logged in only if that is known. Ids that no session can have are not looked up.
 */
export interface Sessions {
  /** Returns the session of a cookie's value. */
  find(id: string): Promise<Session | undefined>;
  /** Returns the session that a token stands for, or undefined once it has ended. */
  findByToken(token: string): Promise<Session | undefined>;
  /**
   * Begins a session with this grant. It takes over the unexpired grants of the previous session, which ends
   * with all its tokens; an id known before a login is therefore worthless after it.
   */
  logIn(grant: LoginGrant, before?: string): Promise<Issued>;
  /** Like `logIn`, but returns undefined and begins no session if the session `before` does not exist. */
  replace(grant: LoginGrant, before: string): Promise<Issued | undefined>;
  /**
   * Issues a token for a session; undefined if there is no such session. `profiles` limits the grants that it
   * stands for; without it all.
   */
  issueToken(id: string, ttlMs: number, profiles?: readonly string[]): Promise<Issued | undefined>;
  /** Ends a session and all its tokens. */
  logOut(id: string): Promise<void>;
  /** Ends all sessions with such a grant, with their tokens. Returns their number. */
  endAll(of: GrantFilter): Promise<number>;
  /** True if a user has logged in from a network not long ago. Both are 64 hexadecimal digits. */
  knowsNetwork(user: string, network: string): Promise<boolean>;
  /** Remembers for `forMs` milliseconds that a user has logged in from a network. */
  rememberNetwork(user: string, network: string, forMs: number): Promise<void>;
  count(): Promise<SessionCount>;
  /** Resolves when the store can be read and written; throws with the reason, in words for the operator. */
  check(): Promise<void>;
  close(): Promise<void>;
}
