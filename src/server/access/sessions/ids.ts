// Readers' secrets: 256 random bits in base64url (RFC 4648, section 5). Stores know only their digests.

import { sha256, toBase64Url, toHex } from "../../../base/index.ts";

/** A new id. */
export function createId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** Returns the key of a record; undefined for an impossible id. */
export async function keyOf(id: string): Promise<string | undefined> {
  return /^[A-Za-z0-9_-]{43}$/.test(id) ? toHex(await sha256(id)) : undefined;
}
