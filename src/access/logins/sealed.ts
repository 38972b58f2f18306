// Small records that a browser keeps and brings back: signed, and good for a while (RFC 7519).

import { errors, type JWTPayload, jwtVerify, SignJWT } from "jose";

export interface Seals<T extends object> {
  /** A text that {@link open} takes until its time is over. It is signed, not encrypted. */
  seal(value: T): Promise<string>;
  /** undefined for a text that was not sealed here for this purpose, or that has expired. */
  open(text: string): Promise<T | undefined>;
}

const algorithm = "HS256";

/**
 * Seals for one purpose, good for so many seconds. The key is derived from a secret that is there anyway
 * (HKDF, RFC 5869), so that all servers with the same configuration read each other's texts, and those of
 * another purpose are of no use.
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
