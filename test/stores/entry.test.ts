import { expect, test } from "vitest";
import { sha256 } from "../../src/imaging/lib/digest.ts";
import { decodeEntry, encodeEntry } from "../../src/stores/entry.ts";

/** Returns an entry with another byte at `at` and a correct checksum. */
async function changed(entry: Uint8Array, at: number, byte: number): Promise<Uint8Array> {
  const other = entry.slice();
  other[at] = byte;
  other.set(await sha256(other.subarray(0, -32)), other.length - 32);
  return other;
}

test("an entry of another format version is invalid, although its checksum is right", async () => {
  const body = Uint8Array.of(1, 2, 3);
  const entry = await encodeEntry("key", body, 0);
  expect(await decodeEntry(await changed(entry, 6, entry[6] as number), "key", 0)).toEqual(body);
  expect(await decodeEntry(await changed(entry, 6, 1), "key", 0)).toBeUndefined();
});
