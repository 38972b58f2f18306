// Files that end early, found from their ends alone: fixtures cut at many places, and sound files with more
// behind their pictures.

import { readdirSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../src/base/bytes/byte-source.ts";
import { findCut } from "../../../src/imaging/codecs/file-end.ts";
import { createCodecs } from "../../../src/imaging/codecs/index.ts";
import { fixture, fixturesFolder, testHost } from "../../host.ts";
import { seeded } from "../../seeded.ts";

const codecs = createCodecs(testHost);

/** What is missing, and how many bytes were read of the file; undefined if no header can be read. */
async function look(data: Uint8Array) {
  const source = memoryBytes(data);
  const codec = codecs.recognise(data.subarray(0, 64));
  const header = await codec?.probe(source, 1).catch(() => undefined);
  if (!header) return undefined;
  let bytesRead = 0;
  const counted = {
    size: data.length,
    async read(offset: number, length: number) {
      const bytes = await source.read(offset, length);
      bytesRead += bytes.length;
      return bytes;
    },
  };
  return { cut: await findCut(counted, header), bytesRead, isKnown: header.incomplete === true };
}

const join = (...parts: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(parts));
const random = (bytes: number, seed = 7) => {
  const next = seeded(seed);
  return new Uint8Array(bytes).map(() => next(256));
};

const sound = readdirSync(fixturesFolder).filter(
  (name) => /\.(jpg|png|gif|tif|webp|jp2|j2k|j2c|jph|jhc)$/.test(name) && !/^bad|^bomb|base\.png/.test(name),
);

test.each(sound)("%s is whole", async (name) => {
  expect((await look(fixture(name)))?.cut).toBeUndefined();
});

test.each([
  "jpg-baseline-420.jpg",
  "jpg-progressive.jpg",
  "jpg-restart.jpg",
  "jpg-exif-xmp-iptc-gps.jpg",
  "jpg-arithmetic.jpg",
  "png-rgb8-interlaced.png",
  "png-rgba16.png",
  "gif-static.gif",
  "gif-animated-4.gif",
  "webp-lossy.webp",
  "webp-lossless-alpha.webp",
  "webp-animated-4.webp",
  "jp2-reversible.jp2",
  "jp2-tiled-128.jp2",
  "j2k-raw.j2k",
  "tif-strip-none.tif",
  "tif-lzw-pred2.tif",
  "tif-jpeg-ycbcr-tiled.tif",
  "tif-bigtiff-bigendian-tiled.tif",
  "tif-planar-separate.tif",
])("%s without its end is cut, wherever it ends", async (name) => {
  const whole = fixture(name);
  for (const share of [0.999, 0.97, 0.9, 0.75, 0.5]) {
    const found = await look(whole.slice(0, Math.floor(whole.length * share)));
    // Without a header there is an error, and some directories of a TIFF are behind the picture.
    if (found && !found.isKnown) expect([share, found.cut]).toEqual([share, "picture"]);
  }
});

/** A little-endian TIFF with all directories in front: gray pages without compression, 8 rows a strip. */
function plainTiff(
  pages: readonly { readonly rows: number; readonly counts: readonly number[] }[],
): Uint8Array {
  const width = 16;
  const fieldsOf = 8;
  const directoryBytes = 2 + 12 * fieldsOf + 4 + 16;
  let data = 8 + directoryBytes * pages.length;
  const parts = pages.map(({ rows, counts }, n) => {
    const at = 8 + directoryBytes * n;
    const view = new DataView(new ArrayBuffer(directoryBytes));
    const lists = at + 2 + 12 * fieldsOf + 4;
    const fields = [
      [256, 1, width],
      [257, 1, rows],
      [258, 1, 8],
      [259, 1, 1],
      [262, 1, 1],
      [273, 2, lists],
      [278, 1, 8],
      [279, 2, lists + 8],
    ];
    view.setUint16(0, fieldsOf, true);
    for (const [i, [tag = 0, count = 0, value = 0]] of fields.entries()) {
      view.setUint16(2 + 12 * i, tag, true);
      view.setUint16(4 + 12 * i, 4, true);
      view.setUint32(6 + 12 * i, count, true);
      view.setUint32(10 + 12 * i, value, true);
    }
    view.setUint32(2 + 12 * fieldsOf, n + 1 < pages.length ? at + directoryBytes : 0, true);
    for (const i of [0, 1]) {
      view.setUint32(directoryBytes - 16 + 4 * i, data + i * 8 * width, true);
      view.setUint32(directoryBytes - 8 + 4 * i, counts[i] ?? 0, true);
    }
    data += rows * width;
    return new Uint8Array(view.buffer);
  });
  const head = new Uint8Array([0x49, 0x49, 42, 0, 8, 0, 0, 0]);
  return join(head, ...parts, random(data - 8 - directoryBytes * pages.length));
}

test("a TIFF of which only a later page is cut is found", async () => {
  const page = { rows: 16, counts: [128, 128] };
  const whole = plainTiff([page, page, page]);
  expect((await look(whole))?.cut).toBeUndefined();
  expect((await look(whole.slice(0, -20)))?.cut).toBe("picture");
});

test("the last strip of a plain TIFF may be named in full, and an empty one lies anywhere", async () => {
  const whole = plainTiff([{ rows: 10, counts: [128, 128] }]);
  expect((await look(whole))?.cut).toBeUndefined();
  expect((await look(whole.slice(0, -20)))?.cut).toBe("picture");
  const sparse = plainTiff([{ rows: 16, counts: [128, 0] }]);
  expect((await look(sparse.slice(0, -128)))?.cut).toBeUndefined();
});

describe("more behind a picture is no damage", () => {
  const texts = new TextEncoder().encode("trailer ".repeat(20_000));
  test.each([
    ["jpg", "jpg-baseline-420.jpg"],
    ["png", "png-rgba16.png"],
    ["gif", "gif-static.gif"],
    ["webp", "webp-lossy.webp"],
    ["j2k", "j2k-raw.j2k"],
    ["tif", "tif-strip-none.tif"],
  ])("of a %s", async (_, name) => {
    const whole = fixture(name);
    for (const trailer of [random(10), random(3000), random(200_000), texts, whole])
      expect([trailer.length, (await look(join(whole, trailer)))?.cut]).toEqual([trailer.length, undefined]);
  });
});

/** A JPEG with a list of two pictures (CIPA DC-007) in front of its tables, and the second picture. */
function twoPictures(first: Uint8Array, second: Uint8Array): Uint8Array {
  const list = new Uint8Array(4 + 4 + 82);
  const view = new DataView(list.buffer);
  view.setUint16(0, 0xffe2);
  view.setUint16(2, list.length - 2);
  list.set(new TextEncoder().encode("MPF\0"), 4);
  const at = (offset: number) => 8 + offset;
  view.setUint32(at(0), 0x4d4d002a);
  view.setUint32(at(4), 8);
  view.setUint16(at(8), 1);
  // Tag B002 of type UNDEFINED with 32 bytes at 26.
  view.setUint16(at(10), 0xb002);
  view.setUint16(at(12), 7);
  view.setUint32(at(14), 32);
  view.setUint32(at(18), 26);
  const length = first.length + list.length;
  view.setUint32(at(26 + 4), length);
  view.setUint32(at(26 + 16 + 4), second.length);
  // Relative to the byte order mark, which is 10 bytes into the file.
  view.setUint32(at(26 + 16 + 8), length - 10);
  return join(first.slice(0, 2), list, first.slice(2), second);
}

describe("a JPEG that lists a second picture", () => {
  const first = fixture("jpg-baseline-420.jpg");
  const second = fixture("jpg-progressive.jpg");
  const both = twoPictures(first, second);

  test("is whole with both, and with more behind them", async () => {
    expect((await look(both))?.cut).toBeUndefined();
    expect((await look(join(both, random(100_000))))?.cut).toBeUndefined();
  });

  test("has its picture but not the rest if it ends in the second", async () => {
    expect((await look(both.slice(0, both.length - 100)))?.cut).toBe("rest");
    expect((await look(both.slice(0, both.length - second.length)))?.cut).toBe("rest");
  });

  test("is cut if it ends in the first", async () => {
    expect((await look(both.slice(0, both.length - second.length - 50)))?.cut).toBe("picture");
  });
});

test("a thumbnail with its own end inside the header does not hide a cut", async () => {
  const thumbnail = fixture("jpg-1x1.jpg");
  const segment = new Uint8Array(4 + thumbnail.length);
  new DataView(segment.buffer).setUint32(0, 0xffe1_0000 + thumbnail.length + 2);
  segment.set(thumbnail, 4);
  const plain = fixture("jpg-baseline-420.jpg");
  const whole = join(plain.slice(0, 2), segment, plain.slice(2));
  expect((await look(whole))?.cut).toBeUndefined();
  expect((await look(whole.slice(0, -30)))?.cut).toBe("picture");
});

test("a large cut JPEG, PNG or TIFF is found from a few reads", async () => {
  const noise = { width: 1600, height: 1200, channels: 3 as const };
  const image = () => sharp(random(noise.width * noise.height * 3), { raw: noise });
  for (const whole of [
    await image().jpeg({ quality: 95 }).toBuffer(),
    await image().jpeg({ quality: 95, progressive: true }).toBuffer(),
    await image().png().toBuffer(),
    await image().tiff({ compression: "lzw", tile: true }).toBuffer(),
  ]) {
    expect(whole.length).toBeGreaterThan(1_000_000);
    expect((await look(new Uint8Array(whole)))?.cut).toBeUndefined();
    const found = await look(new Uint8Array(whole.subarray(0, whole.length * 0.8)));
    // A TIFF whose directory is behind its tiles has no header any more.
    if (!found) continue;
    expect(found.cut).toBe("picture");
    expect(found.bytesRead).toBeLessThan(whole.length / 4);
  }
});
