// Decoding without the bit-planes that lossy compression would lose too.

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import type { Decoder } from "../../../../src/imaging/codecs/codec.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { synthesisNorms } from "../../../../src/imaging/codecs/jp2/region/quantisation.ts";
import { fixture, testHost } from "../../../host.ts";
import { synthesise } from "../../../wasm/jp2k/annex-f.ts";
import { hasOpenJpegTools, opjCompress } from "./openjpeg.ts";

type Part = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };

async function decode(
  bytes: Uint8Array,
  effort: "full" | "visual",
  scaleFactor = 1,
  codec?: Decoder,
  part?: Part,
) {
  const own = codec ?? createCodecs(testHost).decoder("jp2");
  const header = await own.probe(memoryBytes(bytes), 1);
  const region = part ?? { x: 0, y: 0, width: header.width, height: header.height };
  const read = { header, page: 1, region, scaleFactor, ...(effort === "visual" && { effort }) };
  return (await own.decode(memoryBytes(bytes), read)).data;
}

/** Peak signal to noise in dB, and the largest difference, of samples up to `top`. */
function distance(a: ArrayLike<number>, b: ArrayLike<number>, top: number) {
  let [sum, worst] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    const difference = a[i]! - b[i]!;
    sum += difference ** 2;
    worst = Math.max(worst, Math.abs(difference));
  }
  return { decibels: 10 * Math.log10((top ** 2 * a.length) / sum), worst };
}

describe("the norms of the synthesis filters are those of Annex F", () => {
  /**
   * Returns the value that a coefficient of 1 contributes, `depth` levels up, far from both ends. The 5/3
   * rounds, so it gets a large one.
   */
  function norm(filter: "5/3" | "9/7", kind: "low" | "high", depth: number): number {
    const impulse = 1 << 20;
    const count = 64;
    const zeros = () => new Array<number>(count).fill(0);
    const interleaved = (low: readonly number[], high: readonly number[]) =>
      low.flatMap((value, i) => [value, high[i]!]);
    const one = zeros().with(count / 2, impulse);
    let signal = kind === "low" ? interleaved(one, zeros()) : interleaved(zeros(), one);
    signal = synthesise(filter, signal, 0);
    for (let level = 1; level < depth; level++)
      signal = synthesise(filter, interleaved(signal, new Array<number>(signal.length).fill(0)), 0);
    return Math.sqrt(signal.reduce((sum, value) => sum + (value / impulse) ** 2, 0));
  }
  test.each([
    ["5/3", "reversible"],
    ["9/7", "irreversible"],
  ] as const)("%s", (filter, name) => {
    for (const kind of ["low", "high"] as const)
      expect(synthesisNorms[name][kind].map((_, i) => norm(filter, kind, i + 1))).toEqual(
        synthesisNorms[name][kind].map((value) => expect.closeTo(value, 2)),
      );
  });
});

describe("without the lowest bit-planes", () => {
  test.each([
    ["jp2-reversible.jp2", 255],
    ["jp2-tiled-128.jp2", 255],
    ["jp2-rgba8.jp2", 255],
    ["jp2-rgb16.jp2", 65535],
  ] as const)("%s differs from all of it by less than JPEG would", async (name, top) => {
    const bytes = fixture(name);
    for (const factor of [1, 2]) {
      const { decibels, worst } = distance(
        await decode(bytes, "full", factor),
        await decode(bytes, "visual", factor),
        top,
      );
      expect(worst).toBeGreaterThan(0);
      expect(decibels).toBeGreaterThan(40);
    }
  });

  test.each(["jp2-palette.jp2", "htj2k-lossless.jph"])("%s is decoded in full", async (name) => {
    const bytes = fixture(name);
    expect(await decode(bytes, "visual")).toEqual(await decode(bytes, "full"));
  });

  test("pixels never depend on earlier decoding", async () => {
    const bytes = fixture("jp2-reversible.jp2");
    const codec = createCodecs(testHost).decoder("jp2");
    const part = { x: 32, y: 16, width: 100, height: 90 };
    const [full, visual] = [
      await decode(bytes, "full", 1, undefined, part),
      await decode(bytes, "visual", 1, undefined, part),
    ];
    for (const effort of ["visual", "full", "full", "visual", "visual"] as const)
      expect(await decode(bytes, effort, 1, codec, part)).toEqual(effort === "full" ? full : visual);
  });

  test.skipIf(!hasOpenJpegTools)("a region of interest is decoded in full", async () => {
    const part = { x: 0, y: 0, width: 128, height: 128 };
    const picture = await decode(fixture("jp2-reversible.jp2"), "full", 1, undefined, part);
    const ppm = Buffer.concat([Buffer.from("P6\n128 128\n255\n"), picture as Uint8Array]);
    const bytes = opjCompress(ppm, ["-mct", "0", "-ROI", "c=0,U=5"]);
    const [full, visual] = [await decode(bytes, "full"), await decode(bytes, "visual")];
    const component = (data: ArrayLike<number>, c: number) =>
      new Uint8Array(128 * 128).map((_, i) => data[3 * i + c]!);
    expect(component(visual, 0)).toEqual(component(full, 0));
    expect(component(visual, 1)).not.toEqual(component(full, 1));
  });
});
