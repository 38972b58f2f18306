// The entry of a sidecar: it survives a round trip, and damaged entries are refused.

import { describe, expect, test } from "vitest";
import { crc32 } from "../../../src/base/bytes/crc32.ts";
import { blockBytes, listBlocks } from "../../../src/imaging/sidecar/blocks.ts";
import { bytesOf, readEntry, withoutLevels, writeEntry } from "../../../src/imaging/sidecar/entry.ts";
import { sequence } from "../codecs/jpg/transcode/sources.ts";

const noise = (length: number, seed: number) => {
  const next = sequence(seed);
  return new Uint8Array(length).map(() => 256 * next());
};
const beside = await listBlocks(noise(blockBytes + 1, 3));

const small = () =>
  writeEntry([
    { kind: "accessPoints", inside: [Uint8Array.of(1, 2, 3)] },
    { kind: "level8", inside: [Uint8Array.of(4), new Uint8Array(), Uint8Array.of(5, 6)] },
    { kind: "transcode", blocks: { ...beside, first: 7 } },
  ]);

describe("an entry", () => {
  test("contains its parts by kind, those stored separately by their blocks, and no others", async () => {
    const parts = readEntry(
      await writeEntry([
        { kind: "accessPoints", inside: [Uint8Array.of(1, 2, 3)] },
        undefined,
        { kind: "level8", inside: [Uint8Array.of(4), new Uint8Array(), Uint8Array.of(5, 6)] },
        { kind: "quantiles", inside: [new Uint8Array()] },
        { kind: "transcode", blocks: { ...beside, first: 7 } },
      ]),
    );
    expect([...(parts?.keys() ?? [])]).toEqual(["accessPoints", "level8", "transcode"]);
    expect(await bytesOf(parts!.get("accessPoints")!)).toEqual(Uint8Array.of(1, 2, 3));
    expect(await bytesOf(parts!.get("level8")!)).toEqual(Uint8Array.of(4, 5, 6));
    expect(parts!.get("transcode")).toEqual({ kind: "transcode", blocks: { ...beside, first: 7 } });
    expect(await bytesOf(parts!.get("transcode")!)).toBeUndefined();
  });

  test("holds parts of several blocks, which are checked to their last byte", async () => {
    const bytes = noise(2 * blockBytes + 5, 11);
    const entry = await writeEntry([{ kind: "level8", inside: [bytes.subarray(0, 9), bytes.subarray(9)] }]);
    const read = async (stored: Uint8Array) => bytesOf(readEntry(stored)!.get("level8")!);
    expect(Buffer.compare((await read(entry)) as Uint8Array, bytes)).toBe(0);
    const start = entry.length - bytes.length;
    for (const at of [start, start + blockBytes, entry.length - 1])
      expect(await read(entry.with(at, entry[at]! ^ 1) as Uint8Array), `${at}`).toBeUndefined();
  });

  test("without its levels has the other parts, in memory of its own", async () => {
    const [points, level8] = [Uint8Array.of(1, 2, 3), noise(5000, 5)];
    const list = { ...beside, first: 7 };
    const entry = await writeEntry([
      { kind: "level8", inside: [level8] },
      { kind: "accessPoints", inside: [points] },
      { kind: "smallerLevels", inside: [level8.subarray(9)] },
      { kind: "transcode", blocks: list },
    ]);
    const lean = withoutLevels(entry);
    const parts = readEntry(lean);
    expect([...(parts?.keys() ?? [])]).toEqual(["accessPoints", "transcode"]);
    expect(await bytesOf(parts!.get("accessPoints")!)).toEqual(points);
    expect(parts!.get("transcode")!.blocks).toEqual(list);
    expect(lean.buffer.byteLength).toBeLessThan(300);
    expect(withoutLevels(lean)).toEqual(lean);
    const broken = entry.slice(0, -1);
    expect(withoutLevels(broken)).toEqual(broken);
  });

  test("is refused when it is cut short, too long or of another version", async () => {
    const entry = await small();
    for (let n = 0; n < entry.length; n++) expect(readEntry(entry.slice(0, n)), `${n}`).toBeUndefined();
    expect(readEntry(Uint8Array.of(...entry, 0))).toBeUndefined();
    expect(readEntry(entry.with(4, 2) as Uint8Array)).toBeUndefined();
  });

  test("is refused, or the part, after any change of a byte", async () => {
    const entry = await small();
    for (let i = 0; i < entry.length; i++) {
      const parts = readEntry(entry.with(i, entry[i]! ^ 0x20) as Uint8Array);
      const inside = [parts?.get("accessPoints"), parts?.get("level8")];
      const sound = await Promise.all(inside.map(async (part) => part && (await bytesOf(part))));
      expect(sound.includes(undefined), `${i}`).toBe(true);
    }
  });

  test("is refused or bounded by its own length if its checksum is right and its numbers are not", async () => {
    const next = sequence(5);
    const entry = await small();
    const end = 16 + new DataView(entry.buffer).getUint32(8, true);
    let refused = 0;
    for (let i = 0; i < 3000; i++) {
      const forged = entry.slice();
      for (let n = 0; n <= next() * 3; n++)
        forged[5 + Math.floor(next() * (end - 5))] = Math.floor(next() * 256);
      const directory = 16 + new DataView(forged.buffer).getUint32(8, true);
      const checked = crc32(forged.subarray(16, directory), crc32(forged.subarray(0, 12)));
      new DataView(forged.buffer).setUint32(12, checked, true);
      const parts = readEntry(forged);
      if (!parts) refused++;
      for (const { inside, blocks } of parts?.values() ?? [])
        expect(inside === undefined || inside.length === blocks.size).toBe(true);
    }
    expect(refused).toBeGreaterThan(1000);
  });

  test("has each kind once", async () => {
    const part = { kind: "level8", inside: [Uint8Array.of(1)] } as const;
    expect(readEntry(await writeEntry([part, part]))).toBeUndefined();
  });
});
