// How many reads headers and tiles of a pyramid take, and that nothing is kept of another version of a file.

import { describe, expect, test } from "vitest";
import type { ByteSource } from "../../../../src/base/bytes/byte-source.ts";
import type { Rectangle } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";
import { type Field, plainFields, type TestPicture, tiffFile } from "./tiff-file.ts";

const side = 256;
/** Sides of the picture and of its levels, in tiles. */
const levels = [8, 4, 2, 1];
const tilesOf = (across: number) => across * across;

function fieldsOf(across: number, ...more: readonly Field[]): Field[] {
  return plainFields(
    across * side,
    across * side,
    1,
    8,
    1,
    [322, 3, side],
    [323, 3, side],
    ...(across < 8 ? [[254, 4, 1] as Field] : []),
    ...more,
  );
}

/** Tiles of one value each: that of their index, from `first` on. */
const tiles = (count: number, first: number) =>
  Array.from({ length: count }, (_, i) => new Uint8Array(side * side).fill(first + i));

/** Each directory is behind the tiles of its level. */
const scattered = (first: number) =>
  tiffFile(
    levels.map(
      (across): TestPicture => ({
        fields: fieldsOf(across),
        blocks: tiles(tilesOf(across), first),
        tiled: true,
      }),
    ),
  );

/** All directories are behind all tiles. */
function together(): Uint8Array {
  let next = 8;
  const pictures = levels.map((across): TestPicture => {
    const offsets = Array.from({ length: tilesOf(across) }, (_, i) => next + i * side * side);
    next += offsets.length * side * side;
    const counts = offsets.map(() => side * side);
    return { fields: fieldsOf(across, [324, 4, ...offsets], [325, 4, ...counts]), blocks: [], tiled: true };
  });
  const blocks = levels.flatMap((across) => tiles(tilesOf(across), 0));
  return tiffFile([{ ...pictures[0]!, blocks }, ...pictures.slice(1)]);
}

function counted(data: Uint8Array) {
  const reads: number[] = [];
  const bytes: ByteSource = {
    size: data.length,
    async read(offset, length) {
      const part = data.slice(offset, offset + length);
      reads.push(part.length);
      return part;
    },
  };
  return { bytes, reads, total: () => reads.reduce((sum, length) => sum + length, 0) };
}

const square = (x: number, y: number, length: number): Rectangle => ({ x, y, width: length, height: length });

describe("the header of a pyramid", () => {
  test("takes two reads if its directories are together", async () => {
    const { bytes, reads, total } = counted(together());
    const header = await createCodecs(testHost).decoder("tif").probe(bytes, 1);
    expect(header.details?.scale).toEqual([1, 2, 4, 8]);
    expect(reads.length).toBeLessThanOrEqual(2);
    expect(total()).toBeLessThanOrEqual(512 * 1024);
  });

  test("takes one more for each directory that is elsewhere, as each has the position of the next", async () => {
    const { bytes, reads, total } = counted(scattered(0));
    const header = await createCodecs(testHost).decoder("tif").probe(bytes, 1);
    expect(header.details?.scale).toEqual([1, 2, 4, 8]);
    expect(reads.length).toBeLessThanOrEqual(1 + levels.length);
    expect(total()).toBeLessThanOrEqual(512 * 1024);
  });

  test("of a thousand scattered pages takes less than a mebibyte", async () => {
    const pages = Array.from({ length: 1000 }, () => ({
      fields: plainFields(90, 90, 1, 8, 1),
      blocks: [new Uint8Array(8100)],
    }));
    const { bytes, total } = counted(tiffFile(pages));
    expect((await createCodecs(testHost).decoder("tif").probe(bytes, 1)).pages).toBe(1000);
    expect(total()).toBeLessThan(2 ** 20);
  });
});

describe("tiles of a file whose version is known", () => {
  const codec = () => createCodecs(testHost).decoder("tif");
  const decodeWith = async (tif: ReturnType<typeof codec>, data: Uint8Array, version?: string) => {
    const header = await tif.probe(counted(data).bytes, 1);
    return async (region: Rectangle, scaleFactor = 1) => {
      const { bytes, reads } = counted(data);
      const { data: pixels } = await tif.decode(bytes, { header, page: 1, region, scaleFactor, version });
      return { reads: reads.length, first: pixels[0] };
    };
  };

  test("take one read of the stored tile, or one of each row of tiles, after the first", async () => {
    const decode = await decodeWith(codec(), scattered(0), "a");
    await decode(square(0, 0, side));
    expect(await decode(square(5 * side, 3 * side, side))).toEqual({ reads: 1, first: 29 });
    expect(await decode(square(4 * side, 2 * side, 2 * side))).toEqual({ reads: 2, first: 20 });
    await decode(square(0, 0, 2 * side), 2);
    expect(await decode(square(2 * side, 2 * side, 2 * side), 2)).toEqual({ reads: 1, first: 5 });
  });

  test("are those of the file after it was replaced", async () => {
    const tif = codec();
    const before = scattered(0);
    // The directory is in the same place, and the tiles are in another order.
    const tileBytes = side * side;
    const offsets = Array.from({ length: 64 }, (_, i) => 8 + ((i + 1) % 64) * tileBytes);
    const counts = offsets.map(() => tileBytes);
    const fields = fieldsOf(8, [324, 4, ...offsets], [325, 4, ...counts]);
    const after = tiffFile([{ fields, blocks: tiles(64, 100), tiled: true }]);
    const first = await decodeWith(tif, before, "a");
    expect((await first(square(0, 0, side))).first).toBe(0);
    const second = await decodeWith(tif, after, "b");
    expect((await second(square(side, 0, side))).first).toBe(102);
  });

  test("without a version read the directory each time", async () => {
    const tif = codec();
    const decode = await decodeWith(tif, scattered(0));
    const { reads } = await decode(square(0, 0, side));
    expect(reads).toBeGreaterThan(1);
    expect((await decode(square(0, 0, side))).reads).toBe(reads);
    const other = await decodeWith(tif, scattered(100));
    expect((await other(square(0, 0, side))).first).toBe(100);
  });
});
