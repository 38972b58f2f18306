// Profiles with impossible tags: none of them affects a response, and no sound profile is rejected.

import { existsSync, readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../src/base/bytes/byte-source.ts";
import { profileFacts } from "../../../src/imaging/colour/facts.ts";
import { hasImpossibleGrid } from "../../../src/imaging/colour/grid-sizes.ts";
import { sampleProfile } from "../../../src/imaging/colour/lcms.ts";
import { createColour } from "../../../src/imaging/colour/transform.ts";
import { rgbProfile, srgbCurve } from "../../../src/imaging/colour/write.ts";
import { testHost } from "../../host.ts";
import {
  chemicalProof,
  curve,
  installed,
  matrixProfile,
  numbers,
  profileOf,
  tableProfile,
} from "./profiles.ts";

const facts = (profile: Uint8Array, interpretation: "gray" | "rgb" | "cmyk") =>
  profileFacts(memoryBytes(profile), interpretation);

/** Adobe RGB (1998), annex A: its primaries under D50. */
const adobe = [
  [0.60974, 0.31111, 0.01947],
  [0.20528, 0.62567, 0.06087],
  [0.14919, 0.06322, 0.74457],
];

const folders = ["", "colord/"].filter((folder) => existsSync(`/usr/share/color/icc/${folder}`));
const spaces: Readonly<Record<string, "gray" | "rgb" | "cmyk">> = {
  "RGB ": "rgb",
  GRAY: "gray",
  CMYK: "cmyk",
};
const devices = ["mntr", "scnr", "prtr", "spac"];
const sound = folders
  .flatMap((folder) => readdirSync(`/usr/share/color/icc/${folder}`).map((name) => folder + name))
  .filter((name) => /\.(icc|icm)$/i.test(name))
  .flatMap((name) => {
    const text = Buffer.from(installed(name)).toString("latin1", 0, 20);
    const interpretation = devices.includes(text.slice(12, 16)) && spaces[text.slice(16, 20)];
    return interpretation ? [[name, interpretation] as const] : [];
  });

describe("a sound profile is used", () => {
  test.skipIf(sound.length === 0).each(sound)("that Debian installs: %s", async (name, interpretation) => {
    expect((await facts(installed(name), interpretation)).ignored).toBeUndefined();
  });

  test.each([
    // IEC 61966-2-1, under its own white: many profiles of displays of version 2 are made so
    [
      "sRGB that is not adapted to D50",
      [
        [0.4124, 0.2126, 0.0193],
        [0.3576, 0.7152, 0.1192],
        [0.1805, 0.0722, 0.9505],
      ],
    ],
    // SMPTE ST 2065-1: luminance of blue is below 0
    [
      "ACES under its own white",
      [
        [0.95255, 0.34397, 0],
        [0, 0.72817, 0],
        [0.00009, -0.07213, 1.00883],
      ],
    ],
    // CIE 15: XYZ as red, green and blue under the equal-energy white
    [
      "XYZ itself",
      [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
      ],
    ],
    [
      "a scanner whose paper is not its brightest white",
      adobe.map((column) => column.map((value) => value * 1.2)),
    ],
  ])("%s", async (_, columns) => {
    expect((await facts(matrixProfile(columns, curve(2.2)), "rgb")).ignored).toBeUndefined();
  });

  test("of a display at 9300 K", async () => {
    const display = rgbProfile(
      "9300",
      { white: [0.2831, 0.2971], red: [0.625, 0.34], green: [0.28, 0.595], blue: [0.155, 0.07] },
      srgbCurve,
    );
    expect((await facts(display, "rgb")).ignored).toBeUndefined();
  });

  test.each([
    ["a gamma of 1", curve(1)],
    ["a gamma of 3", curve(3)],
    ["no entries, which is a straight line", curve()],
    ["two entries", curve(0, 1)],
    ["a negative", curve(1, 0.5, 0)],
    ["the noise of a measurement", curve(...Array.from({ length: 256 }, (__, i) => (i ^ 1) / 255))],
    ["L*", parametric(3, [3, 100 / 116, 16 / 116, 27 / 243.89, 0.08])],
  ])("with a tone curve of %s", async (_, tone) => {
    expect((await facts(matrixProfile(adobe, tone), "rgb")).ignored).toBeUndefined();
    expect((await facts(profileOf("GRAY", "XYZ ", 2, [["kTRC", tone]]), "gray")).ignored).toBeUndefined();
  });

  test.each(["mft1", "mft2", "mAB "] as const)("with a table of type %s", async (type) => {
    const toLab = ([r = 0]: readonly number[]) => [r * 100, 0, 0] as const;
    const profile = tableProfile({ space: "RGB ", type, nodes: 3, gamma: 1, toLab });
    expect(await facts(profile, "rgb")).toEqual({ from: "icc", srgb: false });
  });
});

/** parametricCurveType (ICC.1:2022, 10.18). */
function parametric(type: number, values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(12 + values.length * 4);
  bytes.write("para", 0, "latin1");
  bytes.writeUInt16BE(type, 8);
  values.forEach((value, i) => void bytes.writeInt32BE(Math.round(value * 65536), 12 + i * 4));
  return bytes;
}

/** The profile with the body of one of its tags changed in place. */
function damaged(profile: Uint8Array, name: string, change: (body: Buffer) => void): Uint8Array {
  const copy = Buffer.from(profile);
  const count = copy.readUInt32BE(128);
  for (let at = 132; at < 132 + count * 12; at += 12)
    if (copy.toString("latin1", at, at + 4) === name) {
      const start = copy.readUInt32BE(at + 4);
      change(copy.subarray(start, start + copy.readUInt32BE(at + 8)));
    }
  return new Uint8Array(copy);
}

describe("primaries that no RGB space has are not used:", () => {
  const good = matrixProfile(adobe, curve(2.2));
  test.each([
    ["a type other than XYZ", damaged(good, "rXYZ", (body) => body.write("sf32", "latin1"))],
    ["a tag that begins a byte late", damaged(good, "rXYZ", (body) => body.copy(body, 1, 0))],
    ["a tag that begins a byte early", damaged(good, "gXYZ", (body) => body.copy(body, 0, 1))],
    ["numbers that begin a byte late", damaged(good, "bXYZ", (body) => body.copy(body, 9, 8))],
    ["numbers that begin a byte early", damaged(good, "bXYZ", (body) => body.copy(body, 8, 9))],
    ["one of them twice", matrixProfile([adobe[0]!, adobe[0]!, adobe[2]!], curve(2.2))],
    ["a white that is green", matrixProfile([[0.1, 0.1, 0], adobe[1]!, [0, 0, 0.3]], curve(2.2))],
    [
      "a white of 4",
      matrixProfile(
        adobe.map((c) => c.map((value) => value * 4)),
        curve(2.2),
      ),
    ],
    ["a red of -3 beside a green of 3", matrixProfile([[-3, -3, 0], [3.8, 3.9, 0.1], adobe[2]!], curve(2.2))],
    [
      "all 0",
      matrixProfile(
        [
          [0, 0, 0],
          [0, 0, 0],
          [0, 0, 0],
        ],
        curve(2.2),
      ),
    ],
  ])("%s", async (_, profile) => {
    expect(await facts(profile, "rgb")).toMatchObject({
      srgb: true,
      ignored: expect.stringMatching(/^it is damaged: expected (primaries|three primaries)/),
    });
  });
});

describe("an invalid tone curve is not used:", () => {
  test.each([
    ["another type", numbers("sf32", [1, 1])],
    ["more entries than its tag holds", cutCurve(256, 40)],
    ["billions of entries", cutCurve(0xffffffff, 40)],
    ["a function that is not defined", parametric(5, [2.2, 1, 0, 0, 0, 0, 0])],
    ["a function without all its parameters", parametric(4, [2.2, 1, 0])],
    ["a gamma of 0", curve(0)],
    ["a gamma of 200", curve(200)],
    ["a negative exponent", parametric(0, [-2.2])],
    ["parameters far beyond white", parametric(3, [2.4, 3000, 0, 0, 0])],
    ["one level", curve(0.5, 0.5, 0.5)],
    ["ups and downs", curve(0, 0.9, 0.1, 0.8, 0.2, 1)],
  ])("%s", async (_, tone) => {
    const reason = expect.stringMatching(/^it is damaged: expected .*tone curve/);
    expect((await facts(matrixProfile(adobe, tone), "rgb")).ignored).toEqual(reason);
    const gray = profileOf("GRAY", "XYZ ", 2, [["kTRC", tone]]);
    expect((await facts(gray, "gray")).ignored).toEqual(reason);
  });
});

/** A curveType that announces more entries than there are. */
function cutCurve(announced: number, bytes: number): Buffer {
  const body = Buffer.alloc(bytes);
  body.write("curv", 0, "latin1");
  body.writeUInt32BE(announced, 8);
  return body;
}

describe("a table that is not all inside its tag is not used:", () => {
  const toLab = ([r = 0]: readonly number[]) => [r * 100, 0, 0] as const;
  const table = (type: "mft1" | "mft2" | "mAB ") =>
    tableProfile({ space: "RGB ", type, nodes: 3, gamma: 1, toLab });
  /** A word of the table in both intents, by its place in the tag. */
  const word = (at: number, value: number) => (body: Buffer) => void body.writeUInt32BE(value, at);
  const both = (change: (body: Buffer) => void) =>
    damaged(damaged(table("mAB "), "A2B0", change), "A2B1", change);
  const elements = Buffer.alloc(60);
  elements.write("mpet", 0, "latin1");
  elements.writeUInt16BE(3, 8);
  elements.writeUInt16BE(3, 10);
  elements.writeUInt32BE(1, 12);
  elements.writeUInt32BE(24, 16);
  elements.writeUInt32BE(40, 20);

  test.each([
    ["lut8Type with more nodes", damaged(table("mft1"), "A2B0", (body) => body.writeUInt8(30, 10))],
    ["lut16Type with more nodes", damaged(table("mft2"), "A2B0", (body) => body.writeUInt8(30, 10))],
    ["lut16Type with longer curves", damaged(table("mft2"), "A2B0", (body) => body.writeUInt16BE(4096, 48))],
    ["lutAToBType without B curves", both(word(12, 0))],
    ["B curves behind its end", both(word(12, 100_000))],
    ["a matrix behind its end", both(word(16, 0x7fffffff))],
    ["M curves behind its end", both(word(20, 0xfffffff0))],
    ["nodes behind its end", both(word(24, 100_000))],
    ["A curves behind its end", both(word(28, 100_000))],
    ["A curves that are none", both(word(28, 40))],
    ["one node along an axis", both((body) => body.writeUInt8(1, body.readUInt32BE(24)))],
    ["more nodes than there are", both((body) => body.writeUInt8(200, body.readUInt32BE(24) + 1))],
    ["nodes of three bytes", both((body) => body.writeUInt8(3, body.readUInt32BE(24) + 16))],
    ["a step behind its end", profileOf("RGB ", "XYZ ", 4, [["D2B1", elements]])],
  ])("%s", async (_, profile) => {
    expect((await facts(profile, "rgb")).ignored).toMatch(/^it is damaged: expected/);
    const pixels = {
      width: 1,
      height: 1,
      bands: 3,
      interpretation: "rgb",
      data: Uint8Array.of(9, 99, 200),
    } as const;
    const { toSrgb, ignored } = await createColour(testHost).byProfile(async () => profile, "rgb");
    expect([ignored, [...toSrgb(pixels).data]]).toEqual([
      expect.stringMatching(/^it is damaged: expected/),
      [9, 99, 200],
    ]);
  });

  test("the table of a CMYK profile cut short", async () => {
    const cut = damaged(chemicalProof(), "A2B1", (body) => body.writeUInt8(40, 10));
    expect((await facts(cut, "cmyk")).ignored).toMatch(/^it is damaged: expected a table of/);
  });
});

describe("a grid of more nodes than 32 bits count is not evaluated", () => {
  /**
   * Steps from three channels to six, and by a grid to three. Its 12,884,933,880 nodes are 31,992 in 32 bits,
   * which is how many are there (ICC.1:2022, 10.19; the order of the axes is that of Little CMS).
   */
  function elements(points: readonly number[]): Buffer {
    const [matrix, grid] = [Buffer.alloc(12 + (3 * 6 + 6) * 4), Buffer.alloc(28 + 31_992 * 3 * 4)];
    matrix.write("matf", 0, "latin1");
    grid.write("clut", 0, "latin1");
    for (const [step, inputs, outputs] of [
      [matrix, 3, 6],
      [grid, 6, 3],
    ] as const) {
      step.writeUInt16BE(inputs, 8);
      step.writeUInt16BE(outputs, 10);
    }
    for (let i = 0; i < 6; i++) matrix.writeFloatBE(0.5, 12 + (3 * i + (i % 3)) * 4);
    grid.set(points, 12);
    const head = Buffer.alloc(32);
    head.write("mpet", 0, "latin1");
    head.writeUInt16BE(3, 8);
    head.writeUInt16BE(3, 10);
    for (const [i, value] of [2, 32, matrix.length, 32 + matrix.length, grid.length].entries())
      head.writeUInt32BE(value, 12 + i * 4);
    return Buffer.concat([head, matrix, grid]);
  }
  const many = [181, 15, 53, 52, 42, 41];
  const some = [4, 6, 6, 6, 6, 6];
  const used = (steps: Buffer) => profileOf("RGB ", "XYZ ", 4, [["D2B1", steps]]);
  const sample = (profile: Uint8Array) =>
    sampleProfile(testHost.wasm("lcms"), profile, "rgb", Float32Array.of(0.25, 0.5, 0.75));

  test("in the table that is used, where Little CMS would read outside of its memory", () => {
    expect(sample(used(elements(many)))).toBeUndefined();
    expect(sample(used(elements(some)))).toHaveLength(3);
  });

  test("in a table that Little CMS also reads", () => {
    expect(hasImpossibleGrid(profileOf("RGB ", "XYZ ", 4, [["B2D0", elements(many)]]))).toBe(true);
    const inverse = Buffer.alloc(64);
    inverse.write("mBA ", 0, "latin1");
    inverse.set([6, 3], 8);
    inverse.writeUInt32BE(32, 24);
    inverse.set(many, 32);
    expect(hasImpossibleGrid(profileOf("RGB ", "Lab ", 4, [["B2A0", inverse]]))).toBe(true);
  });

  test.skipIf(sound.length === 0).each(sound)("and %s has none", (name) => {
    expect(hasImpossibleGrid(installed(name))).toBe(false);
  });
});
