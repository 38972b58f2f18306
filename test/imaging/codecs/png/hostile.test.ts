import { describe, expect, it } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../src/base/imaging-error.ts";
import { recogniseFormat } from "../../../../src/imaging/codecs/formats.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import type { PixelBuffer } from "../../../../src/imaging/pipeline/pixels.ts";
import { fixture, testHost } from "../../../host.ts";
import fc from "../../../properties.ts";
import { chunk, ihdr, makePng, pngStart } from "./make-png.ts";

const codec = createCodecs(testHost).decoder("png");

async function decode(bytes: ByteSource, side?: number): Promise<PixelBuffer> {
  const header = await codec.probe(bytes, 1);
  const region = { x: 0, y: 0, width: side ?? header.width, height: side ?? header.height };
  return codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 });
}

function counting(file: Uint8Array) {
  const source = {
    size: file.length,
    taken: 0,
    async read(offset: number, length: number) {
      const part = file.slice(offset, offset + length);
      source.taken += length;
      return part;
    },
  };
  return source;
}

const picture = chunk("IDAT", Buffer.from("789c6360000000020001", "hex"));
const end = chunk("IEND", Buffer.alloc(0));
const spoilt = (part: Buffer) => {
  const copy = Buffer.from(part);
  copy[copy.length - 1]! ^= 1;
  return copy;
};
const file = (...parts: Buffer[]) => new Uint8Array(Buffer.concat([pngStart, ...parts]));

describe("a PNG whose header is refused", () => {
  const cases: readonly (readonly [name: string, file: Uint8Array, kind?: string])[] = [
    ["is empty", new Uint8Array()],
    ["ends in its header", fixture("base.png").slice(0, 30)],
    ["ends before its picture", fixture("base.png").slice(0, 33)],
    ["has no width", file(ihdr(0, 1, 8, 0), picture, end)],
    ["has no height", file(ihdr(1, 0, 8, 0), picture, end)],
    ["is wider than the format allows", file(ihdr(2 ** 31, 1, 8, 0), picture, end)],
    ["has samples of 3 bit", file(ihdr(1, 1, 3, 0), picture, end)],
    ["has RGB of 4 bit", file(ihdr(1, 1, 4, 2), picture, end)],
    ["has a palette of 16 bit", file(ihdr(1, 1, 16, 3), picture, end)],
    ["has colour type 1", file(ihdr(1, 1, 8, 1), picture, end)],
    ["has colour type 5", file(ihdr(1, 1, 8, 5), picture, end)],
    ["has interlace method 2", file(ihdr(1, 1, 8, 0, 2), picture, end)],
    ["has a spoilt header", file(spoilt(ihdr(1, 1, 8, 0)), picture, end)],
    ["lacks its palette", file(ihdr(1, 1, 8, 3), picture, end)],
    ["has a palette of 4 bytes", file(ihdr(1, 1, 8, 3), chunk("PLTE", Buffer.alloc(4)), picture, end)],
    ["has a palette of 257 colours", file(ihdr(1, 1, 8, 3), chunk("PLTE", Buffer.alloc(771)), picture, end)],
    ["has a spoilt palette", file(ihdr(1, 1, 8, 3), spoilt(chunk("PLTE", Buffer.alloc(3))), picture, end)],
    ["has spoilt transparency", file(ihdr(1, 1, 8, 0), spoilt(chunk("tRNS", Buffer.alloc(2))), picture, end)],
    [
      "has transparency of a wrong length",
      file(ihdr(1, 1, 8, 0), chunk("tRNS", Buffer.alloc(3)), picture, end),
    ],
    ["has a chunk without a name", file(ihdr(1, 1, 8, 0), chunk("\0\0\0\0", Buffer.alloc(3)), picture, end)],
    ["has no picture", file(ihdr(1, 1, 8, 0), end)],
    [
      "is Apple's variant",
      file(chunk("CgBI", Buffer.alloc(4)), ihdr(1, 1, 8, 6), picture, end),
      "unsupported",
    ],
  ];
  for (const [name, bytes, kind = "decode"] of cases)
    it(`${name}`, async () => {
      const error = await codec.probe(memoryBytes(bytes), 1).catch((reason) => reason);
      expect(error).toBeInstanceOf(ImagingError);
      expect(error.kind).toBe(kind);
    });

  it("has its chunks scattered over the file, after at most 256 KiB are read", async () => {
    const texts = Array.from({ length: 1000 }, () => chunk("tEXt", Buffer.alloc(20_000)));
    const source = counting(file(ihdr(1, 1, 8, 0), ...texts, picture, end));
    await expect(codec.probe(source, 1)).rejects.toMatchObject({ kind: "unsupported" });
    expect(source.taken).toBeLessThanOrEqual(256 * 1024);
  });
});

describe("a PNG whose picture is damaged", () => {
  it("is a decode error when the second half of the file is missing", async () => {
    await expect(decode(memoryBytes(fixture("bad-trunc-50.png")))).rejects.toMatchObject({ kind: "decode" });
  });

  it("is a decode error when rows are missing though the stream is whole", async () => {
    const short = makePng({ width: 4, height: 4, depth: 8, type: 0, sample: () => 9 });
    const taller = Buffer.concat([pngStart, ihdr(4, 5, 8, 0), short.subarray(33)]);
    await expect(decode(memoryBytes(new Uint8Array(taller)))).rejects.toMatchObject({ kind: "decode" });
  });

  it("is a decode error when its stream is no zlib stream", async () => {
    const noise = chunk("IDAT", Buffer.concat([Buffer.from("789c", "hex"), Buffer.alloc(200, 255)]));
    await expect(decode(memoryBytes(file(ihdr(100, 100, 8, 2), noise, end)))).rejects.toMatchObject({
      kind: "decode",
    });
  });

  it("is a decode error when the checksum of a chunk that it needs differs", async () => {
    const sound = makePng({
      width: 40,
      height: 40,
      depth: 8,
      type: 0,
      sample: (x, y) => x ^ y,
      chunkSize: 90,
    });
    for (let at = sound.indexOf(0x49, 33), chunks = 0; chunks < 3; chunks++) {
      const length = Buffer.from(sound).readUInt32BE(at - 4);
      const spoiled = sound.with(at + 4 + length, sound[at + 4 + length]! ^ 1);
      await expect(decode(memoryBytes(spoiled))).rejects.toMatchObject({ kind: "decode" });
      at += length + 12;
    }
  });

  it("has the same pixels and errors without the zlib of the runtime", async () => {
    const { zlib: _, ...plain } = testHost;
    const other = createCodecs(plain).decoder("png");
    for (const name of ["base.png", "png-rgb8-interlaced.png", "png-pal4.png", "bad-trunc-50.png"]) {
      const source = memoryBytes(fixture(name));
      const header = await codec.probe(source, 1);
      const region = { x: 0, y: 0, width: header.width, height: header.height };
      const outcome = (of: typeof codec) =>
        of
          .decode(source, { header, page: 1, region, scaleFactor: 1 })
          .catch(({ kind, message }) => [kind, message]);
      expect(await outcome(other)).toEqual(await outcome(codec));
    }
  });

  it("is a decode error when a row has an unknown filter", async () => {
    const odd = makePng({ width: 4, height: 4, depth: 8, type: 0, sample: () => 9, filter: (n) => n });
    expect((await decode(memoryBytes(odd))).data).toEqual(new Uint8Array(16).fill(9));
    const unknown = makePng({
      width: 4,
      height: 6,
      depth: 8,
      type: 0,
      sample: () => 9,
      filter: (n) => (n < 5 ? 0 : 7),
    });
    await expect(decode(memoryBytes(unknown))).rejects.toMatchObject({ kind: "decode" });
  });

  it("decodes to the right pixels or is a decode error wherever it is cut", async () => {
    const whole = makePng({
      width: 9,
      height: 7,
      depth: 8,
      type: 2,
      interlaced: true,
      sample: (x, y, b) => x * y + b,
      chunkSize: 20,
    });
    const { data } = await decode(memoryBytes(whole));
    let refused = 0;
    for (let length = 0; length < whole.length; length++) {
      const outcome = await decode(memoryBytes(whole.slice(0, length))).catch((error) => error);
      if (outcome instanceof ImagingError && outcome.kind === "decode") refused++;
      else expect(outcome.data).toEqual(data);
    }
    expect(refused).toBeGreaterThan(whole.length - 40);
  });

  it("decodes to pixels or an ImagingError whichever bytes are changed", async () => {
    const sound = fixture("png-pal4.png");
    await fc.assert(
      fc.asyncProperty(fc.nat(2000), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const spoiled = sound.slice();
        spoiled[at]! ^= change;
        const outcome = await decode(memoryBytes(spoiled)).catch((error) => error);
        if (!(outcome instanceof ImagingError))
          expect(outcome.data.length).toBe(outcome.width * outcome.height * outcome.bands);
      }),
      { numRuns: 60 },
    );
  });

  it("decodes to pixels or an ImagingError whichever bytes of its stream are changed, under a right checksum", async () => {
    const sound = makePng({
      width: 61,
      height: 47,
      depth: 8,
      type: 2,
      sample: (x, y, b) => (x * x + y * b) & 255,
      filter: (n) => n % 5,
    });
    const [head, size] = [33, Buffer.from(sound).readUInt32BE(33)];
    await fc.assert(
      fc.asyncProperty(fc.nat(size - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const stream = Buffer.from(sound.subarray(head + 8, head + 8 + size));
        stream[at]! ^= change;
        const spoiled = Buffer.concat([sound.subarray(0, head), chunk("IDAT", stream), end]);
        const outcome = await decode(memoryBytes(new Uint8Array(spoiled))).catch((error) => error);
        if (!(outcome instanceof ImagingError)) expect(outcome.data.length).toBe(61 * 47 * 3);
      }),
      { numRuns: 200 },
    );
  });

  it("passes on the error of its source", async () => {
    const bytes = fixture("base.png");
    const failing: ByteSource = {
      size: bytes.length,
      async read(offset, length) {
        if (offset + length > 100_000) throw new ImagingError("source", "gone");
        return bytes.slice(offset, offset + length);
      },
    };
    await expect(decode(failing)).rejects.toMatchObject({ kind: "source", message: "gone" });
  });
});

describe("a PNG made to exhaust", () => {
  it("with 64 MB of compressed text is served from few bytes", async () => {
    const source = counting(fixture("bomb-itxt-64M.png"));
    expect((await decode(source)).data).toEqual(Uint8Array.of(128));
    expect(source.taken).toBeLessThan(128 * 1024);
  });

  it("of 2500 million pixels reports what it would need, and returns a small region", async () => {
    const bytes = memoryBytes(fixture("bomb-50000x50000-1bit.png"));
    const header = await codec.probe(bytes, 1);
    const region = { x: 0, y: 0, width: 50_000, height: 50_000 };
    expect(codec.memory({ header, page: 1, region, scaleFactor: 1 }, 303_851)).toBeGreaterThan(2.5e9);
    expect((await decode(bytes, 64)).data).toEqual(new Uint8Array(64 * 64));
  });

  it("with the largest possible sides is refused before it is read", async () => {
    const side = 0x7fffffff;
    const bytes = counting(file(ihdr(side, side, 16, 6), picture, end));
    const header = await codec.probe(bytes, 1);
    const region = { x: 0, y: 0, width: 1, height: 1 };
    expect(codec.memory({ header, page: 1, region, scaleFactor: 1 }, 100)).toBeGreaterThan(3e10);
    await expect(decode(bytes, 1)).rejects.toMatchObject({ kind: "too-large" });
  });

  it("is not mistaken for a PNG when it is a JPEG by content", () => {
    expect(recogniseFormat(fixture("mislabelled-jpg.png").subarray(0, 64))).not.toBe("png");
    expect(recogniseFormat(fixture("base.png").subarray(0, 64))).toBe("png");
  });
});
