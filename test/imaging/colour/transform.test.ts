// Transforms on their own: compared with LittleCMS on random and ramped colours, and the colours that must
// not change.

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../src/base/bytes/byte-source.ts";
import { profileFacts } from "../../../src/imaging/colour/facts.ts";
import { createColour } from "../../../src/imaging/colour/transform.ts";
import { grayProfile, rgbProfile, srgbProfile } from "../../../src/imaging/colour/write.ts";
import type { Interpretation, PixelBuffer } from "../../../src/imaging/pipeline/pixels.ts";
import { testHost } from "../../host.ts";
import { seeded } from "../../seeded.ts";
import { bySrgb, hasLittleCms, type Space } from "./littlecms.ts";
import { chemicalProof, curve, installed, matrixProfile, profileOf } from "./profiles.ts";

const colour = createColour(testHost);
const bandsOf = { gray: 1, rgb: 3, cmyk: 4 } as const;

function row(interpretation: Interpretation, bands: number, data: Uint8Array | Uint16Array): PixelBuffer {
  return { width: data.length / bands, height: 1, bands, interpretation, data };
}

/** Random colours, then ramps of each band and of all together; 0 to 1. */
function colours(bands: number): number[][] {
  const next = seeded(7);
  const random = Array.from({ length: 400 }, () => Array.from({ length: bands }, () => next(256) / 255));
  const ramps = Array.from({ length: bands + 1 }, (_, kind) =>
    Array.from({ length: 64 }, (_, i) =>
      Array.from({ length: bands }, (_, band) => (kind === band || kind === bands ? (i * 4) / 255 : 0)),
    ),
  );
  return [...random, ...ramps.flat()];
}

describe.skipIf(!hasLittleCms)("against LittleCMS on random and ramped colours", () => {
  const profiles: Readonly<Record<string, readonly [Space, () => Uint8Array]>> = {
    "Adobe RGB": ["rgb", () => installed("compatibleWithAdobeRGB1998.icc")],
    ProPhoto: ["rgb", () => installed("colord/ProPhotoRGB.icc")],
    "gray gamma 1.8": ["gray", () => grayProfile("1.8", [1.8])],
    CMYK: ["cmyk", chemicalProof],
  };

  test.each(Object.entries(profiles))(
    "%s is within a level of 8 bit, in 16 bit as well",
    async (_, [space, profile]) => {
      const bands = bandsOf[space];
      const list = colours(bands);
      const expected = bySrgb(profile(), space, list);
      const { toSrgb, ignored } = await colour.byProfile(async () => profile(), space);
      expect(ignored).toBeUndefined();
      for (const full of [255, 65535] as const) {
        const samples = list.flatMap((each) => each.map((value) => Math.round(value * full)));
        const data = full === 255 ? Uint8Array.from(samples) : Uint16Array.from(samples);
        const found = toSrgb(row(space, bands, data));
        const outBands = space === "gray" ? 1 : 3;
        const errors = expected.flatMap((each, i) =>
          each
            .slice(0, outBands)
            .map((value, band) => Math.abs((found.data[i * outBands + band]! / full) * 255 - value)),
        );
        // between the nodes of a table some colours at the very edge of sRGB are further off
        const far = errors.filter((error) => error > (full === 255 ? 1.5 : 1)).length / errors.length;
        expect(far).toBeLessThan(space === "cmyk" ? 0.002 : 1e-9);
      }
    },
  );
});

describe("a transform", () => {
  const profile = async () => installed("compatibleWithAdobeRGB1998.icc");

  test("leaves alpha as it is, for every kind", async () => {
    for (const make of [Uint8Array, Uint16Array]) {
      const counted = (length: number) => make.from(Array.from({ length }, (_, i) => i));
      const data = counted(4 * 50);
      const { toSrgb } = await colour.byProfile(profile, "rgb");
      const found = toSrgb(row("rgb", 4, data));
      expect(found.bands).toBe(4);
      for (let p = 3; p < data.length; p += 4) expect(found.data[p]).toBe(data[p]);
      const gray = counted(100);
      const byGamma = await colour.byProfile(async () => grayProfile("1.8", [1.8]), "gray");
      const grays = byGamma.toSrgb(row("gray", 2, gray));
      for (let p = 1; p < gray.length; p += 2) expect(grays.data[p]).toBe(gray[p]);
      const lab = colour.plain("lab")(row("lab", 4, data));
      for (let p = 3; p < data.length; p += 4) expect(lab.data[p]).toBe(data[p]);
    }
  });

  test("converts each pixel the same wherever it is, past the first strip too", async () => {
    const { toSrgb } = await colour.byProfile(async () => chemicalProof(), "cmyk");
    const next = seeded(3);
    const data = new Uint8Array(20_000 * 4).map(() => next(256));
    const all = toSrgb(row("cmyk", 4, data)).data;
    for (const at of [0, 8191, 8192, 16_383, 19_999])
      expect([...toSrgb(row("cmyk", 4, data.slice(at * 4, at * 4 + 4))).data]).toEqual([
        ...all.subarray(at * 3, at * 3 + 3),
      ]);
  });

  test("keeps neutral colours neutral, and ramps of 16 bit monotone", async () => {
    const { toSrgb } = await colour.byProfile(profile, "rgb");
    const ramp = new Uint16Array(65536 * 3).map((_, i) => Math.floor(i / 3));
    const found = toSrgb(row("rgb", 3, ramp)).data;
    for (let p = 0; p < found.length; p += 3) {
      expect(Math.max(Math.abs(found[p]! - found[p + 1]!), Math.abs(found[p]! - found[p + 2]!))).toBeLessThan(
        12,
      );
      if (p > 0 && found[p]! < found[p - 3]!) expect.fail(`falls at ${p / 3}`);
    }
    expect([...found.subarray(-3)]).toEqual([65535, 65535, 65535]);
  });

  test("by a profile that Little CMS refuses is skipped, with a notice", async () => {
    const proof = chemicalProof().slice();
    const view = new DataView(proof.buffer);
    // its table seems sound to us, but LittleCMS wants two entries in each curve
    for (let i = 0; i < view.getUint32(128); i++)
      if (view.getUint32(132 + i * 12) === 0x41324231) view.setUint32(view.getUint32(136 + i * 12) + 48, 1); // A2B1: no curves
    const { toSrgb, ignored } = await colour.byProfile(async () => proof, "cmyk");
    expect(ignored).toMatch(/LittleCMS|Little CMS/);
    const inks = Uint8Array.from([0, 0, 0, 0, 10, 200, 30, 40]);
    expect([...toSrgb(row("cmyk", 4, inks)).data]).toEqual([
      ...colour.plain("cmyk")(row("cmyk", 4, inks)).data,
    ]);
  });

  test("succeeds or not, but never throws, whatever a table's bytes are", async () => {
    const proof = chemicalProof();
    const view = new DataView(proof.buffer, proof.byteOffset);
    const entries = Array.from({ length: view.getUint32(128) }, (_, i) => 132 + i * 12);
    const table = view.getUint32(entries.find((at) => view.getUint32(at) === 0x41324231)! + 4);
    const next = seeded(77);
    for (let i = 0; i < 8; i++) {
      const copy = proof.slice();
      for (let n = 0; n < 4; n++) copy[table + next(200)] = next(256);
      const { toSrgb } = await createColour(testHost).byProfile(async () => copy, "cmyk");
      expect(toSrgb(row("cmyk", 4, Uint8Array.of(0, 0, 0, 0, 9, 99, 199, 255))).data).toHaveLength(6);
    }
  });

  test("is made once for a master: its profile is not read again", async () => {
    let reads = 0;
    const load = async () => {
      reads++;
      return srgbProfile();
    };
    await colour.byProfile(load, "rgb", "a master");
    await colour.byProfile(load, "rgb", "a master");
    expect(reads).toBe(1);
    await colour.byProfile(load, "rgb", "another");
    expect(reads).toBe(2);
  });
});

describe("a profile", () => {
  const facts = (bytes: Uint8Array, interpretation: Interpretation) =>
    profileFacts(memoryBytes(bytes), interpretation);
  const srgb = { white: [0.3127, 0.329], red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06] } as const;

  test.each([
    ["our own", srgbProfile()],
    ["that of icc-profiles-free, version 2", installed("sRGB.icc")],
    ["that of colord, version 4", installed("colord/sRGB.icc")],
  ])("%s is sRGB", async (_, bytes) => {
    expect(await facts(bytes, "rgb")).toEqual({ from: "icc", srgb: true });
  });

  test.each([
    ["Adobe RGB", installed("compatibleWithAdobeRGB1998.icc"), "rgb"],
    ["sRGB's primaries with a gamma of 2.2", rgbProfile("2.2", srgb, [2.2]), "rgb"],
    ["gray with a gamma of 2.2", grayProfile("2.2", [2.2]), "gray"],
    ["a table", chemicalProof(), "cmyk"],
  ] as const)("%s is not sRGB", async (_, bytes, interpretation) => {
    expect(await facts(bytes, interpretation)).toEqual({ from: "icc", srgb: false });
  });

  test("gray in sRGB's tone curve is sRGB", async () => {
    const levels = Array.from({ length: 1024 }, (_, i) => i / 1023);
    const tone = levels.map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    const profile = profileOf("GRAY", "XYZ ", 2, [["kTRC", curve(...tone)]]);
    expect(await facts(profile, "gray")).toEqual({ from: "icc", srgb: true });
  });

  const good = installed("compatibleWithAdobeRGB1998.icc");
  const changed = (at: number, ...bytes: number[]) => {
    const copy = good.slice();
    copy.set(bytes, at);
    return copy;
  };
  test.each([
    ["nothing", new Uint8Array(), "rgb", /damaged: expected 132 bytes or more, received 0/],
    ["its beginning only", good.subarray(0, 300), "rgb", /damaged: expected its 580 bytes, received 300/],
    ["another signature", changed(36, 0x41), "rgb", /acsp/],
    ["version 5", changed(8, 5), "rgb", /version 5/],
    ["a device link", changed(12, 0x6c, 0x69, 0x6e, 0x6b), "rgb", /class link/],
    ["too many tags", changed(128, 0, 0, 1, 0), "rgb", /at most 100 tags, received 256/],
    ["a tag beyond its end", changed(136, 0, 1, 0, 0), "rgb", /inside it/],
    ["for gray on RGB", grayProfile("1.8", [1.8]), "rgb", /it is for gray, and the image is RGB/],
    ["for CMYK on RGB", chemicalProof(), "rgb", /it is for CMYK, and the image is RGB/],
    [
      "primaries on a line",
      matrixProfile(
        [
          [0.3, 0.3, 0.3],
          [0.3, 0.3, 0.3],
          [0.3, 0.3, 0.3],
        ],
        curve(2),
      ),
      "rgb",
      /span a space/,
    ],
    [
      "more steps than any profile has",
      profileOf("RGB ", "Lab ", 4, [["D2B1", manySteps(100_000)]]),
      "rgb",
      /at most 16 steps in D2B1, received 100000/,
    ],
    ["no curves", profileOf("RGB ", "XYZ ", 2, []), "rgb", /how colours are meant/],
    [
      "a curve of another type",
      matrixProfile(
        [
          [0.4, 0.2, 0],
          [0.3, 0.7, 0.1],
          [0.1, 0.1, 0.7],
        ],
        Buffer.from("text\0\0\0\0abcdefgh"),
      ),
      "rgb",
      /tone curve/,
    ],
  ] as const)("%s is not used, with the reason", async (_, bytes, interpretation, reason) => {
    const found = await facts(bytes, interpretation);
    expect(found).toMatchObject({ from: "icc", srgb: true });
    expect(found.ignored).toMatch(reason);
    // fit for a header of HTTP
    expect(found.ignored).toMatch(/^[\x20-\x7e]+$/);
  });

  test("never throws, whatever bytes are changed", async () => {
    const next = seeded(11);
    for (const [profile, interpretation] of [
      [good, "rgb"],
      [chemicalProof(), "cmyk"],
      [installed("Gray-CIE_L.icc"), "gray"],
    ] as const)
      for (let i = 0; i < 300; i++) {
        const copy = profile.slice(0, 2000 + next(profile.length));
        for (let n = 0; n < 4; n++) copy[next(Math.min(copy.length, 700))] = next(256);
        expect((await facts(copy, interpretation)).from).toBe("icc");
      }
  });
});

/**
 * A multiProcessElementsType of three channels that names the same matrix again and again (ICC.1:2022,
 * 10.19).
 */
function manySteps(count: number): Buffer {
  const bytes = Buffer.alloc(16 + count * 8);
  bytes.write("mpet", 0);
  bytes.writeUInt16BE(3, 8);
  bytes.writeUInt16BE(3, 10);
  bytes.writeUInt32BE(count, 12);
  return bytes;
}
