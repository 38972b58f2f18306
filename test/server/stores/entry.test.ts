import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { noteDigest, sha256 } from "../../../src/base/bytes/digest.ts";
import { decodeEntry, encodeEntry } from "../../../src/server/stores/entry.ts";

/** Returns an entry with another byte at `at` and a correct checksum. */
async function changed(entry: Uint8Array, at: number, byte: number): Promise<Uint8Array> {
  const other = entry.slice();
  other[at] = byte;
  other.set(await sha256(other.subarray(0, -32)), other.length - 32);
  return other;
}

/** Returns 24 bytes and a key that begin an entry, a body that counts as its digest, and their checksum. */
async function partsOf(entry: Uint8Array, body: Uint8Array) {
  const start = entry.subarray(0, entry.length - body.length - 32);
  const covered = new Uint8Array(start.length + 32);
  covered.set(start);
  covered.set(createHash("sha256").update(body).digest(), start.length);
  return { start, sum: new Uint8Array(createHash("sha256").update(covered).digest()) };
}

test("the checksum of an entry covers a body of more than 64 KiB by its own SHA-256", async () => {
  const body = Uint8Array.from({ length: 65_537 }, (_, i) => i * 7);
  const entry = await encodeEntry("key", body, 0);
  expect(entry.subarray(-32)).toEqual((await partsOf(entry, body)).sum);
  expect(await decodeEntry(entry, "key", 0)).toEqual(body);
  for (const at of [8, 24, 30, 40_000, entry.length - 33, entry.length - 1]) {
    const damaged = entry.slice();
    damaged[at]! ^= 1;
    expect(await decodeEntry(damaged, "key", 0)).toBeUndefined();
  }
});

test("an entry is not verified by a wrong digest that was noted for its body", async () => {
  const body = new Uint8Array(65_537);
  noteDigest(body, new Uint8Array(32));
  expect(await decodeEntry(await encodeEntry("key", body, 0), "key", 0)).toBeUndefined();
});

test("an entry of another format version is invalid, although its checksum is right", async () => {
  const body = Uint8Array.of(1, 2, 3);
  const entry = await encodeEntry("key", body, 0);
  expect(await decodeEntry(await changed(entry, 6, entry[6] as number), "key", 0)).toEqual(body);
  expect(await decodeEntry(await changed(entry, 6, 1), "key", 0)).toBeUndefined();
});
