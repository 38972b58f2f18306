// Small signed records that a browser stores and sends back, valid for a limited time (RFC 7519).

import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";

export interface Seals<T extends object> {
  /** Returns a text that {@link open} accepts until it expires. It is signed, not encrypted. */
  seal(value: T): Promise<string>;
  /**
   * Returns the value; undefined for a text that was not sealed here for this purpose, or that has expired.
   */
  open(text: string): Promise<T | undefined>;
}

const algorithm = "HS256";

/**
 * Creates seals for one purpose, valid for that many seconds. The key is derived from an existing secret
 * (HKDF, RFC 5869), so that all servers with the same configuration accept each other's texts, and texts for
 * other purposes are useless.
 */
export function createSeals<T extends object>(secret: string, purpose: string, seconds: number): Seals<T> {
  const encoder = new TextEncoder();
  const key = async () => {
    const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, [
      "deriveKey",
    ]);
    const info = encoder.encode(purpose);
    return crypto.subtle.deriveKey(
      { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info },
      material,
      { name: "HMAC", hash: "SHA-256", length: 256 },
      false,
      ["sign", "verify"],
    );
  };
  return {
    async seal(value) {
      return new SignJWT({ ...(value as JWTPayload) })
        .setProtectedHeader({ alg: algorithm })
        .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
        .sign(await key());
    },
    async open(text) {
      try {
        const { payload } = await jwtVerify(text, await key(), {
          algorithms: [algorithm],
          requiredClaims: ["exp"],
        });
        return payload as unknown as T;
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
        throw error;
      }
    },
  };
}
