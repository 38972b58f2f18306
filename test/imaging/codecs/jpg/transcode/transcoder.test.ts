// @module-tag slow
import sharp, { type JpegOptions } from "sharp";
import { beforeAll, describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import { listScans, scanKinds } from "../../../../../src/imaging/codecs/jpg/transcode/scans.ts";
import {
  openTranscoder,
  type Transcoder,
} from "../../../../../src/imaging/codecs/jpg/transcode/transcoder.ts";
import { fixture } from "../../../../host.ts";
import { everything, sampled, seedOf } from "../../../../sampled.ts";
import { ownModule } from "../../../../wasm/own-modules.ts";
import { countingBytes } from "../../counting.ts";
import { named, takeApart, withFrame, withSegments } from "../segments.ts";
import { has, made, piped, progressive, scripts, sequence } from "./sources.ts";

let transcoder: Transcoder;
beforeAll(async () => {
  transcoder = openTranscoder(await ownModule("jpeg-transcode"));
});

async function transcodeOf(file: Uint8Array) {
  const parts: Uint8Array[] = [];
  const facts = await transcoder.transcode(memoryBytes(file), { onChunk: (part) => void parts.push(part) });
  const transcode = new Uint8Array(Buffer.concat(parts));
  expect(facts.size).toBe(transcode.length);
  return { transcode, ...facts };
}

/** Returns samples as libjpeg-turbo (in sharp) decodes them; CMYK stays unchanged. */
async function pixels(file: Uint8Array) {
  const image = sharp(file, { ignoreIcc: true, failOn: "none" });
  const { space } = await image.metadata();
  if (space === "cmyk") image.pipelineColourspace("cmyk").toColourspace("cmyk");
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true });
  return { size: [info.width, info.height, info.channels], data };
}

async function expectSamePixels(actual: Uint8Array, expected: Uint8Array, what = "") {
  const [a, b] = await Promise.all([pixels(actual), pixels(expected)]);
  expect([what, ...a.size]).toEqual([what, ...b.size]);
  expect(a.data.equals(b.data), `samples of ${what}`).toBe(true);
}

async function expectExact(file: Uint8Array, what = "") {
  const { transcode, damaged } = await transcodeOf(file);
  expect([what, damaged]).toEqual([what, false]);
  const { scans, damaged: broken } = await listScans(memoryBytes(transcode));
  expect([scans.length, scans[0]?.kind, scans[0]?.interval, broken]).toEqual([
    1,
    scanKinds.sequential,
    0,
    false,
  ]);
  await expectSamePixels(transcode, file, what);
  return transcode;
}

/** Offsets of the entropy-coded data of all scans. */
async function codedData(file: Uint8Array): Promise<number[]> {
  const { scans } = await listScans(memoryBytes(file));
  return scans.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i));
}

describe("the baseline transcode", () => {
  it.each([
    "jpg-progressive.jpg",
    "jpg-restart.jpg",
    "jpg-baseline-422.jpg",
    "jpg-gray.jpg",
    "jpg-1x1.jpg",
    "jpg-wide-5000x12.jpg",
    "jpg-rgb-adobe0.jpg",
    "jpg-cmyk-adobe.jpg",
    "jpg-ycck-adobe.jpg",
  ])("of %s has the same samples in one scan without restart markers", async (name) => {
    await expectExact(fixture(name), name);
  });

  it("has no metadata except what decides about the colours", async () => {
    const noted = withSegments(fixture("jpg-cmyk-icc.jpg"), (all) => [
      named(0xe1, "Exif\0\0", [1, 2, 3]),
      named(0xfe, "a comment", []),
      ...all,
    ]);
    const codes = takeApart((await transcodeOf(noted)).transcode).segments.map(({ code }) => code);
    expect(codes.filter((code) => code >= 0xe0)).toEqual([0xee]);
  });

  it.each<[string, JpegOptions]>([
    ["4:2:0", {}],
    ["4:4:4", { chromaSubsampling: "4:4:4" }],
    ["4:4:4 at quality 100", { chromaSubsampling: "4:4:4", quality: 100 }],
    ["4:2:0 at quality 3", { quality: 3 }],
    ["MozJPEG's scans", { mozjpeg: true }],
  ])("of sharp's progressive files is exact at odd sizes: %s", async (_, options) => {
    for (const [width, height] of [
      [1, 1],
      [7, 40],
      [33, 9],
      [16, 17],
      [250, 131],
    ] as const)
      await expectExact(await progressive(width, height, options), `${width}x${height}`);
  });

  it("of a progressive CMYK file is exact", async () => {
    const cmyk = await sharp(fixture("jpg-cmyk-adobe.jpg"), { ignoreIcc: true })
      .pipelineColourspace("cmyk")
      .toColourspace("cmyk")
      .jpeg({ progressive: true, quality: 95 })
      .toBuffer();
    expect((await listScans(memoryBytes(cmyk))).frame).toMatchObject({ progressive: true });
    expect((await listScans(memoryBytes(cmyk))).frame.components).toHaveLength(4);
    await expectExact(cmyk);
  });

  it("of a single component with sampling factors 2x2 is exact", async () => {
    const gray = await sharp(await progressive(41, 23))
      .toColourspace("b-w")
      .jpeg({ progressive: true })
      .toBuffer();
    await expectExact(withFrame(gray, (f) => ({ ...f, body: f.body.with(7, 0x22) })));
  });
});

describe.skipIf(!has("cjpeg"))(
  "the baseline transcode of cjpeg's files (needs cjpeg of libjpeg-turbo)",
  () => {
    const samplings = {
      "4:4:4": ["-sample", "1x1"],
      "4:2:2": ["-sample", "2x1"],
      "4:2:0": ["-sample", "2x2"],
      "4:4:0": ["-sample", "1x2"],
      "4:1:1": ["-sample", "4x1"],
      "2x2, 1x2, 2x1": ["-sample", "2x2,1x2,2x1"],
      gray: ["-grayscale"],
      RGB: ["-rgb"],
    } as const;
    const kinds = [undefined, ...(Object.keys(scripts) as (keyof typeof scripts)[])];

    it.each(Object.keys(samplings) as (keyof typeof samplings)[])(
      "is exact with %s sampling, whatever the scan script, quality and restart interval",
      async (sampling) => {
        const next = sequence(seedOf(`sizes of ${sampling}`));
        const ways = kinds.flatMap((script) =>
          [4, 100].flatMap((quality) =>
            [undefined, "1B", "7B", "1"].map((restart) => ({ script, quality, restart })),
          ),
        );
        for (const way of sampled(`ways to code ${sampling}`, ways, 8)) {
          const [width, height] = [1 + Math.floor(40 * next()), 1 + Math.floor(40 * next())];
          const recipe = { width, height, sampling: samplings[sampling], ...way };
          await expectExact(made(recipe), JSON.stringify(recipe));
        }
      },
    );

    it("is exact if one end-of-band run covers thousands of blocks", async () => {
      for (const restart of [undefined, "200B"])
        await expectExact(
          made({ width: 1500, height: 1100, quality: 8, sampling: ["-sample", "2x2"], restart }),
        );
    });

    it.skipIf(!has("jpegtran"))("shows a file that ends early as jpegtran does", async () => {
      const sampling = ["-sample", "2x2"];
      let refused = 0;
      for (const restart of [undefined, "5B"]) {
        const file = made({ width: 93, height: 71, quality: 90, sampling, restart });
        const { scans } = await listScans(memoryBytes(file));
        const ends: number[] = [];
        for (let end = scans[0]!.start + 20; end < file.length - 2; end += 61) ends.push(end);
        for (const end of sampled(`ends with restart ${restart}`, ends, 12)) {
          const cut = file.subarray(0, end);
          const { transcode, damaged } = await transcodeOf(cut);
          expect(damaged).toBe(true);
          const expected = piped("jpegtran", [], cut);
          if (expected) await expectSamePixels(transcode, expected, `${end} bytes`);
          else refused++; // the cut is inside a table
        }
      }
      expect(refused).toBeLessThan(10);
    });

    it.skipIf(!has("jpegtran"))("shows changed, lost and repeated data as jpegtran does", async () => {
      const next = sequence(seedOf("damage"));
      let [compared, all] = [0, 0];
      for (const restart of [undefined, "3B"])
        for (const script of sampled(`scripts with restart ${restart}`, kinds, 3)) {
          const file = made({
            width: 90,
            height: 60,
            quality: 85,
            sampling: ["-sample", "2x1"],
            script,
            restart,
          });
          const places = await codedData(file);
          for (let n = 0; n < 12; n++, all++) {
            const at = places[Math.floor(next() * places.length)]!;
            const broken =
              n % 3 === 0
                ? file.with(at, Math.floor(255 * next()))
                : new Uint8Array([...file.subarray(0, at), ...file.subarray(n % 3 === 1 ? at + 3 : at - 3)]);
            const expected = piped("jpegtran", [], broken);
            if (!expected) continue; // coefficients that baseline cannot hold, or a marker that is none
            await expectSamePixels(
              (await transcodeOf(broken)).transcode,
              expected,
              `${script} ${restart} ${n} at ${at}`,
            );
            compared++;
          }
        }
      expect(compared).toBeGreaterThan(all / 4);
    });

    it.skipIf(!has("djpeg"))("has DC planes that are the picture at 1/8", async () => {
      for (const [sampling, components] of [
        [["-sample", "2x2"], "-grayscale"],
        [["-rgb"], "-rgb"],
      ] as const) {
        const file = made({ width: 203, height: 149, quality: 80, sampling, restart: "2" });
        const { planes, damaged } = await transcoder.dcPlanes(memoryBytes(file));
        expect(damaged).toBe(false);
        const pnm = piped("djpeg", ["-scale", "1/8", "-pnm", components], file)!;
        const count = components === "-rgb" ? 3 : 1;
        const expected = pnm.subarray(pnm.length - 26 * 19 * count);
        for (let band = 0; band < count; band++) {
          expect([planes[band]!.width, planes[band]!.height]).toEqual([26, 19]);
          expect([...planes[band]!.data]).toEqual([...expected.filter((_, i) => i % count === band)]);
        }
      }
    });
  },
);

describe("the level at 1/8 from DC scans", () => {
  it("is exact for blocks of one value each", async () => {
    const [width, height] = [11, 6];
    const values = new Uint8Array(width * height).map((_, i) => (i * 37) % 256);
    const blocks = new Uint8Array(64 * width * height).map(
      (_, i) => values[Math.floor(i / (64 * width)) * width + Math.floor((i % (8 * width)) / 8)]!,
    );
    for (const isProgressive of [true, false]) {
      const file = await sharp(blocks, { raw: { width: 8 * width, height: 8 * height, channels: 1 } })
        .toColourspace("b-w")
        .jpeg({ quality: 100, progressive: isProgressive })
        .toBuffer();
      const { planes } = await transcoder.dcPlanes(memoryBytes(file));
      expect(planes).toEqual([{ data: values, width, height }]);
    }
  });

  it("has each component in its own sampling", async () => {
    const { planes } = await transcoder.dcPlanes(memoryBytes(await progressive(101, 35)));
    expect(planes.map((p) => [p.width, p.height, p.data.length])).toEqual([
      [13, 5, 65],
      [7, 3, 21],
      [7, 3, 21],
    ]);
  });

  it("reads the file once for its markers and then little more than the DC scans", async () => {
    const file = await progressive(1200, 900, { quality: 95 });
    const { scans } = await listScans(memoryBytes(file));
    const dc = scans.filter(({ first }) => first === 0).reduce((sum, { start, end }) => sum + end - start, 0);
    const source = countingBytes(file);
    await transcoder.dcPlanes(source);
    expect(source.total()).toBeLessThan(1.02 * file.length + dc);
    expect(dc).toBeLessThan(0.2 * file.length);
  });
});

describe("transcoding", () => {
  it("reads the source twice, in chunks, and hands out chunks of bounded size", async () => {
    const file = await progressive(1200, 900, { quality: 95 });
    const source = countingBytes(file);
    let largest = 0;
    await transcoder.transcode(source, {
      onChunk: (part) => void (largest = Math.max(largest, part.length)),
    });
    expect(source.total()).toBeLessThan(2.02 * file.length);
    expect(largest).toBeLessThanOrEqual(128 * 1024 + 16);
  });

  it("takes memory for a row of the picture, not for the picture", async () => {
    const small = await progressive(800, 600);
    const large = await sharp(small)
      .resize(4000, 3000)
      .jpeg({ progressive: true, chromaSubsampling: "4:4:4" })
      .toBuffer();
    const { memory, size } = await transcoder.transcode(memoryBytes(new Uint8Array(large)), {
      onChunk: () => {},
    });
    expect(size).toBeGreaterThan(large.length / 2);
    expect(memory).toBeLessThan(4 * 1024 * 1024);
  });

  it("waits for the consumer of the chunks and stops after an abort", async () => {
    const file = await progressive(400, 2000);
    const stop = new AbortController();
    let open = 0;
    const work = transcoder.transcode(memoryBytes(file), {
      signal: stop.signal,
      slice: 1,
      async onChunk() {
        expect(++open).toBe(1);
        await new Promise((resolve) => setTimeout(resolve, 1));
        open--;
        stop.abort();
      },
    });
    await expect(work).rejects.toMatchObject({ kind: "cancelled" });
  });

  it("refuses arithmetic coding, 12 bits and more than ten blocks in an MCU as unsupported", async () => {
    const plain = fixture("jpg-progressive.jpg");
    const files = [
      fixture("jpg-arithmetic.jpg"),
      withFrame(plain, (f) => ({ ...f, body: f.body.with(0, 12) })),
      withFrame(plain, (f) => ({ ...f, body: f.body.with(7, 0x42).with(10, 0x22) })),
    ];
    for (const file of files) await expect(transcodeOf(file)).rejects.toMatchObject({ kind: "unsupported" });
  });

  it("refuses a file without a scan and one with more than a hundred", async () => {
    const plain = fixture("jpg-progressive.jpg");
    const { segments } = takeApart(plain);
    const { scans } = await listScans(memoryBytes(plain));
    const headless = plain.subarray(0, plain.length - takeApart(plain).rest.length);
    await expect(transcodeOf(headless)).rejects.toMatchObject({ kind: "decode", code: "damaged_image" });
    expect(segments.length).toBeGreaterThan(3);
    const scan = plain.subarray(scans[0]!.start - 14, scans[0]!.end);
    const many = new Uint8Array(Buffer.concat([headless, ...new Array(101).fill(scan), plain.subarray(-2)]));
    await expect(transcodeOf(many)).rejects.toMatchObject({ kind: "decode", code: "too_many_scans" });
  });

  it("returns a file or refuses with an ImagingError, within its memory, whatever mutations do", async () => {
    const next = sequence(seedOf("mutations"));
    const pick = (count: number) => Math.floor(next() * count);
    const files = [
      await progressive(61, 45),
      await progressive(40, 50, { mozjpeg: true, chromaSubsampling: "4:4:4", quality: 98 }),
      fixture("jpg-restart.jpg").subarray(0, 9000),
    ];
    let shown = 0;
    const count = everything ? 2000 : 300;
    for (let n = 0; n < count; n++) {
      const file = new Uint8Array(files[n % files.length]!);
      let broken = file;
      for (let times = 1 + pick(4); times > 0; times--) {
        const at = 2 + pick(broken.length - 2);
        const how = pick(4);
        if (how === 0) broken = broken.with(at, pick(256));
        else if (how === 1) broken = broken.with(at, broken[at]! ^ (1 << pick(8)));
        else if (how === 2)
          broken = new Uint8Array([...broken.subarray(0, at), ...file.subarray(pick(file.length))]);
        else broken = broken.slice(0, Math.max(at, 200));
      }
      try {
        const { transcode, memory } = await transcodeOf(broken);
        expect([...transcode.subarray(0, 2), ...transcode.subarray(-2)]).toEqual([0xff, 0xd8, 0xff, 0xd9]);
        expect(memory).toBeLessThan(48 * 1024 * 1024);
        expect((await listScans(memoryBytes(transcode))).damaged).toBe(false);
        shown++;
      } catch (error) {
        if (!(error instanceof ImagingError)) throw new Error(`mutation ${n}`, { cause: error });
      }
    }
    expect(shown).toBeGreaterThan(count / 8);
  });
});
