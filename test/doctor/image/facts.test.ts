// Every test picture, and every malformed one, in the image doctor: its facts compared with ExifTool,
// opj_dump and tiffinfo.
// @module-tag slow

import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { countFindings } from "../../../src/base/findings/finding.ts";
import { diagnose } from "../../../src/doctor/image/diagnose.ts";
import type { Diagnosis } from "../../../src/doctor/image/diagnosis.ts";
import { fixture, fixturesFolder } from "../../host.ts";
import type { Tags } from "../../imaging/metadata/exiftool.ts";
import { isInstalled, run as program } from "../../programs.ts";
import { type Served, served } from "../../served.ts";

const hasProblems = ({ findings }: Diagnosis) => countFindings(findings, "problem") > 0;

const isPicture = (name: string) => /\.(jpe?g|png|gif|tif|webp|jp2|j2k|j2c|jph|jhc)$/.test(name);
const names = readdirSync(fixturesFolder).filter((name) => isPicture(name) && !name.startsWith("large-"));
const endings: Readonly<Record<string, RegExp>> = {
  tif: /\.tif$/,
  jp2: /\.(jp2|j2k|j2c|jph|jhc)$/,
};
const toolsMissing = ["exiftool", "opj_dump", "tiffinfo"].filter((tool) => !isInstalled(tool));

let app: Served;
const tags: Record<string, Tags> = {};
const told = new Map<string, Diagnosis>();

beforeAll(async () => {
  app = await served();
  // Its exit code is 1 if it reports an error for one of the files.
  const args = ["-json", "-n", "-a", "-G1", "-struct", ...names.map((name) => join(fixturesFolder, name))];
  const stdout = toolsMissing.includes("exiftool") ? [] : program("exiftool", args).stdout;
  for (const row of JSON.parse(`${Buffer.from(stdout)}` || "[]") as Tags[])
    tags[basename(String(row.SourceFile))] = row;
  for (const name of names) told.set(name, await diagnose(app.service.images, name, { measures: true }));
});

/** A fact by its name. */
function fact(name: string, wanted: string): unknown {
  const facts = told.get(name)?.sections.flatMap(({ facts }) => facts) ?? [];
  return facts.find((each) => each.name === wanted)?.value;
}

const codesOf = (name: string) => told.get(name)?.findings.map(({ code }) => code) ?? [];

test("the reference tools are installed", () => {
  // Elsewhere than in CI scripts/test.mjs says which package brings them.
  if (process.env.CI) expect(toolsMissing).toEqual([]);
  expect(names.length).toBeGreaterThan(90);
});

/** Files of which ExifTool describes something other than the served picture, and what that is. */
const otherSize: Readonly<Record<string, string>> = {};

describe.skipIf(toolsMissing.includes("exiftool"))("the doctor agrees with ExifTool", () => {
  const tag = (name: string, ...wanted: string[]) =>
    wanted.map((each) => tags[name]?.[each]).find((value) => value !== undefined);

  test.each(names)("about the size, orientation, profile and metadata of %s", (name) => {
    const size = fact(name, "size");
    if (size === undefined) return expect(hasProblems(told.get(name)!)).toBe(true);
    const groups = ["File", "PNG", "GIF", "RIFF", "Jpeg2000", "IFD0"];
    const side = (which: string) => tag(name, ...groups.map((group) => `${group}:Image${which}`));
    if (!otherSize[name] && side("Width") !== undefined)
      expect(size).toEqual({ width: side("Width"), height: side("Height") });
    const orientation = Number(tag(name, "IFD0:Orientation", "XMP-tiff:Orientation") ?? 1);
    expect(fact(name, "orientation")).toBe(orientation >= 1 && orientation <= 8 ? orientation : 1);
    const description = tag(name, "ICC_Profile:ProfileDescription");
    expect(fact(name, "profile")).toBe(description === undefined ? undefined : String(description).trim());
    expect(fact(name, "profile_space")).toBe(tag(name, "ICC-header:ColorSpaceData")?.toString().trim());
    expect(fact(name, "profile_class")).toBe(tag(name, "ICC-header:ProfileClass")?.toString().trim());
    const has = (group: RegExp) => Object.keys(tags[name] ?? {}).some((key) => group.test(key));
    const kinds = fact(name, "metadata") as Record<string, number>;
    expect("xmp" in kinds).toBe(has(/^XMP-/));
    expect("iptc" in kinds).toBe(has(/^IPTC:/));
    if (!endings.tif?.test(name)) expect("exif" in kinds).toBe(has(/^(IFD0|ExifIFD|GPS):/));
  });

  test.each(names)("about the coding of %s", (name) => {
    if (fact(name, "size") === undefined) return;
    const kind = tag(name, "File:FileType");
    const number = (...wanted: string[]) => Number(tag(name, ...wanted));
    if (kind === "JPEG") {
      const components = number("File:ColorComponents");
      expect(fact(name, "bits")).toEqual(
        Array.from({ length: components }, () => number("File:BitsPerSample")),
      );
      // EncodingProcess is the low nibble of the frame's marker: 2 and its like are progressive, 8 and above
      // arithmetic.
      const process = number("File:EncodingProcess");
      expect(fact(name, "progressive")).toBe((process & 3) === 2);
      expect(/arithmetic/.test(String(fact(name, "compression")))).toBe(process >= 8);
      const chroma: Record<string, string> = { "1 1": "4:4:4", "2 1": "4:2:2", "2 2": "4:2:0" };
      const sampling = tag(name, "File:YCbCrSubSampling");
      if (sampling !== undefined) expect(fact(name, "subsampling")).toBe(chroma[String(sampling)]);
      expect(fact(name, "container")).toBe(tag(name, "JFIF:JFIFVersion") === undefined ? "JPEG" : "JFIF");
      const transform = tag(name, "Adobe:ColorTransform");
      if (components === 4) expect(fact(name, "colours")).toBe(transform === 2 ? "YCCK" : "CMYK");
      if (components === 3) expect(fact(name, "colours")).toBe(transform === 0 ? "RGB" : "YCbCr");
    } else if (kind === "PNG") {
      const types = { 0: "gray", 2: "rgb", 3: "palette", 4: "gray with alpha", 6: "rgb with alpha" };
      expect(fact(name, "colours")).toBe(types[number("PNG:ColorType") as 0]);
      const samples = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }[number("PNG:ColorType")];
      expect(fact(name, "bits")).toEqual(Array.from({ length: samples! }, () => number("PNG:BitDepth")));
      expect(fact(name, "interlaced")).toBe(number("PNG:Interlace") === 1);
      const palette = /\d+/.exec(String(tag(name, "PNG:Palette") ?? ""))?.[0];
      expect(fact(name, "paletteEntries")).toBe(palette && Number(palette) / 3);
    } else if (kind === "GIF") {
      expect(fact(name, "container")).toBe(`GIF${tag(name, "GIF:GIFVersion")}`);
      expect(fact(name, "pages")).toBe(number("GIF:FrameCount") || 1);
      const transparent = tag(name, "GIF:TransparentColor") !== undefined;
      expect(codesOf(name).includes("transparency")).toBe(transparent && fact(name, "bands") === 4);
    } else if (kind === "WEBP" || kind === "Extended WEBP") {
      // ExifTool does not count frames; each has a chunk ANMF.
      const frames = Buffer.from(fixture(name)).toString("latin1").split("ANMF").length - 1;
      expect(fact(name, "pages")).toBe(Math.max(1, frames));
    }
  });
});

/** `key: value` and `key=value` lines of a tool, each key once for each directory or component. */
const run = (tool: string, ...args: string[]) => {
  const { status, stdout, stderr } = program(tool, args);
  return status === 0 ? `${Buffer.from(stdout)}${stderr}` : undefined;
};

describe.skipIf(toolsMissing.includes("tiffinfo"))("the doctor agrees with tiffinfo", () => {
  const schemes: Readonly<Record<string, string>> = {
    None: "uncompressed",
    AdobeDeflate: "deflate",
    LZW: "lzw",
    JPEG: "jpeg",
    PackBits: "packbits",
    ZSTD: "zstd",
    WEBP: "webp",
    "CCITT Group 4": "ccitt group 4",
    JP2000: "jpeg 2000",
  };
  const photometrics: Readonly<Record<string, string>> = {
    "min-is-white": "WhiteIsZero",
    "min-is-black": "BlackIsZero",
    "RGB color": "RGB",
    "palette color (RGB from colormap)": "palette",
    YCbCr: "YCbCr",
    separated: "CMYK",
    "CIE L*a*b*": "CIELab",
  };

  test.each(names.filter((name) => endings.tif?.test(name)))("about %s", (name) => {
    const text = run("tiffinfo", join(fixturesFolder, name));
    if (text === undefined || fact(name, "size") === undefined) return;
    const directories = text.split(/^TIFF Directory at/m).slice(1);
    const value = (of: string, key: string) =>
      new RegExp(`(?:^|\\s)${key}: (.*?)(?: (?:Image Length|Tile Length):.*)?$`, "m").exec(of)?.[1];
    const [first = ""] = directories;
    const sizeOf = (of: string) => ({
      width: Number(value(of, "Image Width")),
      height: Number(/Image Length: (\d+)/.exec(of)?.[1]),
    });
    const samples = Number(value(first, "Samples/Pixel") ?? 1);
    expect(fact(name, "size")).toEqual(sizeOf(first));
    expect(fact(name, "bits")).toEqual(
      Array.from({ length: samples }, () => Number(value(first, "Bits/Sample") ?? 1)),
    );
    const scheme = value(first, "Compression Scheme") ?? "None";
    if (!/^\d/.test(scheme)) expect(fact(name, "compression")).toBe(schemes[scheme]);
    expect(fact(name, "colours")).toBe(photometrics[value(first, "Photometric Interpretation") ?? ""]);
    const planes = value(first, "Planar Configuration");
    if (samples > 1 && planes) expect(fact(name, "planar")).toBe(planes.startsWith("separate"));
    const tile = value(first, "Tile Width");
    expect(fact(name, "layout")).toBe(tile ? "tiles" : "strips");
    if (tile)
      expect(fact(name, "block")).toEqual({
        width: Number(tile),
        height: Number(/Tile Length: (\d+)/.exec(first)?.[1]),
      });
    else if (/Rows\/Strip: \d+/.test(first))
      expect((fact(name, "block") as { height: number }).height).toBe(
        Math.min(sizeOf(first).height, Number(value(first, "Rows/Strip"))),
      );
    const format = value(first, "Sample Format");
    if (format) expect(fact(name, "sampleFormat")).toBe(/IEEE/.test(format) ? "floating point" : format);
    const predictor = /horizontal|floating point|none/.exec(value(first, "Predictor") ?? "")?.[0];
    if (predictor) expect(fact(name, "predictor")).toBe(predictor);
    const reduced = directories.filter((of) => /reduced-resolution/.test(of));
    expect(fact(name, "levels")).toEqual(reduced.map(sizeOf));
    const pages = directories.length - reduced.length;
    if (!/multipage-3/.test(name)) expect(fact(name, "pages")).toBe(pages);
  });
});

describe.skipIf(toolsMissing.includes("opj_dump"))("the doctor agrees with opj_dump", () => {
  test.each(names.filter((name) => endings.jp2?.test(name)))("about %s", (name) => {
    const text = run("opj_dump", "-i", join(fixturesFolder, name));
    if (!text || fact(name, "size") === undefined || !/default tile/.test(text)) return;
    const number = (key: string) => Number(new RegExp(`\\b${key}=(\\w+)`).exec(text)?.[1]);
    const all = (key: string) =>
      [...text.matchAll(new RegExp(`\\b${key}=(\\d+)`, "g"))].map(([, n]) => Number(n));
    const extent = (key: "x" | "y") => number(`${key}1`) - number(`${key}0`);
    expect(fact(name, "size")).toEqual({ width: extent("x"), height: extent("y") });
    expect(fact(name, "bits")).toEqual(all("prec"));
    expect(fact(name, "sampleFormat")).toBe(all("sgnd")[0] === 1 ? "signed integer" : "unsigned integer");
    const tiles = number("tw") * number("th");
    expect(fact(name, "blocks")).toBe(tiles > 1 ? tiles : undefined);
    if (tiles > 1) expect(fact(name, "block")).toEqual({ width: number("tdx"), height: number("tdy") });
    expect(fact(name, "progression")).toBe(["LRCP", "RLCP", "RPCL", "PCRL", "CPRL"][number("prg")]);
    expect(fact(name, "layers")).toBe(number("numlayers"));
    const resolutions = Math.min(...all("numresolutions"));
    expect(fact(name, "decompositions")).toBe(resolutions - 1);
    expect(fact(name, "levels")).toHaveLength(resolutions - 1);
    const power = (key: string) => 2 ** Number(new RegExp(`${key}=2\\^(\\d+)`).exec(text)?.[1]);
    expect(fact(name, "codeBlock")).toEqual({ width: power("cblkw"), height: power("cblkh") });
    expect(fact(name, "wavelet")).toBe(number("qmfbid") === 1 ? "reversible 5-3" : "irreversible 9-7");
    const [, precincts = ""] = /preccintsize \(w,h\)=(.*)/.exec(text) ?? [];
    const sizes = [...precincts.matchAll(/\((\d+),(\d+)\)/g)].map(([, w, h]) => ({
      width: 2 ** Number(w),
      height: 2 ** Number(h),
    }));
    const whole = sizes.every(({ width, height }) => width === 32768 && height === 32768);
    expect(fact(name, "precincts")).toEqual(whole ? [] : sizes);
  });
});

test("restart markers are those in the file", () => {
  for (const name of names.filter((each) => fact(each, "format") === "jpg")) {
    const file = Buffer.from(fixture(name));
    const at = file.indexOf(Buffer.from([0xff, 0xdd, 0, 4]));
    const scan = file.indexOf(Buffer.from([0xff, 0xda]));
    expect([name, fact(name, "restartInterval")]).toEqual([
      name,
      at > 0 && at < scan ? file.readUInt16BE(at + 4) : 0,
    ]);
  }
  expect(fact("jpg-restart.jpg", "restartInterval")).not.toBe(0);
});

/** Malformed pictures that are served anyway: their faults do not matter. */
const harmless = new Set([
  "bad-exif-orient-9.jpg",
  "bad-ifd-loop.tif",
  "bomb-itxt-64M.png",
  "bomb-deflate-30000x30000-1bit.tif",
]);

test.each(names.filter((name) => /^(bad|bomb)/.test(name)))(
  "for %s it reports what is wrong, or nothing",
  (name) => {
    const diagnosis = told.get(name)!;
    expect(hasProblems(diagnosis)).toBe(!harmless.has(name));
    for (const { level, text, advice } of diagnosis.findings) {
      expect(text).not.toContain(fixturesFolder);
      if (level === "problem") expect(advice).toBeTruthy();
    }
  },
);

test("for sound images it finds no problems", () => {
  const wrong = names.filter((name) => !/^(bad|bomb)/.test(name) && hasProblems(told.get(name)!));
  expect(wrong).toEqual([]);
});
