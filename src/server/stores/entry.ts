// One stored entry as bytes, for stores outside of the process: identifies itself and its key, has an expiry,
// and proves that it is complete.
//
//   0  6  "smalti"
//   6  2  format version
//   8  8  expiry in milliseconds since 1970 as a float; 0: none
//  16  4  length of the key 20  4  length of the body 24     key, body, SHA-256 of all before it
//
// Numbers are little-endian. SHA-256, since every runtime computes it natively and off the main thread,
// unlike any checksum in JavaScript. In it, a body of more than 64 KiB counts as its own SHA-256, which the
// worker that made the body has often computed already.

import { concatenate, createLru, notedDigest, sha256, toHex } from "../../base/index.ts";
import { splitName } from "./names.ts";

const magic = new TextEncoder().encode("smalti");
/** Version of stored entries: changes with the form of any value. */
const formatVersion = 3;
const headLength = 24;
const sumLength = 32;
/** Maximum bytes of a body that the checksum covers itself. */
const coveredLength = 64 * 1024;

/**
 * A name and variant as one text. JSON, since it also keeps apart what UTF-8 cannot hold (lone surrogates).
 */
export function entryKey(name: string, variant: string): string {
  return JSON.stringify([name, variant]);
}

/**
 * Returns the path of an entry, for stores whose names cannot contain any text: hashes of 32 hexadecimal
 * digits of its group, the rest of its name, and its variant. Without a variant, the common prefix of all
 * entries that the name means.
 */
export async function entryPath(name: string, variant?: string): Promise<readonly string[]> {
  const { group, rest } = splitName(name);
  const parts = variant === undefined ? [group, rest] : [group, rest ?? "", variant];
  return Promise.all(parts.filter((part) => part !== undefined).map(hashOf));
}

/** The last hashes: all tiles of an image have the same group, and mostly the same variant. */
const hashes = createLru<string, string>(4096);

async function hashOf(text: string): Promise<string> {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const hash = toHex(await sha256(JSON.stringify(text))).slice(0, 32);
  hashes.set(text, hash, 1);
  return hash;
}

/** Returns the checksum of an entry: of what is before its body, and of the body. */
async function sumOf(start: Uint8Array, body: Uint8Array): Promise<Uint8Array> {
  const covered = body.length <= coveredLength ? body : (notedDigest(body) ?? (await sha256(body)));
  return sha256(concatenate([start, covered]));
}

/**
 * Serializes an entry, in parts: its head and key, the body itself, its checksum. `expires` in milliseconds
 * since 1970, 0: never. Throws RangeError from 4 GiB on.
 */
export async function entryParts(
  key: string,
  body: Uint8Array,
  expires: number,
): Promise<readonly [Uint8Array, Uint8Array, Uint8Array]> {
  if (body.length > 0xffffffff) throw new RangeError("expected an entry of less than 4 GiB");
  const keyBytes = new TextEncoder().encode(key);
  const start = new Uint8Array(headLength + keyBytes.length);
  const view = new DataView(start.buffer);
  start.set(magic);
  view.setUint16(6, formatVersion, true);
  view.setFloat64(8, expires, true);
  view.setUint32(16, keyBytes.length, true);
  view.setUint32(20, body.length, true);
  start.set(keyBytes, headLength);
  return [start, body, await sumOf(start, body)];
}

/** Serializes an entry as a whole; see {@link entryParts}. */
export const encodeEntry = async (key: string, body: Uint8Array, expires: number): Promise<Uint8Array> =>
  concatenate(await entryParts(key, body, expires));

/**
 * The body of a stored entry, a view into `entry`; undefined when it is not a whole entry of this format
 * version with this key, or when it expired before `now` (milliseconds since 1970).
 */
export async function decodeEntry(
  entry: Uint8Array,
  key: string,
  now: number,
): Promise<Uint8Array | undefined> {
  if (entry.length < headLength + sumLength) return undefined;
  const view = new DataView(entry.buffer, entry.byteOffset, entry.byteLength);
  if (!startsWith(entry, magic) || view.getUint16(6, true) !== formatVersion) return undefined;
  const bodyAt = headLength + view.getUint32(16, true);
  const end = bodyAt + view.getUint32(20, true);
  if (entry.length !== end + sumLength) return undefined;
  const sum = await sumOf(entry.subarray(0, bodyAt), entry.subarray(bodyAt, end));
  if (!startsWith(entry.subarray(end), sum)) return undefined;
  const expires = view.getFloat64(8, true);
  if (expires !== 0 && expires <= now) return undefined;
  return new TextDecoder().decode(entry.subarray(headLength, bodyAt)) === key
    ? entry.subarray(bodyAt, end)
    : undefined;
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return start.every((byte, i) => bytes[i] === byte);
}
