// @module-tag slow
import { createRequire } from "node:module";
import sharp from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import {
  createJpegEncoder,
  type FastEncodeOptions,
} from "../../../../../src/imaging/codecs/jpg/encode/fast-encode.ts";
import type { Plane, Sampling } from "../../../../../src/imaging/codecs/jpg/encode/input.ts";
import { testHost } from "../../../../host.ts";
import {
  type Coding,
  cjpeg,
  crop,
  digests,
  green,
  nameOf,
  noise,
  noiseBytes,
  type Picture,
  patterns,
  photographs,
  wholeMcus,
} from "../cjpeg.ts";
import { takeApart } from "../segments.ts";

const expected = createRequire(import.meta.url)("../cjpeg-digests.json") as Record<string, string>;
const module = testHost.wasm("jpeg-encode");
const encoder = createJpegEncoder(module);

const defaults: FastEncodeOptions = { quality: 90, chroma: "420" };
const encode = (pixels: Picture, options: Partial<FastEncodeOptions> = {}) =>
  encoder.encode({ kind: "pixels", pixels }, { ...defaults, ...options });

const encodePlanes = (
  picture: Picture,
  sampling: Sampling,
  options: Partial<FastEncodeOptions> = {},
  gap = 0,
) =>
  encoder.encode(
    {
      kind: "planes",
      width: picture.width,
      height: picture.height,
      planes: planesOf(picture, sampling, gap),
      sampling,
    },
    { ...defaults, ...options },
  );

/** 4:2:2 comes from planes alone. */
const encodeAs = (picture: Picture, { mode, quality, optimise }: Coding) =>
  mode === "422"
    ? encodePlanes(picture, "422", { quality, optimise })
    : encode(mode === "gray" ? green(picture) : picture, {
        quality,
        optimise,
        chroma: mode === "444" ? "444" : "420",
      });

/**
 * Planes by the equations of JFIF in 16-bit fixed point; chroma as the mean of its area, halves rounded down
 * in even columns and up in odd ones. `gap`: bytes between rows.
 */
function planesOf(picture: Picture, sampling: Sampling, gap = 0): Plane[] {
  const { width, height, data } = picture;
  if (sampling === "gray") return [spread(picture.data, width, height, gap)];
  const full = [0, 1, 2].map(() => new Uint8Array(width * height));
  for (let i = 0; i < width * height; i++) {
    const [r, g, b] = [data[3 * i]!, data[3 * i + 1]!, data[3 * i + 2]!];
    full[0]![i] = (19595 * r + 38470 * g + 7471 * b + 32768) >> 16;
    full[1]![i] = (-11059 * r - 21709 * g + 32768 * b + (128 << 16) + 32767) >> 16;
    full[2]![i] = (32768 * r - 27439 * g - 5329 * b + (128 << 16) + 32767) >> 16;
  }
  const [across, down] = { "444": [1, 1], "422": [2, 1], "420": [2, 2] }[sampling] as [number, number];
  const [w, h] = [Math.ceil(width / across), Math.ceil(height / down)];
  const reduced = (plane: Uint8Array) =>
    new Uint8Array(w * h).map((_, i) => {
      const [x, y] = [i % w, Math.floor(i / w)];
      let sum = 0;
      for (let dy = 0; dy < down; dy++)
        for (let dx = 0; dx < across; dx++)
          sum += plane[Math.min(height - 1, y * down + dy) * width + Math.min(width - 1, x * across + dx)]!;
      const half = across * down === 4 ? 1 + (x % 2) : across * down === 2 ? x % 2 : 0;
      return Math.floor((sum + half) / (across * down));
    });
  return [
    spread(full[0]!, width, height, gap),
    spread(reduced(full[1]!), w, h, gap),
    spread(reduced(full[2]!), w, h, gap),
  ];
}

/** Packed rows with a gap of other values between them. */
function spread(data: Uint8Array, width: number, height: number, gap: number): Plane {
  const stride = width + gap;
  const spaced = noiseBytes(stride * height - gap, 5);
  for (let y = 0; y < height; y++) spaced.set(data.subarray(y * width, (y + 1) * width), y * stride);
  return { data: spaced, width, height, stride };
}

/** Expects that both files are equal, without printing a useless diff. */
function expectSame(a: Uint8Array, b: Uint8Array, what?: string): void {
  expect(Buffer.compare(a, b), what).toBe(0);
}

/** Peak signal to noise ratio in dB. */
function psnr(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2;
  return 10 * Math.log10(255 ** 2 / (sum / a.length));
}

const decoded = async (jpeg: Uint8Array, bands: number) =>
  sharp(jpeg)
    .toColourspace(bands === 1 ? "b-w" : "srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });

let coffee: Picture;
beforeAll(async () => {
  coffee = (await photographs()).coffee!;
});

describe("the files of the own JPEG encoder", () => {
  let found: Record<string, string> = {};
  beforeAll(async () => {
    found = await digests(encodeAs);
  });
  const groups = [
    "coffee",
    "ragged",
    "drawing",
    ...Object.keys(patterns()),
    "all sizes",
    "whole MCUs",
    "large",
  ];
  const within = (all: Record<string, string>, group: string) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => name.startsWith(`${group} `)));

  it.each(groups)("equal cjpeg's, byte for byte: %s", (group) => {
    expect(Object.keys(within(expected, group)).length).toBeGreaterThan(1);
    expect(within(found, group)).toEqual(within(expected, group));
  });

  it("leave no recorded case out", () => {
    expect(Object.keys(found)).toEqual(Object.keys(expected));
  });

  const present = cjpeg(noise(1, 1), { mode: "gray", quality: 50, optimise: false }) !== undefined;
  it.skipIf(!present)("equal cjpeg's for random pictures (needs libjpeg-turbo-progs)", () => {
    const lot = noiseBytes(5 * 40, 1);
    for (let i = 0; i < 40; i++) {
      const [w, h, q, mode, source] = lot.subarray(5 * i, 5 * i + 5) as unknown as [
        number,
        number,
        number,
        number,
        number,
      ];
      const picture = source % 2 ? noise(w + 1, h + 1, source + 1) : crop(coffee, source, h, w + 1, h + 1);
      const coding: Coding = {
        mode: (["420", "444", "gray"] as const)[mode % 3]!,
        quality: 1 + (q % 100),
        optimise: mode > 127,
      };
      const same = Buffer.compare(encodeAs(picture, coding), cjpeg(picture, coding)!) === 0;
      expect(same, `number ${i}: ${w + 1}x${h + 1} ${nameOf(coding)}`).toBe(true);
    }
  });

  it.each(["420", "444"] as const)("decode elsewhere to the picture (%s)", async (chroma) => {
    const jpeg = encode(coffee, { chroma, quality: 95 });
    const { data, info } = await decoded(jpeg, 3);
    expect([info.width, info.height, info.channels]).toEqual([600, 400, 3]);
    expect(psnr(data, coffee.data)).toBeGreaterThan(36);
    const { chromaSubsampling } = await sharp(jpeg).metadata();
    expect(chromaSubsampling).toBe(chroma === "420" ? "4:2:0" : "4:4:4");
  });

  it("keep flat colours within one level", async () => {
    for (const colour of [[0, 0, 0], [255, 255, 255], [12, 34, 200], [250, 128, 3], [77]]) {
      for (const [width, height] of [
        [1, 1],
        [17, 31],
      ] as const) {
        const bands = colour.length;
        const flat: Picture = {
          width,
          height,
          bands,
          interpretation: bands === 1 ? "gray" : "rgb",
          data: new Uint8Array(width * height * bands).map((_, i) => colour[i % bands]!),
        };
        const { data } = await decoded(encode(flat, { quality: 100 }), bands);
        expect(Math.max(...data.map((value, i) => Math.abs(value - flat.data[i]!)))).toBeLessThanOrEqual(1);
      }
    }
  });

  it("are smaller with optimised tables", () => {
    for (const quality of [10, 50, 90])
      expect(encode(coffee, { quality, optimise: true }).length).toBeLessThan(
        encode(coffee, { quality }).length,
      );
  });

  it("fill their buffer, so that it can be handed to another thread", () => {
    const jpeg = encode(coffee);
    expect(jpeg.buffer.byteLength).toBe(jpeg.byteLength);
    expect(structuredClone(jpeg, { transfer: [jpeg.buffer as ArrayBuffer] }).length).toBeGreaterThan(1000);
  });
});

describe("planes", () => {
  it.each(["420", "444"] as const)(
    "encode to the same bytes as the pixels they come from (%s)",
    (sampling) => {
      const picture = wholeMcus(coffee);
      for (const optimise of [false, true])
        expectSame(
          encodePlanes(picture, sampling, { chroma: sampling, optimise }),
          encode(picture, { chroma: sampling, optimise }),
        );
    },
  );

  it("in full size encode to the same bytes as the pixels at every size, even if chroma is halved here", () => {
    for (const [width, height] of [
      [1, 1],
      [2, 3],
      [7, 16],
      [17, 15],
      [31, 33],
      [48, 17],
      [50, 49],
    ] as const) {
      const picture = crop(coffee, 3, 5, width, height);
      for (const chroma of ["420", "444"] as const)
        for (const gap of [0, 13])
          expectSame(
            encodePlanes(picture, "444", { chroma }, gap),
            encode(picture, { chroma }),
            `${width}x${height} ${chroma}`,
          );
    }
  });

  it("of one component encode to a gray file", () => {
    const picture = green(crop(coffee, 3, 5, 45, 37));
    expectSame(encodePlanes(picture, "gray", {}, 3), encode(picture));
  });

  it.each(["420", "422", "444"] as const)("keep their sampling and any size (%s)", async (sampling) => {
    for (const [width, height] of [
      [1, 1],
      [33, 18],
      [97, 95],
    ] as const) {
      const picture = crop(coffee, 200, 150, width, height);
      const jpeg = encodePlanes(picture, sampling, { chroma: "444", quality: 100 }, 7);
      const { data, info } = await decoded(jpeg, 3);
      expect([info.width, info.height]).toEqual([width, height]);
      expect(psnr(data, picture.data)).toBeGreaterThan(34);
      const frame = takeApart(jpeg).segments.find((s) => s.code === 0xc0);
      expect(frame?.body[7]).toBe({ "420": 0x22, "422": 0x21, "444": 0x11 }[sampling]);
    }
  });

  it("may be parts of larger ones", () => {
    const picture = wholeMcus(coffee);
    const part = planesOf(picture, "420").map(({ data, width, height, stride }, i) => {
      const side = i === 0 ? 64 : 32;
      const offset = side * stride + side;
      return { data: data.subarray(offset), width: width / (592 / 64), height: height / (400 / 64), stride };
    });
    const [w, h] = [64, 64];
    const jpeg = encoder.encode(
      { kind: "planes", width: w, height: h, planes: part, sampling: "420" },
      defaults,
    );
    expectSame(jpeg, encode(crop(picture, 64, 64, w, h)));
  });
});

describe("rows as they come", () => {
  it.each([1, 3] as const)("make the same file however they are split (%s bands)", (bands) => {
    const picture = bands === 1 ? green(coffee) : crop(coffee, 0, 0, 333, 155);
    const { width, height, data } = picture;
    for (const chroma of ["420", "444"] as const)
      for (const step of [1, 7, 16, 100, height]) {
        const stream = encoder.stream({ width, height, bands, quality: 90, chroma });
        const parts: Uint8Array[] = [];
        for (let y = 0; y < height; y += step)
          parts.push(stream.rows(data.subarray(y * width * bands, (y + step) * width * bands)));
        parts.push(stream.finish());
        expectSame(Buffer.concat(parts), encode(picture, { chroma }));
      }
  });

  it("do not disturb a picture that is encoded in between", () => {
    const picture = crop(coffee, 0, 0, 100, 40);
    const stream = encoder.stream({ width: 100, height: 40, bands: 3, quality: 90, chroma: "420" });
    const first = stream.rows(picture.data.subarray(0, 3000));
    const other = encode(coffee, { quality: 30, optimise: true });
    const second = stream.rows(picture.data.subarray(3000));
    expectSame(other, encode(coffee, { quality: 30, optimise: true }));
    expectSame(Buffer.concat([first, second, stream.finish()]), encode(picture));
  });

  it("are refused when they are not whole, too many or too few", () => {
    const begin = () => encoder.stream({ width: 4, height: 9, bands: 3, quality: 90, chroma: "444" });
    expect(() => begin().rows(new Uint8Array(13))).toThrow(/whole rows of 12 bytes/);
    expect(() => begin().rows(new Uint8Array(120))).toThrow(/at most 9 more/);
    expect(() => begin().finish()).toThrow(/9 rows/);
  });
});

it("writes the density into the segment in front of the tables", async () => {
  const jpeg = encode(crop(coffee, 0, 0, 16, 16), { resolution: { x: 300 / 2.54, y: 300 / 2.54 } });
  const { segments } = takeApart(jpeg);
  expect(segments.slice(0, 2).map((s) => s.code)).toEqual([0xe0, 0xdb]);
  expect((await sharp(jpeg).metadata()).density).toBe(300);
});

describe("memory", () => {
  const bytesAfter = (width: number, height: number, options: Partial<FastEncodeOptions> = {}) => {
    const own = createJpegEncoder(module);
    own.encode({ kind: "pixels", pixels: noise(width, height) }, { ...defaults, ...options });
    return own.memoryBytes();
  };

  it("does not grow with the height of a picture", () => {
    expect(bytesAfter(64, 4000)).toBe(bytesAfter(64, 16));
  });

  it("stays within a limit if optimised tables are made for a large picture", () => {
    expect(bytesAfter(1500, 2000, { optimise: true, quality: 100 })).toBeLessThan(32 * 1024 * 1024);
  });

  it("holds one row of blocks of the widest possible picture", () => {
    const wide = createJpegEncoder(module);
    const picture = noise(65535, 17);
    const jpeg = wide.encode({ kind: "pixels", pixels: picture }, { ...defaults, quality: 100 });
    expect(
      takeApart(jpeg)
        .segments.find((s) => s.code === 0xc0)
        ?.body.slice(1, 5),
    ).toEqual(Uint8Array.from([0, 17, 0xff, 0xff]));
    expect(wide.memoryBytes()).toBeLessThan(40 * 1024 * 1024);
  });
});

describe("input", () => {
  it("is refused with the expectation if sizes, bands or planes do not fit", () => {
    const sound = noise(4, 4);
    const refused = { kind: "encode", code: "not_encodable" };
    const check = (work: () => unknown) => {
      let error: unknown;
      try {
        work();
      } catch (thrown) {
        error = thrown;
      }
      expect(error).toMatchObject(refused);
    };
    check(() => encode({ ...sound, width: 5 }));
    check(() => encode({ ...sound, width: 0, data: new Uint8Array(0) }));
    check(() => encode({ ...sound, interpretation: "ycc" }));
    check(() => encode({ ...sound, bands: 4, data: new Uint8Array(64) }));
    check(() => encode({ ...sound, width: 65536, height: 1, data: new Uint8Array(65536 * 3) }));
    const planes = planesOf(sound, "420");
    const give = (changed: readonly Plane[]) =>
      encoder.encode({ kind: "planes", width: 4, height: 4, planes: changed, sampling: "420" }, defaults);
    expect(give(planes).length).toBeGreaterThan(100);
    check(() => give(planes.slice(0, 2)));
    check(() => give([...planes, planes[2]!]));
    check(() => give([planes[0]!, planes[1]!, { ...planes[2]!, stride: 1 }]));
    check(() => give([planes[0]!, planes[1]!, { ...planes[2]!, width: 3 }]));
    check(() => give([planes[0]!, planes[1]!, { ...planes[2]!, data: new Uint8Array(3) }]));
  });
});

describe("the module", () => {
  it("never traps, whatever is called with whatever numbers", () => {
    const { exports } = new WebAssembly.Instance(module, {});
    const calls = Object.entries(exports).filter(
      (entry): entry is [string, (...args: number[]) => unknown] => typeof entry[1] === "function",
    );
    expect(calls.length).toBeGreaterThan(12);
    const interesting = [
      0,
      1,
      2,
      3,
      8,
      15,
      16,
      17,
      40,
      64,
      255,
      4096,
      65535,
      65536,
      -1,
      2 ** 31 - 1,
      -(2 ** 31),
    ];
    const lot = noiseBytes(60_000, 11);
    let at = 0;
    const next = () => lot[at++ % lot.length]!;
    const memory = exports.memory as WebAssembly.Memory;
    for (let i = 0; i < 4000; i++) {
      if (i % 4 === 0)
        (exports.begin as (...args: number[]) => unknown)(
          1 + next(),
          1 + next(),
          1 + (next() & 1),
          1 + (next() & 1),
          next() & 1 ? 3 : 1,
          next() * 200,
          next() & 1 ? 1 << 20 : 0,
        );
      const [name, call] = calls[next() % calls.length]!;
      const args = Array.from({ length: call.length }, () => interesting[next() % interesting.length]!);
      expect(() => call(...args), `${name}(${args})`).not.toThrow();
    }
    expect(memory.buffer.byteLength).toBeLessThan(256 * 1024 * 1024);
  });
});
