// What keeps sessions and tokens: records under keys that are digests of their ids. A record is written once and never
// changed, so that nothing that lands late brings back what was removed.

import type { Session, SessionCount } from "../session.ts";

export interface TokenRecord {
  /** Key of the session that the token stands for. */
  readonly session: string;
  /** Those whose grants it stands for; all without. */
  readonly profiles?: readonly string[];
  /** Milliseconds since 1970, as all times here. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * Keys are SHA-256 in 64 hexadecimal digits. A store may return what has expired. A record that it cannot read (of another
 * format version, damaged) is not there; everything else that hinders it throws.
 */
export interface SessionStore {
  find(key: string): Promise<Session | undefined>;
  /** A token with its session; undefined where one of them is not there. */
  findByToken(key: string): Promise<{ readonly token: TokenRecord; readonly session: Session } | undefined>;
  /**
   * Writes a session, and removes the session `before` with its tokens. False, with nothing written, where there is no
   * `before` any more. One step: of two callers that replace or end the same session, one finds it.
   */
  begin(key: string, session: Session, before?: string): Promise<boolean>;
  /** False, with nothing written, where the session of the token is not there. */
  addToken(key: string, token: TokenRecord): Promise<boolean>;
  removeToken(key: string, session: string): Promise<void>;
  /** Removes a session and all its tokens. */
  end(key: string): Promise<void>;
  /** Ends the sessions of which `matches` is true. Returns how many. One that begins meanwhile may stay. */
  endMatching(matches: (session: Session) => boolean): Promise<number>;
  count(): Promise<SessionCount>;
  /** Removes what has expired, where nothing else does. */
  sweep?(): Promise<void>;
  /** Throws where the store cannot be read or written, with the reason in words for the operator. */
  check(): Promise<void>;
  close?(): Promise<void>;
}
