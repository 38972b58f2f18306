// `smalti convert`, as an operator runs it: its files compared with libvips, and what it refuses.
// @module-tag slow

import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";
import { seeded } from "../seeded.ts";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let top: string;
let folder: string;

beforeAll(async () => {
  built = await buildProgram();
  top = mkdtempSync(join(tmpdir(), "smalti-convert-"));
});
beforeEach(() => {
  folder = mkdtempSync(join(top, "each-"));
});
afterAll(() => {
  built.remove();
  rmSync(top, { recursive: true });
});

const convert = (...args: string[]) => built.command(["convert", ...args], { cwd: folder });
const inOwnProcess = (...args: string[]) => built.run(["convert", ...args], { cwd: folder });
const fixture = (name: string) => join(fixturesFolder, name);
const inFolder = (name: string) => join(folder, name);

/** Samples of a page, of 16 bits if it has them. */
async function page(file: string, n = 0) {
  const image = sharp(file, { page: n });
  const { depth, channels, space } = await image.metadata();
  const depthOf = depth === "ushort" ? "ushort" : "uchar";
  const { data, info } = await image
    .toColourspace(space as "srgb")
    .raw({ depth: depthOf })
    .toBuffer({ resolveWithObject: true });
  const values = depthOf === "ushort" ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  return { values, channels, width: info.width, height: info.height };
}

/** The largest difference of two lists of samples. */
function furthest(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let most = 0;
  for (let i = 0; i < a.length; i++) most = Math.max(most, Math.abs(a[i]! - b[i]!));
  return most;
}

/** Waves and grain, whose detail reaches the smallest levels. */
function picture(width: number, height: number, name: string): Promise<unknown> {
  const random = seeded(width);
  const data = new Uint8Array(width * height * 3);
  for (let i = 0; i < data.length; i++) {
    const [x, y] = [Math.floor(i / 3) % width, Math.floor(i / 3 / width)];
    data[i] = 128 + 90 * Math.sin((x * ((i % 3) + 1)) / 17) * Math.cos(y / 23) + random(30);
  }
  return sharp(data, { raw: { width, height, channels: 3 } }).toFile(inFolder(name));
}

describe("the pyramid", () => {
  test("has the image, and each level is the Lanczos-3 half of the one above by libvips", async () => {
    await picture(2048, 1024, "a.png");
    expect(await inOwnProcess("a.png")).toEqual({
      code: 0,
      err: "",
      out: expect.stringMatching(/^a\.png: .*\/a\.tif, deflate, [\d.]+ MiB to [\d.]+ MiB\n$/),
    });
    const { pages } = await sharp(inFolder("a.tif")).metadata();
    expect(pages).toBe(4); // down to one tile of 256 pixels
    expect(furthest((await page(inFolder("a.tif"))).values, (await page(inFolder("a.png"))).values)).toBe(0);
    for (let n = 1; n < 4; n++) {
      const above = await page(inFolder("a.tif"), n - 1);
      // With 16 bits, since libvips rounds between its two passes.
      const wide = Uint16Array.from(above.values, (value) => 257 * value);
      const half = await sharp(wide, { raw: { width: above.width, height: above.height, channels: 3 } })
        .toColourspace("rgb16")
        .resize(above.width / 2, above.height / 2, { kernel: "lanczos3", fastShrinkOnLoad: false })
        .raw({ depth: "ushort" })
        .toBuffer();
      const expected = Array.from(new Uint16Array(half.buffer, half.byteOffset, half.length / 2), (value) =>
        Math.round(value / 257),
      );
      expect(furthest((await page(inFolder("a.tif"), n)).values, expected)).toBeLessThanOrEqual(1);
    }
  });

  test("of a JPEG is JPEG, near its source, with its profile, resolution and orientation", async () => {
    cpSync(fixture("jpg-icc-displayp3-orient-6.jpg"), inFolder("p3.jpg"));
    expect((await convert("p3.jpg", "--quality", "95")).code).toBe(0);
    const [before, after] = [
      await sharp(inFolder("p3.jpg")).metadata(),
      await sharp(inFolder("p3.tif")).metadata(),
    ];
    expect([after.width, after.height, after.orientation]).toEqual([before.width, before.height, 6]);
    expect(after.icc).toEqual(before.icc);
    // Compression (259), SHORT, one value: JPEG of Technical Note 2.
    const field = Buffer.from([0x03, 1, 3, 0, 1, 0, 0, 0, 7, 0]);
    expect(readFileSync(inFolder("p3.tif")).includes(field)).toBe(true);
    const [a, b] = [await page(inFolder("p3.jpg")), await page(inFolder("p3.tif"))];
    let sum = 0;
    for (let i = 0; i < a.values.length; i++) sum += (a.values[i]! - b.values[i]!) ** 2;
    expect(10 * Math.log10(255 ** 2 / (sum / a.values.length))).toBeGreaterThan(38);
  });

  test("keeps XMP and IPTC", async () => {
    cpSync(fixture("jpg-exif-xmp-iptc-gps.jpg"), inFolder("all.jpg"));
    expect((await convert("all.jpg")).code).toBe(0);
    const [before, after] = [
      await sharp(inFolder("all.jpg")).metadata(),
      await sharp(inFolder("all.tif")).metadata(),
    ];
    expect(after.xmp).toEqual(before.xmp);
    expect(after.iptc).toBeDefined();
  });

  test.each([
    ["png-rgb16.png", "rgb16", 3],
    ["png-gray16.png", "grey16", 1],
    ["png-rgba8.png", "srgb", 4],
    ["jp2-reversible.jp2", "srgb", 3],
    ["tif-strip-none-bigendian.tif", "srgb", 3],
    ["webp-lossless-alpha.webp", "srgb", 4],
    ["gif-static.gif", "srgb", 3],
  ])("of %s loses nothing", async (name, space, channels) => {
    const target = inFolder("out.tif");
    expect((await convert(fixture(name), "-o", target)).code).toBe(0);
    const metadata = await sharp(target).metadata();
    expect([metadata.space, metadata.channels]).toEqual([space, channels]);
    // sharp has no decoder for JPEG 2000, which the fixtures hold as PNG as well.
    const source = name.endsWith(".jp2") ? fixture("base.png") : fixture(name);
    const [a, b] = [await page(source), await page(target)];
    if (a.channels === b.channels) expect(furthest(a.values, b.values)).toBe(0);
    else expect([a.width, a.height]).toEqual([b.width, b.height]);
  });

  test("of 16 bits with alpha is 8 bits on white as JPEG", async () => {
    expect(
      (await convert(fixture("png-rgba16.png"), "-o", "out.tif", "--compression=jpeg", "--quality=100")).code,
    ).toBe(0);
    const { depth, channels } = await sharp(inFolder("out.tif")).metadata();
    expect([depth, channels]).toEqual(["uchar", 3]);
    const flat = await sharp(fixture("png-rgba16.png"))
      .flatten({ background: "white" })
      .toColourspace("srgb")
      .raw()
      .toBuffer();
    // Quantisation of quality 100, and colours of YCbCr.
    expect(furthest((await page(inFolder("out.tif"))).values, flat)).toBeLessThanOrEqual(6);
  });

  test("of CMYK keeps its inks, and of CIELAB is sRGB", async () => {
    expect((await convert(fixture("tif-cmyk-icc-lzw.tif"), "-o", "inks.tif")).code).toBe(0);
    expect((await sharp(inFolder("inks.tif")).metadata()).space).toBe("cmyk");
    const [inks, before] = [await page(inFolder("inks.tif")), await page(fixture("tif-cmyk-icc-lzw.tif"))];
    expect(furthest(inks.values, before.values)).toBe(0);
    expect((await convert(fixture("tif-lab-deflate.tif"), "-o", "lab.tif")).code).toBe(0);
    expect((await sharp(inFolder("lab.tif")).metadata()).space).toMatch(/^s?rgb/);
  });

  test("takes the page that is asked for, and tiles of the size", async () => {
    const { code, out } = await convert(
      fixture("tif-multipage-3sizes.tif"),
      "-o",
      "2.tif",
      "--page",
      "2",
      "--tile",
      "128",
    );
    expect([code, out]).toEqual([0, expect.stringContaining("page 2 of 3")]);
    const [of, is] = [
      await sharp(fixture("tif-multipage-3sizes.tif"), { page: 1 }).metadata(),
      await sharp(inFolder("2.tif")).metadata(),
    ];
    expect([is.width, is.height]).toEqual([of.width, of.height]);
    // TileWidth (322), LONG, one value, in a little-endian file.
    expect(
      readFileSync(inFolder("2.tif")).includes(Buffer.from([0x42, 1, 4, 0, 1, 0, 0, 0, 128, 0, 0, 0])),
    ).toBe(true);
  });
});

test("600 MB of pixels take less than 500 MB of memory", async () => {
  const [width, height] = [20_000, 10_000];
  const plain = { width, height, channels: 3, background: "#336699" } as const;
  await sharp({ create: plain, limitInputPixels: false })
    .png({ compressionLevel: 1 })
    .toFile(inFolder("large.png"));
  const tell =
    'data:text/javascript,process.on("exit",()=>process.stderr.write("peak "+process.resourceUsage().maxRSS))';
  const { code, err } = await built.run(["convert", "large.png"], { cwd: folder, flags: ["--import", tell] });
  expect(code).toBe(0);
  const peak = Number(/peak (\d+)$/.exec(err)?.[1]);
  expect(peak).toBeGreaterThan(0);
  expect(peak * 1024).toBeLessThan(500e6);
});

describe("several files", () => {
  test("are converted into a folder, with a report; a damaged one leaves nothing and exits 1", async () => {
    mkdirSync(inFolder("in"));
    cpSync(fixture("base.png"), inFolder("in/a.png"));
    cpSync(fixture("bad-trunc-50.png"), inFolder("in/b.png"));
    cpSync(fixture("jpg-gray.jpg"), inFolder("in/c.jpg"));
    writeFileSync(inFolder("in/d.txt"), "text");
    const { code, out, err } = await inOwnProcess(
      "in/a.png",
      "in/b.png",
      "in/c.jpg",
      "in/d.txt",
      "in/e.png",
      "--to",
      "made",
      "--json",
    );
    expect(code).toBe(1);
    const report = JSON.parse(out);
    expect(report).toMatchObject({ converted: 2, failed: 3 });
    expect(report.files).toMatchObject([
      { file: "in/a.png", output: inFolder("made/a.tif"), width: 600, height: 400, compression: "deflate" },
      { file: "in/b.png", error: expect.any(String) },
      { file: "in/c.jpg", output: inFolder("made/c.tif"), compression: "jpeg" },
      { file: "in/d.txt", error: expect.stringContaining("is not a JPEG, PNG") },
      { file: "in/e.png", error: "there is no such file" },
    ]);
    expect(report.files[0].bytes).toBe(readFileSync(inFolder("made/a.tif")).length);
    expect(readdirSync(inFolder("made")).sort()).toEqual(["a.tif", "c.tif"]);
    expect(
      err
        .trimEnd()
        .split("\n")
        .map((line) => line.split(": ")[1]),
    ).toEqual(["in/b.png", "in/d.txt", "in/e.png"]);
  });

  test.each([
    ["bad-trunc-50.jpg"],
    ["bad-trunc-50.jp2"],
    ["bad-trunc-50.webp"],
    ["bad-empty.jpg"],
    ["bad-tag-count-max.tif"],
  ])("%s is refused in one line, and nothing is written", async (name) => {
    const { code, out, err } = await convert(fixture(name), "-o", "out.tif");
    expect([code, out, err.trimEnd().split("\n").length]).toEqual([1, "", 1]);
    expect(err).not.toMatch(/\n\s+at /);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("files that exist", () => {
  test("are kept, and replaced by --force alone", async () => {
    cpSync(fixture("base.png"), inFolder("a.png"));
    writeFileSync(inFolder("a.tif"), "mine");
    const refused = await convert("a.png");
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(/a\.tif exists already; .* --force to replace it\n$/),
    ]);
    expect(readFileSync(inFolder("a.tif"), "utf8")).toBe("mine");
    expect((await convert("a.png", "--force")).code).toBe(0);
    expect((await sharp(inFolder("a.tif")).metadata()).width).toBe(600);
  });

  test("are never replaced by themselves", async () => {
    cpSync(fixture("tif-strip-none.tif"), inFolder("a.tif"));
    const before = readFileSync(inFolder("a.tif"));
    const { code, err } = await convert("a.tif", "--force");
    expect([code, err]).toEqual([2, expect.stringContaining("a.tif would replace itself")]);
    expect(readFileSync(inFolder("a.tif")).equals(before)).toBe(true);
  });

  test("are no links or devices, whatever --force says", async () => {
    cpSync(fixture("base.png"), inFolder("a.png"));
    cpSync(fixture("base.png"), inFolder("mine.tif"));
    for (const target of ["mine.tif", "nowhere"]) {
      symlinkSync(inFolder(target), inFolder("a.tif"));
      const { code, err } = await convert("a.png", "--force");
      expect([code, err]).toEqual([1, expect.stringMatching(/a\.tif is a symbolic link; give another name/)]);
      rmSync(inFolder("a.tif"));
    }
    execFileSync("mkfifo", [inFolder("a.tif")]);
    expect((await convert("a.png", "--force")).err).toContain("is a device, pipe or socket");
    expect(readFileSync(inFolder("mine.tif")).equals(readFileSync(inFolder("a.png")))).toBe(true);
  });

  test.each([
    [["a.png", "a.jpg"], /a\.png and a\.jpg would both become .*a\.tif/],
    [["a.png", "b.png", "-o", "c.tif"], /-o names one file/],
    [["a.png", "--tile", "100"], /--tile expects a multiple of 16/],
    [["a.png", "--compression", "lzw"], /--compression expects jpeg or deflate, received lzw/],
    [[], /convert needs FILE/],
  ])("%j is a wrong command line", async (args, message) => {
    const { code, out, err } = await convert(...args);
    expect([code, out, err]).toEqual([2, "", expect.stringMatching(message)]);
  });
});

test("an interrupt leaves nothing behind, and exits 130", async () => {
  const plain = { width: 12_000, height: 8000, channels: 3, background: "#336699" } as const;
  await sharp({ create: plain }).png({ compressionLevel: 1 }).toFile(inFolder("a.png"));
  const running = built.start(["convert", "a.png"], { cwd: folder });
  while (!readdirSync(folder).some((name) => name.endsWith(".tmp")))
    await new Promise((next) => setTimeout(next, 20));
  running.process.kill("SIGINT");
  expect(await running.ended).toEqual({ code: 130, out: "", err: "smalti: interrupted\n" });
  expect(existsSync(inFolder("a.tif"))).toBe(false);
  expect(readdirSync(folder)).toEqual(["a.png"]);
});
