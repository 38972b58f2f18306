// Interface of session stores: records under keys that are digests of their ids. A record is written once and
// never changed, so that a late write cannot restore a removed record.

import type { Session, SessionCount } from "../session.ts";

export interface TokenRecord {
  /** Key of the session that the token stands for. */
  readonly session: string;
  /** Profiles whose grants it stands for; without it all. */
  readonly profiles?: readonly string[];
  /** Milliseconds since 1970, like all times here. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** From when to when something is remembered. */
export interface Lifetime {
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** Maximum number of networks that are known to one user; those that expire first are removed first. */
export const maxNetworks = 32;

/**
 * Keys are SHA-256 in 64 hexadecimal digits. A store may return expired records. An unreadable record (other
 * format version, damaged) counts as missing; any other failure throws.
 */
export interface SessionStore {
  find(key: string): Promise<Session | undefined>;
  /** Returns a token with its session, or undefined if one of them is missing. */
  findByToken(key: string): Promise<{ readonly token: TokenRecord; readonly session: Session } | undefined>;
  /**
   * Writes a session, and removes the session `before` with its tokens. Returns false and writes nothing if
   * `before` no longer exists. Atomic: of two callers that replace or end the same session, one finds it.
   */
  begin(key: string, session: Session, before?: string): Promise<boolean>;
  /** Returns false and writes nothing if the session of the token does not exist. */
  addToken(key: string, token: TokenRecord): Promise<boolean>;
  removeToken(key: string, session: string): Promise<void>;
  /** Removes a session and all its tokens. */
  end(key: string): Promise<void>;
  /**
   * Ends the sessions for which `matches` is true. Returns their number. A session that begins meanwhile may
   * stay.
   */
  endMatching(matches: (session: Session) => boolean): Promise<number>;
  /** Returns until when a network is known to a user, or undefined. Both are keys. */
  findNetwork(user: string, network: string): Promise<number | undefined>;
  /** Remembers a network of a user, up to {@link maxNetworks} for each. */
  rememberNetwork(user: string, network: string, lifetime: Lifetime): Promise<void>;
  count(): Promise<SessionCount>;
  /** Removes expired records, if nothing else does. */
  sweep?(): Promise<void>;
  /** Throws, with the reason for the operator, if the store cannot be read or written. */
  check(): Promise<void>;
  close?(): Promise<void>;
}
