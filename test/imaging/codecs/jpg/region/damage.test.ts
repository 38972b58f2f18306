// Damaged files: what libjpeg shows of them, and that none does harm. MUTATIONS=20000 for a longer search.
// @module-tag slow

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import {
  createEngine,
  openJpeg,
  type ScaleFactor,
} from "../../../../../src/imaging/codecs/jpg/region/index.ts";
import { everything, seedOf } from "../../../../sampled.ts";
import { decode, encode, hasTools, picture, randomness } from "../make-matrix.ts";
import { mutate } from "../mutate.ts";
import { differences, engine, module, openIndexed, resamplePlane, whole } from "../open.ts";
import { putTogether, takeApart } from "../segments.ts";

const mutations = Number(process.env.MUTATIONS ?? 2000);

const fixture = (name: string) => new Uint8Array(readFileSync(`test/fixtures/${name}`));

describe("a truncated file", () => {
  it("ends in gray and is called damaged", async () => {
    const reader = await openIndexed(fixture("bad-trunc-50.jpg"));
    const { data } = await reader.decodePixels(whole(reader), 1);
    expect(reader.damaged).toBe(true);
    expect([...data.subarray(-6)]).toEqual([128, 128, 128, 128, 128, 128]);
    const { width, height } = reader.frame;
    const small = await reader.decodePixels(whole(reader), 8);
    expect(small.data.length).toBe(Math.ceil(width / 8) * Math.ceil(height / 8) * 3);
    expect([...small.data.subarray(-3)]).toEqual([128, 128, 128]);
  });

  it("costs no more than its data when its header promises far more", async () => {
    const file = fixture("bad-dims-65500.jpg");
    const fresh = createEngine(module);
    let runs = 0;
    const indexRows = () => {
      runs++;
      return fresh.run.indexRows();
    };
    const counted = { ...fresh, run: { ...fresh.run, indexRows } };
    const reader = (await openJpeg(() => counted, memoryBytes(file)))!;
    await reader.buildAccessPoints();
    expect(reader.damaged).toBe(true);
    expect(reader.level8).toBeUndefined();
    expect(runs).toBeLessThan(100);
    const { data } = await reader.decodePixels({ x: 65000, y: 65000, width: 500, height: 500 }, 1);
    expect(data.every((v) => v === 128)).toBe(true);
    expect(fresh.size).toBeLessThan(8 << 20);
  });
});

it("takes a file of many MCUs and few bytes in steps of bounded work", async () => {
  // 4096 by 65496 gray pixels with a restart for each 65535 blocks, each interval without any data
  const source = fixture("jpg-gray.jpg");
  const { segments, rest } = takeApart(source);
  const frame = segments.find(({ code }) => code === 0xc0)!;
  frame.body.set([65496 >> 8, 65496 & 255, 4096 >> 8, 0], 1);
  const all = [{ code: 0xdd, body: new Uint8Array([255, 255]) }, ...segments];
  const empty = Array.from({ length: 64 }, (_, i) => [0xff, 0xd0 + (i % 8)]).flat();
  const scan = rest.subarray(0, 4 + rest[3]!);
  const file = putTogether(all, new Uint8Array([...scan.subarray(0, 2 + rest[3]!), ...empty, 0xff, 0xd9]));
  const reader = (await openJpeg(() => engine, memoryBytes(file)))!;
  const seen: number[] = [];
  do seen.push(reader.rows);
  while (await reader.stepAccessPoints());
  seen.push(reader.rows);
  expect(reader.damaged).toBe(true);
  expect(seen.length).toBeGreaterThan(1);
  const steps = seen.map((rows, i) => (rows - (seen[i - 1] ?? 0)) * 512 * 0.125);
  expect(Math.max(...steps)).toBeLessThan(2_200_000);
  expect(reader.level8![0]!.every((v) => v === 128)).toBe(true);
});

describe.skipIf(!hasTools)("needs cjpeg and djpeg of libjpeg-turbo-progs", () => {
  it("decodes damaged data like libjpeg", async () => {
    const random = randomness(seedOf("damaged data that libjpeg shows"));
    const sources = [
      ["-quality", "80"],
      ["-quality", "80", "-restart", "3B"],
      ["-quality", "95", "-sample", "1x1", "-restart", "1"],
      ["-quality", "60", "-grayscale", "-optimize"],
      ["-quality", "90", "-sample", "2x1", "-restart", "20B"],
    ].map((args) => encode(picture(150, 90), args));
    const wrong: string[] = [];
    for (let i = 0; i < (everything ? 200 : 60); i++) {
      const source = sources[i % sources.length]!;
      const scan = source.length - takeApart(source).rest.length;
      const file = mutate(source, scan + 14, random);
      const reader = await openIndexed(file);
      const pixels = await reader.decodePixels(whole(reader), 1);
      const bad = differences(pixels.data, decode(file));
      if (bad > 0) wrong.push(`${i}: ${bad} of ${pixels.data.length}`);
    }
    expect(wrong).toEqual([]);
  });
});

it("does not take fill bytes before an unknown marker for a file that changed", async () => {
  const source = fixture("jpg-restart.jpg");
  const scan = source.length - takeApart(source).rest.length + 14;
  const step = everything ? 61 : 997;
  for (let at = scan; at < source.length - 2; at += step) {
    const damage = [...new Array(2 + (at % 9)).fill(0xff), 0x29];
    const file = new Uint8Array([...source.subarray(0, at), ...damage, ...source.subarray(at + 1)]);
    const reader = await openIndexed(file);
    const { data } = await reader.decodePixels(whole(reader), 1);
    expect(data.length).toBe(reader.frame.width * reader.frame.height * 3);
    expect(reader.damaged).toBe(true);
  }
});

/** A corner of files that would take long. */
async function small(file: Uint8Array): Promise<Uint8Array> {
  const corner = { x: 0, y: 0, width: 256, height: 128 };
  const cut = file.length > 100_000 ? await (await openIndexed(file)).crop(corner) : file;
  if (!cut) throw new Error("expected a file that can be cut");
  return cut;
}

describe("changed bytes anywhere in a file", () => {
  const names = [
    "jpg-baseline-420.jpg",
    "jpg-restart.jpg",
    "jpg-gray.jpg",
    "jpg-cmyk-adobe.jpg",
    "jpg-rgb-adobe0.jpg",
    "jpg-exif-xmp-iptc-gps.jpg",
  ];

  it("result in a picture or an ImagingError, never a trap, within limits of memory and work", async () => {
    const random = randomness(11);
    const files = await Promise.all(names.map((name) => small(fixture(name))));
    const fresh = createEngine(module);
    let runs = 0;
    const count =
      (f: () => number): (() => number) =>
      () => {
        runs++;
        return f();
      };
    const counted = {
      ...fresh,
      run: {
        ...fresh.run,
        indexRows: count(fresh.run.indexRows),
        decodeRows: count(fresh.run.decodeRows),
        cutRows: count(fresh.run.cutRows),
      },
    };
    const scales: ScaleFactor[] = [1, 2, 4, 8];
    let pictures = 0;
    let most = 0;
    for (let i = 0; i < mutations; i++) {
      const source = files[i % files.length]!;
      const scan = source.length - takeApart(source).rest.length;
      const file = mutate(source, random() < 0.5 ? 2 : scan, random);
      runs = 0;
      try {
        const reader = await openJpeg(() => counted, memoryBytes(file), {
          level8Limit: 1 << 20,
          ...(i % 3 > 0 && { resample: resamplePlane, level4Limit: 1 << 20 }),
        });
        if (!reader) continue;
        await reader.buildAccessPoints();
        const { width, height } = reader.frame;
        const scale = scales[i % 4]!;
        const x = Math.floor((random() * width) / 16) * 16;
        const y = Math.floor((random() * height) / 16) * 16;
        const region = { x, y, width: Math.min(128, width - x), height: Math.min(128, height - y) };
        await reader.decodePixels(region, scale);
        if (scale === 4) await reader.decodePlanes(region, scale);
        await reader.crop(region);
        pictures++;
      } catch (error) {
        if (!(error instanceof ImagingError)) throw new Error(`mutation ${i}`, { cause: error });
      }
      most = Math.max(most, runs);
    }
    expect(pictures).toBeGreaterThan(mutations / 2);
    expect(most).toBeLessThan(20_000);
    expect(fresh.size).toBeLessThan(16 << 20);
    expect(engine.size).toBeLessThan(32 << 20);
  });
});
