// Names of networks for the store, which is to name nobody: their HMAC with a key that is another one each
// day, and that the store does not have.

import { createLru, toBase64Url } from "../../base/index.ts";

const dayMs = 86_400_000;
/** Bytes of a name. */
const length = 16;

/**
 * Returns the function that names networks at a time, in milliseconds since 1970; `secret`: that of all
 * servers.
 */
export function createNaming(secret: string): (name: string, now: number) => Promise<string> {
  const encoder = new TextEncoder();
  const material = () => crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
  const keyOf = async (day: number) =>
    crypto.subtle.deriveKey(
      {
        name: "HKDF",
        hash: "SHA-256",
        salt: new Uint8Array(),
        info: encoder.encode(`smalti visitors of day ${day}`),
      },
      await material(),
      { name: "HMAC", hash: "SHA-256", length: 256 },
      false,
      ["sign"],
    );
  let current = { day: Number.NaN, key: undefined as Promise<CryptoKey> | undefined };
  let names = createLru<string, string>(4096);
  return async (name, now) => {
    const day = Math.floor(now / dayMs);
    if (day !== current.day) {
      current = { day, key: undefined };
      names = createLru(4096);
    }
    const own = names;
    const found = own.get(name);
    if (found !== undefined) return found;
    current.key ??= keyOf(day);
    const signed = await crypto.subtle.sign("HMAC", await current.key, encoder.encode(name));
    const text = toBase64Url(new Uint8Array(signed, 0, length));
    own.set(name, text, 1);
    return text;
  };
}
