// Files of up to a megabyte that consist of as many small parts as fit: frames, chunks, boxes, segments.
// @module-tag slow

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { fixture } from "../host.ts";
import { served } from "../served.ts";
import { costOf } from "./cost.ts";

const root = mkdtempSync(join(tmpdir(), "smalti-parts-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const yaml = `sources: [{ name: parts, type: filesystem, root: ${JSON.stringify(root)} }]\n`;

const megabyte = 2 ** 20;
type Bytes = Uint8Array | readonly number[] | string;
const bytesOf = (part: Bytes) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part));
const joined = (...parts: readonly Bytes[]) => Buffer.concat(parts.map(bytesOf));

/** Returns a part as often as it fits into a megabyte with `others` bytes. */
function filled(part: Bytes, others = 60_000): Buffer {
  const one = bytesOf(part);
  return Buffer.concat(new Array(Math.floor((megabyte - others) / one.length)).fill(one));
}

const big = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
const little = (value: number) => Buffer.from(big(value)).reverse();

// GIF89a, 17 to 26: a screen of 8 by 8, black and white
const gifHead = joined("GIF89a", [8, 0, 8, 0, 0x80, 0, 0], [0, 0, 0, 255, 255, 255]);
const gifFrame = [0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0];
const gif = (...parts: readonly Bytes[]) => joined(gifHead, ...parts, [0x3b]);

// PNG, 5.3 and 11: gray, 8 by 8
function pngChunk(type: string, data: Bytes = []): Buffer {
  const content = joined(type, data);
  return joined(big(content.length - 4), content, big(crc32(content)));
}
const png = (before: Bytes, after: Bytes = []) =>
  joined(
    [137, 80, 78, 71, 13, 10, 26, 10],
    pngChunk("IHDR", joined(big(8), big(8), [8, 0, 0, 0, 0])),
    before,
    pngChunk("IDAT", deflateSync(Buffer.alloc(72))),
    after,
    pngChunk("IEND"),
  );

// JPEG, B.1.1.4: segments after SOI
const jpeg = fixture("jpg-gray.jpg");
const segment = (code: number, data: Bytes = []) => {
  const { length } = bytesOf(data);
  return joined([0xff, code, (length + 2) >> 8, (length + 2) & 255], data);
};
const jpegWith = (parts: Bytes) => joined(jpeg.subarray(0, 2), parts, jpeg.subarray(2));

/** EXIF whose pointers lead back to the directory that they are in. */
const exifRing = () => {
  const pointer = (tag: number) => [tag & 255, tag >> 8, 4, 0, 1, 0, 0, 0, 8, 0, 0, 0];
  return joined("Exif\0\0II*\0", little(8), [3, 0], ...[0x14a, 0x8769, 0x8825].map(pointer), little(8));
};

// WebP Container Specification: RIFF chunks
const riffChunk = (type: string, data: Bytes = []) => {
  const content = bytesOf(data);
  return joined(type, little(content.length), content);
};
const webp = (flags: number, ...parts: readonly Bytes[]) => {
  const body = joined("WEBP", riffChunk("VP8X", [flags, 0, 0, 0, 7, 0, 0, 7, 0, 0]), ...parts);
  return joined("RIFF", little(body.length), body);
};
const lossless = riffChunk("VP8L", [0x2f, 7, 0xc0, 1, 0, 0, 0, 0]);
const webpFrame = riffChunk("ANMF", joined([0, 0, 0, 0, 0, 0, 7, 0, 0, 7, 0, 0, 10, 0, 0, 0], lossless));

// JPEG 2000, annexes A and I
const jp2 = fixture("jp2-gray.jp2");
const box = (type: string, data: Bytes = []) => joined(big(8 + bytesOf(data).length), type, data);
const codingStyle = Buffer.from(jp2).indexOf(Buffer.from([0xff, 0x52]));
const nested = (levels: number) => {
  const boxes = Buffer.alloc(8 * levels);
  for (let n = 0; n < levels; n++) boxes.set(joined(big(8 * (levels - n)), "jp2h"), 8 * n);
  return boxes;
};

const files: Readonly<Record<string, () => Uint8Array>> = {
  "frames.gif": () => gif(filled(gifFrame)),
  "comments.gif": () => gif(filled([0x21, 0xfe, 0]), gifFrame),
  "sub-blocks.gif": () => gif([0x2c, 0, 0, 0, 0, 8, 0, 8, 0, 0, 2], filled([1, 0x44]), [0]),
  "profile-in-pieces.gif": () => gif([0x21, 0xff, 11], "ICCRGBG1012", filled([1, 0x44]), [0], gifFrame),
  "chunks.png": () => png(filled(pngChunk("teSt"))),
  "chunks-after-data.png": () => png([], filled(pngChunk("tEXt"))),
  "data-in-pieces.png": () => png(filled(pngChunk("IDAT"))),
  "frames.png": () =>
    png(
      pngChunk("acTL", joined(big(20_000), big(0))),
      filled(
        joined(
          pngChunk("fcTL", joined(big(1), big(8), big(8), big(0), big(0), [0, 1, 0, 1, 0, 0])),
          pngChunk("fdAT", joined(big(2), deflateSync(Buffer.alloc(72)))),
        ),
      ),
    ),
  "segments.jpg": () => jpegWith(filled(segment(0xe3))),
  "exif.jpg": () => jpegWith(filled(segment(0xe1, exifRing()))),
  "profile-in-pieces.jpg": () => jpegWith(filled(segment(0xe2, joined("ICC_PROFILE\0", [1, 255], "x")))),
  "xmp-in-pieces.jpg": () =>
    jpegWith(
      filled(
        segment(
          0xe1,
          joined("http://ns.adobe.com/xmp/extension/\0", "0".repeat(32), big(900_000), big(0), "x"),
        ),
      ),
    ),
  "fill.jpg": () => jpegWith(filled([0xff])),
  "restarts.jpg": () => joined(jpeg.subarray(0, -2), filled([0xff, 0xd0]), [0xff, 0xd9]),
  "comments-after-scan.jpg": () => joined(jpeg.subarray(0, -2), filled([0xff, 0xfe, 0, 2]), [0xff, 0xd9]),
  "chunks.webp": () => webp(0, filled(riffChunk("junk")), lossless),
  "frames.webp": () => webp(2, riffChunk("ANIM", [0, 0, 0, 0, 0, 0]), filled(webpFrame)),
  "boxes.jp2": () => joined(jp2.subarray(0, 12), filled(box("free")), jp2.subarray(12)),
  "boxes-after-data.jp2": () => joined(jp2, filled(box("uuid", Buffer.alloc(16, 0xbe)))),
  "nested.jp2": () => joined(jp2.subarray(0, 32), nested(60_000), jp2.subarray(32)),
  "markers.jp2": () =>
    joined(jp2.subarray(0, codingStyle), filled([0xff, 0x64, 0, 4, 0, 1]), jp2.subarray(codingStyle)),
};

test.each(Object.entries(files))("%s costs little", async (name, make) => {
  const file = make();
  expect(file.length).toBeLessThanOrEqual(megabyte);
  writeFileSync(join(root, name), file);
  const app = await served(yaml);
  const { cpuMs, peakMiB } = await costOf(async () => {
    for (const path of [
      `/iiif/3/${name}/info.json`,
      `/iiif/3/${name}/full/max/0/default.jpg`,
      `/iiif/3/${name}/0,0,4,4/max/0/default.png`,
      `/iiif/presentation/3/${name}`,
      `/iiif/presentation/2/${name}`,
      `/iiif/3/${name};2000/info.json`,
    ])
      await (await app.get(path)).arrayBuffer();
  });
  expect(cpuMs).toBeLessThan(5000);
  expect(peakMiB).toBeLessThan(500);
});

test("the manifest of an animation of more frames than are shown says so", async () => {
  writeFileSync(join(root, "long.gif"), gif(...new Array<Bytes>(2500).fill(gifFrame)));
  const manifest = await (await (await served(yaml)).get("/iiif/presentation/3/long.gif")).json();
  expect(manifest.items).toHaveLength(2000);
  expect(manifest.summary.en).toEqual([
    "Only the first 2000 pages of long.gif are shown: the file has more.",
  ]);
});
