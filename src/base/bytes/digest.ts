// SHA-256 (FIPS 180-4) of bytes and text, and bytes as hexadecimal digits.

const encoder = new TextEncoder();

/** Returns the 32 bytes of the SHA-256 of bytes, or of text as UTF-8. */
export async function sha256(input: Uint8Array | string): Promise<Uint8Array> {
  const bytes = typeof input === "string" ? encoder.encode(input) : input;
  // The cast is safe: BufferSource only excludes arrays over a SharedArrayBuffer, and ours never are.
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>));
}

/** Digests of bytes that do not change any more. */
const known = new WeakMap<Uint8Array, Uint8Array>();

/**
 * Notes the SHA-256 of bytes that nobody changes any more, for those who need it after the one who computed
 * it: of a large array it takes as long as storing the array.
 */
export const noteDigest = (bytes: Uint8Array, digest: Uint8Array): void => void known.set(bytes, digest);

/** Returns the SHA-256 that was noted for this very array. */
export const notedDigest = (bytes: Uint8Array): Uint8Array | undefined => known.get(bytes);

/** Returns two lower-case hexadecimal digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}
