// Logins in progress elsewhere: the state that the browser keeps until it returns, signed and valid for ten
// minutes.

import { createSeals, type Seals } from "./sealed.ts";

/** State of a login that is needed again when its reader returns. */
export interface PendingLogin {
  /** Address to redirect the reader to afterwards; "" for none. */
  readonly returnTo: string;
  /** State of OpenID Connect that the callback has to match. */
  readonly state?: string;
  readonly nonce?: string;
  readonly verifier?: string;
}

export type PendingLogins = Seals<PendingLogin>;

/** Seconds within which a reader has to return. */
export const pendingSeconds = 600;

/** Creates the pending logins of one profile, signed with a secret that the profile has anyway. */
export const createPendingLogins = (secret: string, profile: string): PendingLogins =>
  createSeals(secret, `smalti pending login ${profile}`, pendingSeconds);
