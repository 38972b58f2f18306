// Labels of JPEG 2000 files that contradict their components: colr, cdef, pclr, cmap and ihdr. The channels
// are those that opj_decompress, libvips and Pillow show, or those that T.800 I.5.3 says.

import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";
import { box, compressRaw, labelled, u16, u32 } from "./files.ts";
import { hasOpenJpegTools } from "./openjpeg.ts";

const codec = createCodecs(testHost).decoder("jp2");
const [width, height] = [8, 4];
const pixels = width * height;
type Bytes = readonly number[];

/** Samples of `count` components, interleaved; no two components are alike. */
const samplesOf = (count: number) =>
  Array.from({ length: pixels * count }, (_, i) => ((i % count) * 50 + Math.floor(i / count)) % 256);
const streams = new Map<number, Uint8Array>();
function streamOf(count: number): Uint8Array {
  const made =
    streams.get(count) ??
    new Uint8Array(compressRaw({ width, height, bands: count, bits: 8, values: samplesOf(count) }));
  streams.set(count, made);
  return made;
}

/** A file of `count` components with these boxes in jp2h; `ihdr`: the number that ihdr says. */
const fileOf = (count: number, boxes: readonly Bytes[], ihdr = count) =>
  labelled({ codestream: streamOf(count), size: [width, height, ihdr], boxes });

async function shown(file: Uint8Array) {
  const header = await codec.probe(memoryBytes(file), 1);
  if (header.unsupported) return header.unsupported.replace(/^.*received /, "");
  const region = { x: 0, y: 0, width, height };
  const decoded = await codec.decode(memoryBytes(file), { header, page: 1, region, scaleFactor: 1 });
  expect([header.bands, header.interpretation]).toEqual([decoded.bands, decoded.interpretation]);
  return { interpretation: decoded.interpretation, data: [...decoded.data] };
}

/** The picture of these components of `count`. */
function picture(count: number, interpretation: string, channels: readonly number[]) {
  const all = samplesOf(count);
  const data = Array.from({ length: pixels }, (_, p) => channels.map((c) => all[p * count + c]!)).flat();
  return { interpretation, data };
}

const enumerated = (space: number) => box("colr", [1, 0, 0], u32(space));
const profile = (space: string) =>
  box(
    "colr",
    [2, 0, 0],
    new Array(16).fill(0),
    ascii(space),
    ascii("XYZ "),
    new Array(12).fill(0),
    ascii("acsp"),
    new Array(92).fill(0),
  );
const ascii = (text: string) => [...new TextEncoder().encode(text)];
type Row = readonly [channel: number, type: number, association: number];
const cdef = (...rows: readonly Row[]) =>
  box("cdef", u16(rows.length), ...rows.map((row) => row.flatMap(u16)));
const unspecified = 65535;
const all = (count: number, row: (channel: number) => Row) => Array.from({ length: count }, (_, c) => row(c));

const named = { sRGB: 16, gray: 17, sYCC: 18, CMYK: 12, "e-sRGB": 20, "number 99": 99 } as const;
type Named = keyof typeof named | "no space";
const colr = (space: Named) => (space === "no space" ? [] : enumerated(named[space]));

describe.skipIf(!hasOpenJpegTools)("a JPEG 2000 file", () => {
  it.each<[number, readonly Named[], string, readonly number[]]>([
    [1, ["sRGB", "gray", "sYCC", "CMYK", "e-sRGB", "number 99", "no space"], "gray", [0]],
    [2, ["sRGB", "gray", "sYCC", "CMYK", "e-sRGB", "number 99", "no space"], "gray", [0, 1]],
    [3, ["sRGB", "gray", "CMYK", "number 99", "no space"], "rgb", [0, 1, 2]],
    [3, ["sYCC"], "ycc", [0, 1, 2]],
    [4, ["sRGB", "gray", "number 99", "no space"], "rgb", [0, 1, 2, 3]],
    [4, ["sYCC"], "ycc", [0, 1, 2, 3]],
    [4, ["CMYK"], "cmyk", [0, 1, 2, 3]],
    [5, ["sRGB", "gray", "number 99", "no space"], "rgb", [0, 1, 2, 3]],
    [5, ["CMYK"], "cmyk", [0, 1, 2, 3, 4]],
    [6, ["sRGB", "gray", "no space"], "rgb", [0, 1, 2, 3]],
  ])(
    "of %i components that is labelled %j is %s of the components %j",
    async (count, spaces, interpretation, channels) => {
      const expected = picture(count, interpretation, channels);
      for (const space of spaces)
        for (const definitions of [
          [],
          cdef(...all(count, (c) => [c, unspecified, unspecified])),
          cdef(...all(count, (c) => [c, 0, 1])),
          cdef([9, 0, 1]),
          cdef(),
        ])
          expect(await shown(fileOf(count, [colr(space), definitions])), space).toEqual(expected);
    },
  );

  it.each<[string, number, Named, readonly Row[], string, readonly number[]]>([
    [
      "colours and opacity, of gray",
      4,
      "gray",
      [
        [0, 0, 1],
        [1, 0, 2],
        [2, 0, 3],
        [3, 1, 0],
      ],
      "rgb",
      [0, 1, 2, 3],
    ],
    [
      "colours in another order, of gray",
      3,
      "gray",
      [
        [0, 0, 3],
        [1, 0, 2],
        [2, 0, 1],
      ],
      "rgb",
      [2, 1, 0],
    ],
    [
      "gray and opacity, of sRGB",
      2,
      "sRGB",
      [
        [0, 1, 0],
        [1, 0, 1],
      ],
      "gray",
      [1, 0],
    ],
    ["opacity alone, of sRGB", 4, "sRGB", [[3, 1, 0]], "rgb", [0, 1, 2, 3]],
    [
      "opacity first, of gray",
      4,
      "gray",
      [[0, 1, 0], ...all(4, (c): Row => [c, unspecified, 0]).slice(1)],
      "rgb",
      [1, 2, 3, 0],
    ],
    [
      "opacity of a colour that there is not",
      4,
      "sRGB",
      [
        [0, 0, 1],
        [1, 0, 2],
        [2, 0, 3],
        [3, 1, 9],
      ],
      "rgb",
      [0, 1, 2, 3],
    ],
    [
      "opacity of no stated colour",
      4,
      "sRGB",
      [
        [0, 0, 1],
        [1, 0, 2],
        [2, 0, 3],
        [3, 1, unspecified],
      ],
      "rgb",
      [0, 1, 2, 3],
    ],
    ["opacity of every channel", 3, "sRGB", all(3, (c) => [c, 1, 0]), "rgb", [0, 1, 2]],
    ["one colour too many", 4, "sRGB", all(4, (c) => [c, 0, c + 1]), "rgb", [0, 1, 2, 3]],
    [
      "one colour too few",
      3,
      "sRGB",
      [
        [0, 0, 1],
        [1, 0, 2],
        [2, 1, 0],
      ],
      "rgb",
      [0, 1, 2],
    ],
    [
      "one colour of three",
      3,
      "sRGB",
      [
        [0, 0, 1],
        [1, unspecified, 0],
        [2, unspecified, 0],
      ],
      "rgb",
      [0, 1, 2],
    ],
    [
      "channels twice",
      3,
      "sRGB",
      [
        [0, 0, 3],
        [0, 0, 1],
        [1, 0, 2],
        [2, 0, 1],
      ],
      "rgb",
      [2, 1, 0],
    ],
  ])("is read if cdef says %s", async (_, count, space, rows, interpretation, channels) => {
    const file = fileOf(count, [colr(space), cdef(...rows)]);
    expect(await shown(file)).toEqual(picture(count, interpretation, channels));
  });

  // Other decoders take it for alpha, which hides what is under it.
  it("has no alpha if cdef specifies colours, and no meaning for the fourth channel", async () => {
    const rows = all(4, (c): Row => (c < 3 ? [c, 0, c + 1] : [c, unspecified, unspecified]));
    expect(await shown(fileOf(4, [colr("sRGB"), cdef(...rows)]))).toEqual(picture(4, "rgb", [0, 1, 2]));
  });

  it("is gray of one of four channels if colr and cdef agree on it", async () => {
    const rows = all(4, (c): Row => (c === 2 ? [c, 0, 1] : [c, unspecified, unspecified]));
    expect(await shown(fileOf(4, [colr("gray"), cdef(...rows)]))).toEqual(picture(4, "gray", [2]));
  });

  it.each<[string, number, readonly Bytes[], string]>([
    ["a profile for CMYK on three components", 3, [profile("CMYK")], "rgb"],
    ["a profile for RGB on one component", 1, [profile("RGB ")], "gray"],
    ["a profile for gray on four components", 4, [profile("GRAY")], "rgb"],
    ["a profile for Lab on one component", 1, [profile("Lab ")], "gray"],
    ["a profile for eight colours on three components", 3, [profile("8CLR")], "rgb"],
    ["a profile for no known space", 3, [profile("zzzz")], "rgb"],
    ["a profile that does not fit, and sYCC", 3, [profile("CMYK"), enumerated(18)], "ycc"],
    ["gray, and sYCC that fits", 3, [enumerated(17), enumerated(18)], "ycc"],
    ["gray, and a profile that fits", 4, [enumerated(17), profile("CMYK")], "cmyk"],
    ["a space that is not served, and sRGB", 3, [enumerated(20), enumerated(16)], "rgb"],
    ["an unknown method", 3, [box("colr", [9, 0, 0], [1, 2, 3, 4])], "rgb"],
  ])("is read if colr has %s", async (_, count, boxes, interpretation) => {
    const channels = Array.from({ length: count }, (_, c) => c);
    expect(await shown(fileOf(count, boxes))).toEqual(picture(count, interpretation, channels));
  });

  it("of a space or a profile that fits and cannot be served is refused by its name", async () => {
    expect(await shown(fileOf(3, [colr("e-sRGB")]))).toBe("e-sRGB; convert the file.");
    expect(await shown(fileOf(3, [profile("Lab ")]))).toBe('a profile for "Lab"; convert the file.');
  });

  it.each([1, 3, 4])("of four components is read if ihdr says %i", async (ihdr) => {
    expect(await shown(fileOf(4, [colr("sRGB")], ihdr))).toEqual(picture(4, "rgb", [0, 1, 2, 3]));
  });

  const palette = (columns: number) =>
    box(
      "pclr",
      u16(256),
      [columns],
      new Array(columns).fill(7),
      Array.from({ length: 256 * columns }, (_, i) => (i * 7) % 256),
    );
  const looked = (columns: number, interpretation: string) => ({
    interpretation,
    data: samplesOf(1).flatMap((index) =>
      Array.from({ length: columns }, (_, c) => ((index * columns + c) * 7) % 256),
    ),
  });
  const mapping = (columns: number) =>
    box("cmap", ...Array.from({ length: columns }, (_, c) => [0, 0, 1, c]));

  it.each([
    [1, "gray"],
    [2, "gray"],
    [3, "rgb"],
    [4, "rgb"],
  ])("of a palette of %i columns is %s, whatever it is labelled", async (columns, interpretation) => {
    for (const space of ["gray", "number 99", "no space", "CMYK", "sRGB"] as const)
      if (space !== "CMYK" || columns !== 4)
        expect(await shown(fileOf(1, [colr(space), palette(columns), mapping(columns)])), space).toEqual(
          looked(columns, interpretation),
        );
  });

  it.each([
    ["no cmap", []],
    ["an empty cmap", box("cmap", [])],
  ])("of a palette with %s has the palette's colours", async (_, cmap) => {
    expect(await shown(fileOf(1, [colr("sRGB"), palette(3), cmap]))).toEqual(looked(3, "rgb"));
  });
});
