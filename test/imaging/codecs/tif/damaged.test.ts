import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../../../host.ts";
import fc from "../../../properties.ts";
import { type Field, plainFields, tiffFile } from "./tiff-file.ts";

const codec = createCodecs(testHost).decoder("tif");

async function decode(bytes: ByteSource) {
  const header = await codec.probe(bytes, 1);
  // Skips files that the plan would refuse.
  const region = { x: 0, y: 0, width: Math.min(header.width, 600), height: Math.min(header.height, 400) };
  const request = { header, page: 1, region, scaleFactor: 1 };
  if (codec.memory(request, bytes.size ?? 0) > 256 << 20) throw new ImagingError("too-large", "plan");
  return codec.decode(bytes, request);
}

const damaged = { name: "ImagingError", kind: "decode" };
const grey = new Uint8Array(64).fill(128);
const plain = (...more: Field[]) =>
  tiffFile([{ fields: plainFields(8, 8, 1, 8, 1, ...more), blocks: [grey] }]);

/** Changes an entry of the first directory of a little-endian classic file. */
function alter(data: Uint8Array, tag: number, change: (view: DataView, entry: number) => void) {
  const out = Uint8Array.from(data);
  const view = new DataView(out.buffer);
  const directory = view.getUint32(4, true);
  for (let i = 0; i < view.getUint16(directory, true); i++)
    if (view.getUint16(directory + 2 + i * 12, true) === tag) change(view, directory + 2 + i * 12);
  return out;
}

describe("damaged files", () => {
  test("whose chain of directories is a loop are served once", async () => {
    const bytes = memoryBytes(fixture("bad-ifd-loop.tif"));
    expect((await codec.probe(bytes, 1)).pages).toBe(1);
    expect((await decode(bytes)).data).toEqual(grey);
  });

  test.each([
    ["the most values that a field can claim", fixture("bad-tag-count-max.tif")],
    [
      "offsets of strips beyond the end",
      alter(plain(), 273, (v, at) => v.setUint32(at + 8, 0xffff_fff0, true)),
    ],
    [
      "a strip that is cut off",
      tiffFile([
        {
          fields: plainFields(8, 8, 1, 8, 1, [278, 4, 4], [279, 4, 32, 31]),
          blocks: [grey.subarray(32), grey.subarray(32)],
        },
      ]),
    ],
    ["no strips", alter(plain(), 273, (v, at) => v.setUint16(at, 60_000, true))],
    ["a width of 0", plain([256, 4, 0])],
    ["no samples", plain([277, 3, 0])],
    ["more samples than pixels can have", plain([277, 3, 65_535])],
    ["a tile of no width", plain([322, 4, 0], [323, 4, 16])],
    ["a text as its width", alter(plain(), 256, (v, at) => v.setUint16(at + 2, 2, true))],
    ["its first directory beyond the end", Uint8Array.of(0x49, 0x49, 42, 0, 255, 255, 255, 127)],
    ["no directory", Uint8Array.of(0x49, 0x49, 42, 0, 0, 0, 0, 0)],
    ["an unknown version", Uint8Array.of(0x49, 0x49, 44, 0, 8, 0, 0, 0)],
    ["a directory of 65535 fields", Uint8Array.of(0x49, 0x49, 42, 0, 8, 0, 0, 0, 255, 255, 0, 0)],
    ["nothing but a byte order mark", Uint8Array.of(0x4d, 0x4d)],
    ["a BigTIFF offset past 2^53", Uint8Array.of(0x49, 0x49, 43, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64)],
    ["a palette of one colour", plain([262, 3, 3], [320, 3, 1, 2, 3])],
    ["deflate that is none", plain([259, 3, 8])],
    ["LZW that begins with an unknown code", plain([259, 3, 5])],
    [
      "CCITT that is none",
      tiffFile([{ fields: plainFields(64, 64, 1, 1, 1, [259, 3, 4]), blocks: [new Uint8Array(64)] }]),
    ],
    ["JPEG that is none", plain([259, 3, 7])],
  ])("with %s are refused", async (_name, data) => {
    await expect(decode(memoryBytes(data))).rejects.toMatchObject(damaged);
    await expect(decode({ read: memoryBytes(data).read })).rejects.toMatchObject(damaged);
  });

  test("with JPEG tiles of a wrong size are refused before they are decoded", async () => {
    const jpeg = await sharp({ create: { width: 4000, height: 16, channels: 3, background: "red" } })
      .jpeg()
      .toBuffer();
    const fields = plainFields(16, 16, 3, 8, 6, [259, 3, 7]);
    const data = tiffFile([{ fields, blocks: [new Uint8Array(jpeg)] }]);
    await expect(decode(memoryBytes(data))).rejects.toMatchObject(damaged);
  });

  test("with a JPEG tile that is cut off are refused, and the next file is served", async () => {
    const data = await sharp(fixture("tif-strip-none.tif"))
      .extract({ left: 0, top: 0, width: 64, height: 64 })
      .tiff({ compression: "jpeg" })
      .toBuffer();
    const cut = alter(data, 279, (view, at) => {
      const size =
        view.getUint16(at + 2, true) === 3 ? view.getUint16(at + 8, true) : view.getUint32(at + 8, true);
      view.setUint16(at + 2, 4, true);
      view.setUint32(at + 8, size >> 1, true);
    });
    await expect(decode(memoryBytes(cut))).rejects.toMatchObject(damaged);
    expect((await decode(memoryBytes(data))).data).toHaveLength(64 * 64 * 3);
  });

  test("with ten thousand directories are probed from few reads of about their length", async () => {
    const one = { fields: plainFields(8, 8, 1, 8, 1), blocks: [grey] };
    const data = tiffFile(Array.from({ length: 10_000 }, () => one));
    let [total, reads] = [0, 0];
    const inner = memoryBytes(data);
    const bytes: ByteSource = {
      size: data.length,
      async read(offset, length) {
        total += length;
        reads++;
        return inner.read(offset, length);
      },
    };
    expect((await codec.probe(bytes, 1)).pages).toBe(10_000);
    expect(total).toBeLessThanOrEqual(1.25 * data.length);
    expect(reads).toBeLessThanOrEqual(100);
  });

  const kinds = [
    "tif-multipage-3sizes.tif",
    "tif-pyramid-subifd.tif",
    "tif-g4-minwhite.tif",
    "tif-lzw-pred2.tif",
    "tif-palette8-packbits.tif",
    "tif-bigtiff-bigendian-tiled.tif",
    "tif-jpeg-rgb-strip.tif",
    "tif-gray-float32.tif",
    "tif-webp-tiled.tif",
    "tif-zstd.tif",
  ];
  test.each(kinds)(
    "made of %s by changed and missing bytes decode to pixels or an ImagingError",
    async (file) => {
      const sound = fixture(file);
      const view = new DataView(sound.buffer, sound.byteOffset);
      const little = sound[0] === 0x49;
      const directory =
        view.getUint16(2, little) === 43 ? Number(view.getBigUint64(8, little)) : view.getUint32(4, little);
      const position = fc.oneof(
        fc.nat(15),
        fc.integer({ min: directory, max: Math.min(directory + 300, sound.length - 1) }),
        fc.nat(sound.length - 1),
      );
      const changes = fc.array(fc.tuple(position, fc.nat(255)), { minLength: 1, maxLength: 6 });
      const end = fc.oneof({ weight: 3, arbitrary: fc.constant(sound.length) }, fc.nat(sound.length));
      await fc.assert(
        fc.asyncProperty(changes, end, async (list, length) => {
          const data = sound.slice();
          for (const [at, value] of list) data[at] = value;
          try {
            const pixels = await decode(memoryBytes(data.slice(0, length)));
            expect(pixels.data).toHaveLength(pixels.width * pixels.height * pixels.bands);
          } catch (error) {
            expect(error).toBeInstanceOf(ImagingError);
            expect(["decode", "unsupported", "too-large"]).toContain((error as ImagingError).kind);
          }
        }),
        { numRuns: 60 },
      );
    },
  );
});
