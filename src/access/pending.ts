// Logins that are under way elsewhere: what the browser keeps until it comes back, signed and good for ten minutes.

import { errors, jwtVerify, SignJWT } from "jose";

/** What a login has to know again when its reader comes back. */
export interface PendingLogin {
  /** Where the reader wants to be led back to; "" where nowhere. */
  readonly returnTo: string;
  /** Of OpenID Connect: what its callback has to fit. */
  readonly state?: string;
  readonly nonce?: string;
  readonly verifier?: string;
}

export interface PendingLogins {
  /** A text that {@link open} takes within ten minutes. It is signed, not encrypted. */
  seal(login: PendingLogin): Promise<string>;
  /** undefined for a text that was not sealed here for this profile, or that has expired. */
  open(text: string): Promise<PendingLogin | undefined>;
}

/** Seconds in which a reader has to come back. */
export const pendingSeconds = 600;

const algorithm = "HS256";

/**
 * Those of one profile. The key is derived from a secret that the profile has anyway (HKDF, RFC 5869), so that all servers with the
 * same configuration read each other's texts.
 */
export function createPendingLogins(secret: string, profile: string): PendingLogins {
  const encoder = new TextEncoder();
  const key = async () => {
    const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, [
      "deriveKey",
    ]);
    const info = encoder.encode(`smalti pending login ${profile}`);
    return crypto.subtle.deriveKey(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
      material,
      { name: "HMAC", hash: "SHA-256", length: 256 },
      false,
      ["sign", "verify"],
    );
  };
  return {
    async seal(login) {
      return new SignJWT({ ...login })
        .setProtectedHeader({ alg: algorithm })
        .setExpirationTime(Math.floor(Date.now() / 1000) + pendingSeconds)
        .sign(await key());
    },
    async open(text) {
      try {
        const { payload } = await jwtVerify(text, await key(), {
          algorithms: [algorithm],
          requiredClaims: ["exp"],
        });
        return payload as unknown as PendingLogin;
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
        throw error;
      }
    },
  };
}
