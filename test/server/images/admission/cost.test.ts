// Estimates of jobs: which plans are cheap, and how estimates follow measured durations.

import { expect, test } from "vitest";
import { resolve } from "../../../../src/iiif/image/geometry.ts";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import { noLimits } from "../../../../src/iiif/image/size.ts";
import { type SourceFormat, writingOf, writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import type { ImageHeader } from "../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { planRender } from "../../../../src/imaging/plan/plan.ts";
import {
  createEstimates,
  renderWork,
  sidecarWork,
  tileLayersWork,
} from "../../../../src/server/images/admission/cost.ts";
import { maxCheapMs } from "../../../../src/server/images/admission/lanes.ts";
import { imageOptions } from "../../../../src/server/images/options.ts";
import { overlayOptions } from "../../../../src/server/images/overlay/options.ts";
import { outputPolicy } from "../../../../src/server/images/policy.ts";
import { testHost } from "../../../host.ts";

const codecs = createCodecs(testHost);
const policy = outputPolicy(imageOptions.parse({}));

/** A header of 6000 by 4000 pixels; a TIFF is a pyramid of tiles of 256. */
function headerOf(format: SourceFormat, over: Partial<ImageHeader> = {}): ImageHeader {
  const stages = {
    scale: [1, 2, 4, 8],
    offset: [8, 8, 8, 8],
    compression: [7, 7, 7, 7],
    blockWidth: [256, 256, 256, 256],
    blockHeight: [256, 256, 256, 256],
    rowBytes: [768, 768, 768, 768],
    planes: [1, 1, 1, 1],
  };
  const details = {
    jpg: { subsampling: "halved" },
    tif: stages,
    jp2: { levels: 5, starts: [0, 0] },
    png: { interlaced: false },
    webp: {},
    avif: {},
    jxl: { channels: 3, parts: true },
    gif: {},
    pdf: { pdfFormat: "jpg", pdfSection: [0, 6e6], subsampling: "halved" },
  };
  return {
    format,
    width: 6000,
    height: 4000,
    bands: 3,
    depth: 8,
    interpretation: "rgb",
    orientation: 1,
    pages: 1,
    variant: "baseline",
    details: details[format],
    ...over,
  };
}

function lane(header: ImageHeader, target: string, index?: { readonly absent?: boolean }): string {
  const [region = "", size = "", rotation = "", file = ""] = target.split("/");
  const request = parseImageRequest(3, { region, size, rotation, file } as never, writtenFormats);
  const geometry = resolve(request, header, { limits: noLimits, tileSize: 512 });
  const decoder = codecs.decoder(header.format);
  const encoder = writingOf(request.format);
  const plan = planRender({ header, page: 1, fileSize: 6e6, request, geometry, policy, decoder, encoder });
  return renderWork(plan, decoder, index).ms <= maxCheapMs ? "cheap" : "heavy";
}

const tile = "3072,2560,512,512/512,512/0/default.jpg";
const there = {};

test("a tile is cheap if the file gives access to it, at any scale", () => {
  for (const each of [
    tile,
    "0,0,4096,4000/512,500/0/default.jpg",
    "2048,0,2048,2048/512,512/0/default.jpg",
  ]) {
    expect(lane(headerOf("jpg"), each, there), `${each} of an indexed JPEG`).toBe("cheap");
    expect(lane(headerOf("tif"), each), `${each} of a TIFF pyramid`).toBe("cheap");
    for (const format of ["png", "webp", "gif"] as const)
      expect(lane(headerOf(format), each, there), `${each} of a ${format} with a pyramid`).toBe("cheap");
  }
  expect(lane(headerOf("jpg"), tile, { absent: true }), "the first tile of a JPEG").toBe("cheap");
  expect(lane(headerOf("tif"), tile.replace("jpg", "webp")), "as WebP").toBe("cheap");
  expect(lane(headerOf("jp2"), "full/187,125/0/default.jpg"), "a low resolution level").toBe("cheap");
  expect(lane(headerOf("jp2"), tile), "a lossy JPEG 2000").toBe("cheap");
  const details = { reversible: true, highThroughput: true };
  expect(lane(headerOf("jp2", { details }), tile), "lossless HTJ2K").toBe("cheap");
});

test("a tile is heavy if it needs much additional decoding", () => {
  for (const format of ["png", "webp", "gif"] as const)
    expect(lane(headerOf(format), tile, { absent: true }), format).toBe("heavy");
  expect(lane(headerOf("jp2", { details: { reversible: true } }), tile), "lossless").toBe("heavy");
  const top = lane(headerOf("png"), "0,0,512,512/512,512/0/default.jpg", { absent: true });
  expect(top, "at the top of a PNG").toBe("cheap");
  const strips = {
    ...headerOf("tif").details,
    blockWidth: [6000],
    blockHeight: [4000],
    scale: [1],
    compression: [5],
  };
  expect(lane(headerOf("tif", { details: strips }), tile, { absent: true }), "of one strip").toBe("heavy");
  expect(lane(headerOf("tif", { details: strips }), tile, there), "with its pyramid").toBe("cheap");
  expect(
    lane(headerOf("jpg", { width: 24000, height: 16800 }), tile, { absent: true }),
    "the first tile",
  ).toBe("heavy");
  expect(lane(headerOf("jpg", { details: { arithmetic: true } }), tile), "arithmetic coding").toBe("heavy");
});

test("nearly full sizes and large derivatives are heavy", () => {
  expect(lane(headerOf("jpg"), "full/5000,/0/default.jpg", there)).toBe("heavy");
  expect(lane(headerOf("tif"), "full/max/0/default.png")).toBe("heavy");
  expect(lane(headerOf("tif"), "0,0,2048,2048/max/0/default.webp")).toBe("heavy");
});

test("building the access points of a JPEG is cheap, of a huge or progressive one it is not", () => {
  const of = (over: Partial<ImageHeader>) =>
    sidecarWork(codecs.decoder("jpg"), headerOf("jpg", over), "ground").ms <= maxCheapMs;
  expect(of({ width: 2400, height: 1600 })).toBe(true);
  expect(of({ width: 24_000, height: 16_800 })).toBe(false);
  expect(of({ variant: "progressive" })).toBe(false);
});

test("the time of a layer is learned apart from that of others, and tiles need ground or a pyramid", () => {
  for (const format of ["jpg", "png", "webp"] as const) {
    const codec = codecs.decoder(format);
    const header = headerOf(format);
    const layers = codec.sidecar!.layers(header, 2 ** 30, Number.POSITIVE_INFINITY);
    const works = layers.map((layer) => sidecarWork(codec, header, layer));
    expect(new Set(works.map(({ kind }) => kind)).size).toBe(layers.length);
    const needed = works[layers.indexOf(format === "jpg" ? "ground" : "pyramid")]!;
    expect(tileLayersWork(codec, header)).toBe(needed.ms);
  }
});

test("estimates follow the durations of jobs of their kind, within limits, and not those of other kinds", () => {
  const { of, learn } = createEstimates();
  const slow = { kind: "slow", ms: 20 };
  const before = of(slow);
  expect(before).toBe(20);
  learn(slow, 40);
  expect(of(slow)).toBeGreaterThan(20);
  expect(of(slow)).toBeLessThan(40);
  for (let n = 0; n < 100; n++) learn(slow, 40);
  expect(of(slow)).toBeCloseTo(40, 1);
  for (let n = 0; n < 100; n++) learn(slow, 1e9);
  expect(of(slow)).toBeCloseTo(80, 1);
  for (let n = 0; n < 100; n++) learn(slow, 0);
  expect(of(slow)).toBeCloseTo(5, 1);
  expect(of({ kind: "other", ms: 20 })).toBe(20);
});

test("very short jobs change no estimate", () => {
  const { of, learn } = createEstimates();
  learn({ kind: "short", ms: 0.5 }, 30);
  expect(of({ kind: "short", ms: 20 })).toBe(20);
});

test("an overlay that has to be resized for the derivative counts with all its pixels", () => {
  const header = headerOf("tif");
  const request = parseImageRequest(
    3,
    {
      region: "0,0,512,512",
      size: "512,512",
      rotation: "0",
      file: "default.jpg",
    },
    writtenFormats,
  );
  const geometry = resolve(request, header, { limits: noLimits, tileSize: 512 });
  const decoder = codecs.decoder("tif");
  const encoder = writingOf("jpg");
  const ms = (width: number, height: number, fit: "shrink" | "tile") => {
    const image = { digest: "d", width, height, data: new Uint8Array() };
    const overlay = { image, settings: overlayOptions.parse({ image: "a.png", fit }) };
    return renderWork(
      planRender({ header, page: 1, fileSize: 6e6, request, geometry, policy, overlay, decoder, encoder }),
      decoder,
      undefined,
    ).ms;
  };
  expect(ms(2000, 2000, "shrink")).toBeGreaterThan(ms(200, 100, "shrink") + 15);
  expect(ms(2000, 2000, "tile")).toBe(ms(200, 100, "tile"));
});
