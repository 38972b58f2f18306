// Mutated ZIP files: each is read with the bytes of the original, or refused. Nothing crashes, hangs, or
// allocates more than the file says it is worth.

import { describe, expect, it } from "vitest";
import { memoryBytes, ServiceError } from "../../../../src/base/index.ts";
import { createArchives } from "../../../../src/server/sources/archive/archives.ts";
import { sampled } from "../../../sampled.ts";
import { seeded } from "../../../seeded.ts";
import { field, numbers, writeZip } from "./written-zip.ts";
import { readByZipJs } from "./zip-js.ts";

const content = (n: number) => new TextEncoder().encode(`content of member ${n}, `.repeat(n * 40));
const names = ["a.jpg", "b/c.jpg", "b/d.xml", "é.tif"];
const original = names.map((name, n) => ({
  name,
  data: content(n + 1),
  deflated: n % 2 === 1,
  localExtra: field(0x5455, numbers([1, 1], [4, 1_700_000_000])),
}));
const seeds = [writeZip(original), writeZip(original, { zip64: true, comment: content(1) })];

/** Values at the borders of fields. */
const borders = [0, 1, 0x7f, 0x80, 0xff];

function mutate(seed: number): Uint8Array {
  const random = seeded(seed);
  const zip = Uint8Array.from(seeds[random(seeds.length)]!);
  // The directory is where most of the structure is.
  const from = random(4) === 0 ? 0 : Math.max(0, zip.length - 700);
  const changes = 1 + random(3);
  for (let i = 0; i < changes; i++) {
    const at = from + random(zip.length - from);
    const kind = random(4);
    if (kind === 0) zip[at] = random(256);
    else if (kind === 1) zip[at] = borders[random(borders.length)]!;
    else if (kind === 2) zip[at]! ^= 1 << random(8);
    else zip.copyWithin(at, random(zip.length), random(zip.length));
  }
  return random(8) === 0 ? zip.subarray(0, random(zip.length)) : zip;
}

/** Reads each member, and returns how many there are, or why there is none. */
async function readAll(zip: Uint8Array): Promise<number | string> {
  const archives = createArchives({ memoryBytes: 2 ** 32 });
  let read = 0;
  const inner = memoryBytes(zip);
  const bytes = {
    ...inner,
    read(offset: number, length: number) {
      read += Math.min(length, zip.length);
      return inner.read(offset, length);
    },
  };
  const archive = { bytes, validator: "1", close: async () => {} };
  let members = 0;
  try {
    const directory = await archives.directoryOf("a", archive);
    for (const [n, name] of names.entries()) {
      const image = await archives.open("a", archive, name).catch(refusal);
      const data = await image?.bytes.read(0, image.bytes.size ?? 0).catch(refusal);
      if (!data) continue;
      members++;
      // The checksum of a deflated member is checked, but not that of a stored one.
      if (n % 2 === 1) expect(data).toEqual(original[n]!.data);
      expect(data.length).toBeLessThanOrEqual(1032 * zip.length);
    }
    expect(directory.weight).toBeLessThan(100 * zip.length);
  } catch (error) {
    refusal(error);
    return (error as ServiceError).code ?? "";
  } finally {
    expect(read).toBeLessThan(10 * zip.length + 70_000);
  }
  return members;
}

/** Throws an error that is none of those that readers may see. */
function refusal(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error;
  expect(["archive_damaged", "archive_unsupported", "deflated_too_large"]).toContain(error.code);
  return undefined;
}

const cases = sampled(
  "mutated archives",
  Array.from({ length: 2000 }, (_, n) => n),
  200,
);

describe("a mutated archive", () => {
  it("is read, or refused with a reason", async () => {
    const outcomes = new Map<number | string, number>();
    for (const seed of cases) {
      const outcome = await readAll(mutate(seed));
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    // Both happen often, so that the mutations are neither too small nor too large.
    expect(outcomes.get(4) ?? 0).toBeGreaterThan(cases.length / 20);
    expect(outcomes.get("archive_damaged") ?? 0).toBeGreaterThan(cases.length / 20);
  });

  it("has no deflated member with other bytes than zip.js finds in it", async () => {
    let compared = 0;
    for (const seed of cases) {
      const zip = mutate(seed);
      const others = await readByZipJs(zip).catch(() => undefined);
      if (!others) continue;
      const archives = createArchives({ memoryBytes: 2 ** 32 });
      const archive = { bytes: memoryBytes(zip), validator: "1", close: async () => {} };
      for (const [name, data] of others) {
        const image = await archives.open("a", archive, name).catch(refusal);
        const own = await image?.bytes.read(0, image.bytes.size ?? 0).catch(refusal);
        if (!own) continue;
        compared++;
        expect(Buffer.compare(own, data), `${seed} ${name}`).toBe(0);
      }
    }
    expect(compared).toBeGreaterThan(cases.length / 10);
  });
});
