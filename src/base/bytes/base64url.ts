// Base64 with the alphabet that addresses and file names take, without padding (RFC 4648, section 5).

import { trimFinal } from "../text/trim-ends.ts";

/** Bytes as text of `A-Za-z0-9_-`. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return trimFinal(btoa(text).replaceAll("+", "-").replaceAll("/", "_"), "=");
}

/** Decodes such a text; undefined if it is invalid. Accepts padding and the alphabet of plain base64 too. */
export function fromBase64Url(text: string): Uint8Array | undefined {
  const digits = trimFinal(text.replaceAll("-", "+").replaceAll("_", "/"), "=");
  if (!/^[A-Za-z0-9+/]*$/.test(digits) || digits.length % 4 === 1) return undefined;
  return Uint8Array.from(atob(digits), (character) => character.charCodeAt(0));
}
