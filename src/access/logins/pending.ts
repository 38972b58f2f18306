// Logins that are under way elsewhere: what the browser keeps until it comes back, signed and good for ten minutes.

import { createSeals, type Seals } from "./sealed.ts";

/** What a login has to know again when its reader comes back. */
export interface PendingLogin {
  /** Where the reader wants to be led back to; "" where nowhere. */
  readonly returnTo: string;
  /** Of OpenID Connect: what its callback has to fit. */
  readonly state?: string;
  readonly nonce?: string;
  readonly verifier?: string;
}

export type PendingLogins = Seals<PendingLogin>;

/** Seconds in which a reader has to come back. */
export const pendingSeconds = 600;

/** Those of one profile, signed with a secret that the profile has anyway. */
export const createPendingLogins = (secret: string, profile: string): PendingLogins =>
  createSeals(secret, `smalti pending login ${profile}`, pendingSeconds);
