// The library by its few calls, against another decoder (sharp), over bytes in memory and over ranges of a
// file.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { ImagingError } from "../../src/base/imaging-error.ts";
import { createImaging, type FileBytes } from "../../src/imaging/imaging.ts";
import { fixture, fixturesFolder, testHost } from "../host.ts";

const imaging = createImaging(testHost);

/** A lossless file of each format that holds the same picture of 600 by 400 as base.png, and lossy ones. */
const files = ["base.png", "tif-deflate-pred2.tif", "jp2-reversible.jp2", "htj2k-lossless.jph"];
const lossy = [
  "jpg-baseline-420.jpg",
  "jpg-progressive.jpg",
  "jpg-arithmetic.jpg",
  "tif-jpeg-ycbcr-tiled.tif",
];

/** Largest and mean difference of two pictures. */
function differences(a: ArrayLike<number>, b: ArrayLike<number>) {
  expect(a.length).toBe(b.length);
  let [largest, sum] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    const difference = Math.abs(a[i]! - b[i]!);
    largest = Math.max(largest, difference);
    sum += difference;
  }
  return { largest, mean: sum / a.length };
}

/** The picture of base.png: rows `y` to `y + height`, columns `x` to `x + width`. */
const partOfBase = (left: number, top: number, width: number, height: number) =>
  sharp(fixture("base.png")).removeAlpha().extract({ left, top, width, height }).raw().toBuffer();

/** A file read by ranges, and the bytes that were read. */
function rangesOf(name: string) {
  const descriptor = openSync(`${fixturesFolder}${name}`, "r");
  const state = { bytes: 0 };
  const source: FileBytes = {
    size: fstatSync(descriptor).size,
    async read(offset, length) {
      const target = new Uint8Array(length);
      const count = readSync(descriptor, target, 0, length, offset);
      state.bytes += count;
      return target.subarray(0, count);
    },
  };
  return { source, state, close: () => closeSync(descriptor) };
}

describe("a master", () => {
  test.each(files)("of %s has its original pixels, in any region", async (name) => {
    const master = await imaging.open(fixture(name));
    expect(master.header).toMatchObject({ width: 600, height: 400, orientation: 1 });
    const { data } = await master.read();
    expect(differences(data, await partOfBase(0, 0, 600, 400)).largest).toBe(0);
    const part = await master.read({ x: 123, y: 45, width: 200, height: 100 });
    expect(differences(part.data, await partOfBase(123, 45, 200, 100)).largest).toBe(0);
  });

  test.each(lossy)("of %s decodes by regions like the whole", async (name) => {
    const master = await imaging.open(fixture(name));
    const whole = await master.read();
    const { data } = await master.read({ x: 128, y: 64, width: 96, height: 80 });
    for (let y = 0; y < 80; y++) {
      const start = ((y + 64) * 600 + 128) * 3;
      expect(data.slice(y * 288, (y + 1) * 288)).toEqual(whole.data.slice(start, start + 288));
    }
  });

  test.each([...files, ...lossy])("of %s decodes from ranges of bytes like from memory", async (name) => {
    const { source, close } = rangesOf(name);
    try {
      const region = { x: 64, y: 64, width: 64, height: 64 };
      const [ranged, held] = await Promise.all(
        [source, fixture(name)].map(async (bytes) => (await imaging.open(bytes)).read(region)),
      );
      expect(ranged!.data).toEqual(held!.data);
    } finally {
      close();
    }
  });

  test.each(["jpg-baseline-420.jpg", "jp2-reversible.jp2", "tif-jpeg-ycbcr-tiled.tif"])(
    "of %s is reduced exactly by its scale factor",
    async (name) => {
      const master = await imaging.open(fixture(name));
      for (const factor of master.scaleFactors) {
        const { width, height, data } = await master.read(undefined, factor);
        expect([width, height]).toEqual([Math.ceil(600 / factor), Math.ceil(400 / factor)]);
        const box = await sharp(fixture("base.png"))
          .removeAlpha()
          .resize(width, height, { fit: "fill", kernel: "linear" })
          .raw()
          .toBuffer();
        if (factor <= 8) expect(differences(data, box).mean).toBeLessThan(15);
      }
    },
  );
});

describe("a derivative", () => {
  test.each(["png", "webp", "tif", "jp2", "jpg", "avif", "jxl"] as const)(
    "in %s shows its region",
    async (format) => {
      const master = await imaging.open(fixture("base.png"));
      const region = { x: 100, y: 50, width: 300, height: 200 };
      const { bytes } = await master.derive({ region, width: 150, format, quality: 95 });
      const readable =
        format === "jp2" || format === "jxl"
          ? (await (await imaging.open(bytes)).derive({ format: "png" })).bytes
          : bytes;
      const made = await sharp(readable).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      expect([made.info.width, made.info.height]).toEqual([150, 100]);
      const expected = await sharp(fixture("base.png"))
        .removeAlpha()
        .extract({ left: 100, top: 50, width: 300, height: 200 })
        .resize(150, 100, { kernel: "lanczos3" })
        .raw()
        .toBuffer();
      expect(differences(made.data, expected).mean).toBeLessThan(3);
    },
  );

  test.each([1, 2, 3, 4, 5, 6, 7, 8])("of a file with orientation %i is upright", async (orientation) => {
    const name = `jpg-orient-${orientation}.jpg`;
    const { bytes } = await (await imaging.open(fixture(name))).derive({ format: "png" });
    const expected = await sharp(fixture(name)).rotate().raw().toBuffer({ resolveWithObject: true });
    const made = await sharp(bytes).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    expect([made.info.width, made.info.height]).toEqual([expected.info.width, expected.info.height]);
    expect(differences(made.data, expected.data).mean).toBeLessThan(2);
  });

  test("is in sRGB whatever the profile of its file", async () => {
    const master = await imaging.open(fixture("jpg-icc-displayp3.jpg"));
    const { bytes } = await master.derive({ format: "png" });
    const expected = await sharp(fixture("jpg-icc-displayp3.jpg")).toColourspace("srgb").raw().toBuffer();
    const made = await sharp(bytes).removeAlpha().raw().toBuffer();
    expect(differences(made, expected).mean).toBeLessThan(2);
  });

  test("shows the background if a format has no transparency", async () => {
    const transparent = await sharp({
      create: { width: 32, height: 32, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .png()
      .toBuffer();
    const master = await imaging.open(new Uint8Array(transparent));
    const { bytes } = await master.derive({ format: "jpg", background: [200, 100, 50], quality: 100 });
    const pixels = await sharp(bytes).raw().toBuffer();
    expect(differences(pixels.subarray(0, 3), [200, 100, 50]).largest).toBeLessThan(4);
  });

  test("keeps the aspect ratio if one side is given, and is planned with its memory", async () => {
    const master = await imaging.open(fixture("base.png"));
    const sizes = await Promise.all(
      [{ width: 60 }, { height: 20 }, { width: 10, height: 10 }, {}].map(async (size) => {
        const { bytes } = await master.derive({ ...size, format: "png" });
        const { width, height } = await sharp(bytes).metadata();
        return [width, height];
      }),
    );
    expect(sizes).toEqual([
      [60, 40],
      [30, 20],
      [10, 10],
      [600, 400],
    ]);
    expect(master.plan({ format: "png" }).memory).toBeGreaterThan(600 * 400 * 3);
  });
});

describe("a sidecar", () => {
  test.each(["jpg-baseline-420.jpg", "jpg-progressive.jpg", "jp2-reversible.jp2"])(
    "of %s changes no pixel",
    async (name) => {
      const sidecar = await (await imaging.open(fixture(name))).buildSidecar();
      expect(sidecar!.entry.length).toBeGreaterThan(0);
      const [without, withOne] = [
        await imaging.open(fixture(name)),
        await createImaging(testHost).open(fixture(name), { sidecar: structuredClone(sidecar!) }),
      ];
      for (const factor of [1, 2, 4, 8]) {
        const region = { x: 8 * factor, y: 4 * factor, width: 24 * factor, height: 16 * factor };
        expect((await withOne.read(region, factor)).data).toEqual((await without.read(region, factor)).data);
      }
      const request = { width: 40, format: "png" } as const;
      expect((await withOne.derive(request)).bytes).toEqual((await without.derive(request)).bytes);
    },
  );

  test("of another file is ignored", async () => {
    const sidecar = await (await imaging.open(fixture("jpg-restart.jpg"))).buildSidecar();
    const master = await imaging.open(fixture("jpg-wide-5000x12.jpg"), { sidecar: sidecar! });
    const alone = await imaging.open(fixture("jpg-wide-5000x12.jpg"));
    expect((await master.read()).data).toEqual((await alone.read()).data);
  });

  test("is undefined for formats without one", async () => {
    expect(await (await imaging.open(fixture("base.png"))).buildSidecar()).toBeUndefined();
  });
});

describe("errors name the expected input", () => {
  const kindOf = async (act: () => Promise<unknown>) => {
    const error = await act().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ImagingError);
    const { kind, message } = error as ImagingError;
    expect(message).toMatch(/^(Expected|This|The|A) /);
    return kind;
  };

  test.each([
    ["text", new TextEncoder().encode("no picture"), "unsupported"],
    ["nothing", new Uint8Array(), "unsupported"],
    ["a JPEG that is cut off in its header", fixture("jpg-baseline-420.jpg").slice(0, 40), "decode"],
  ])("for %s", async (_, bytes, kind) => {
    expect(await kindOf(() => imaging.open(bytes))).toBe(kind);
    expect(await kindOf(() => imaging.probe(bytes))).toBe(kind);
  });

  test("for a page that a file does not have", async () => {
    expect(await kindOf(() => imaging.open(fixture("base.png"), { page: 2 }))).toBe("not-found");
  });

  test.each([
    [{ x: 0, y: 0, width: 601, height: 1 }, 1],
    [{ x: -1, y: 0, width: 1, height: 1 }, 1],
    [{ x: 0.5, y: 0, width: 1, height: 1 }, 1],
    [{ x: 0, y: 0, width: 0, height: 1 }, 1],
    [{ x: 1, y: 0, width: 8, height: 8 }, 2],
    [{ x: 0, y: 0, width: 9, height: 8 }, 2],
    [{ x: 0, y: 0, width: 8, height: 8 }, 3],
  ])("for the region %j at 1/%i", async (region, scaleFactor) => {
    const master = await imaging.open(fixture("jpg-baseline-420.jpg"));
    expect(await kindOf(() => master.read(region, scaleFactor))).toBe("bad-request");
  });

  test.each([
    { region: { x: 0, y: 0, width: 601, height: 400 } },
    { width: 0 },
    { width: 1.5 },
    { height: Number.NaN },
    { quality: 0 },
    { quality: 101 },
  ])("for the derivative %j", async (request) => {
    const master = await imaging.open(fixture("base.png"));
    expect(await kindOf(() => master.derive({ ...request, format: "jpg" }))).toBe("bad-request");
  });

  test("for a derivative that is larger than its format allows", async () => {
    const master = await imaging.open(fixture("base.png"));
    expect(await kindOf(() => master.derive({ width: 70_000, format: "jpg" }))).toBe("too-large");
  });

  test("unless bytes cannot be read, which rethrows their reader's error", async () => {
    const broken = { size: 100, read: () => Promise.reject(new ImagingError("source", "The disk is gone.")) };
    expect(await kindOf(() => imaging.open(broken))).toBe("source");
  });
});
