// Derivatives made a few rows at a time have the same bytes as those made in one piece.

import { describe, expect, test } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { resolve } from "../../../../src/iiif/image/geometry.ts";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import { writingOf, writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import type { RenderPlan } from "../../../../src/imaging/codecs/plan.ts";
import { planRender } from "../../../../src/imaging/plan/plan.ts";
import { runTask } from "../../../../src/imaging/render/job.ts";
import type { JobInterest } from "../../../../src/imaging/render/job-context.ts";
import { imageOptions } from "../../../../src/server/images/options.ts";
import { outputPolicy } from "../../../../src/server/images/policy.ts";
import { fixture, testHost } from "../../../host.ts";
import { reference } from "../../../imaging/codecs/reference.ts";

const codecs = createCodecs(testHost);

const run = (plan: RenderPlan, bytes: ByteSource, wanted?: JobInterest) =>
  runTask({ kind: "render", plan }, { codecs, bytes, wanted });

/** The plan of a request for a fixture, as if its picture were `times` as large. */
async function planOf(name: string, path: string, times = 1, settings: object = {}) {
  const bytes = memoryBytes(fixture(name));
  const codec = codecs.recognise(fixture(name).subarray(0, 64))!;
  const stored = await codec.probe(bytes, 1);
  const header = { ...stored, width: stored.width * times, height: stored.height * times };
  const [region = "", size = "", rotation = "", file = ""] = path.split("/");
  const request = parseImageRequest(3, { region, size, rotation, file }, writtenFormats);
  const limits = { maxWidth: 0, maxHeight: 0, maxArea: 0 };
  const plan = planRender({
    header,
    page: 1,
    fileSize: fixture(name).length,
    request,
    geometry: resolve(request, header, { limits, tileSize: 512 }),
    policy: outputPolicy(imageOptions.parse(settings)),
    decoder: codec,
    encoder: writingOf(request.format),
  });
  return { plan, bytes };
}

describe("a derivative that is made by rows", () => {
  test.each([
    ["jp2-reversible.jp2", "full/max/0/default.jpg", {}],
    ["jp2-reversible.jp2", "full/max/0/default.jpg", { jp2_effort: "visual" }],
    ["tif-jp2k-tiled.tif", "full/max/0/default.jpg", {}],
    ["jp2-irreversible.jp2", "37,53,500,321/max/0/gray.jpg", {}],
    ["jp2-rgba8.jp2", "full/max/!0/default.jpg", {}],
    ["jp2-layers-offset.jp2", "full/max/0/default.jpg", { jpeg_chroma: "444" }],
    ["jp2-tiled-128.jp2", "full/max/0/bitonal.jpg", {}],
    ["jp2-icc-displayp3.jp2", "full/max/0/default.jpg", {}],
    ["tif-bigtiff-bigendian-tiled.tif", "5,7,590,380/max/0/default.jpg", {}],
    ["tif-jpeg-ycbcr-tiled.tif", "full/max/0/default.jpg", {}],
    ["base.png", "full/max/0/default.jpg", {}],
    ["base.png", "37,53,500,301/max/!0/gray.jpg", {}],
    ["png-rgb8-interlaced.png", "full/max/0/default.jpg", {}],
    ["gif-static.gif", "full/max/0/default.jpg", {}],
    ["webp-lossy.webp", "full/max/0/default.jpg", {}],
    ["webp-lossless-alpha.webp", "full/max/0/default.jpg", {}],
    // planes of a JPEG, with colour as stored and at half size, and its pixels
    ["jpg-baseline-420.jpg", "full/max/0/default.jpg", { jpeg_passthrough: "off" }],
    ["jpg-baseline-422.jpg", "16,32,400,333/max/!0/default.jpg", { jpeg_passthrough: "off" }],
    ["jpg-baseline-420.jpg", "3,5,500,333/max/0/gray.jpg", { jpeg_passthrough: "off" }],
    ["jpg-progressive.jpg", "full/max/0/default.jpg", { jpeg_passthrough: "off", jpeg_chroma: "444" }],
    ["jpg-icc-displayp3.jpg", "full/max/0/default.jpg", {}],
    ["jpg-cmyk-adobe.jpg", "full/max/0/default.jpg", {}],
  ] as const)("%s %s", async (name, path, settings) => {
    const { plan, bytes } = await planOf(name, path, 1, settings);
    expect(plan.rows).toBeUndefined();
    const whole = await run(plan, bytes);
    for (const rows of [64, 256]) {
      const made = await run({ ...plan, rows }, bytes);
      expect(Buffer.from(made.bytes).equals(whole.bytes)).toBe(true);
    }
  });

  test.each([
    ["jp2-reversible.jp2", 2],
    ["jp2-rgb16.jp2", 1],
    ["png-gray16.png", 1],
    ["jpg-baseline-420.jpg", 2],
    ["base.png", 4],
    ["tif-rgb16-deflate.tif", 1],
    ["tif-pyramid-subifd.tif", 2],
    ["tif-bigtiff-bigendian-tiled.tif", 4],
  ])("has the same pixels if it is too small for that: %s at 1/%i", async (name, scaleFactor) => {
    const { plan, bytes } = await planOf(name, "full/max/0/default.jpg");
    const reduced: RenderPlan = { ...plan, read: { ...plan.read, scaleFactor } };
    const whole = await run(reduced, bytes);
    const made = await run({ ...reduced, rows: 64 }, bytes);
    expect(await reference(made.bytes)).toEqual(await reference(whole.bytes));
  });

  test("fails like one made in one piece if the file is damaged in a later part", async () => {
    const { plan, bytes } = await planOf("bad-trunc-50.jp2", "full/max/0/default.jpg");
    const failure = (job: Promise<unknown>) =>
      job.then(
        () => undefined,
        ({ kind, message }) => ({ kind, message }),
      );
    const whole = await failure(run(plan, bytes));
    expect(whole?.kind).toBe("decode");
    expect(await failure(run({ ...plan, rows: 64 }, bytes))).toEqual(whole);
  });

  test("ends before the next rows if nobody needs it any longer", async () => {
    const { plan, bytes } = await planOf("jp2-reversible.jp2", "full/max/0/default.jpg");
    const wanted = {
      aborted: false,
      listens: 0,
      async listen() {
        this.aborted = ++this.listens > 3;
      },
    };
    await expect(run({ ...plan, rows: 64 }, bytes, wanted)).rejects.toMatchObject({
      kind: "cancelled",
    });
  });
});

describe("a plan", () => {
  const jp2 = "jp2-reversible.jp2";
  test.each([
    [jp2, "full/max/0/default.jpg", {}, true],
    [jp2, "full/max/!0/gray.jpg", {}, true],
    [jp2, "1000,1000,9000,9000/max/0/default.jpg", {}, true],
    ["tif-jpeg-ycbcr-tiled.tif", "full/max/0/default.jpg", {}, true],
    ["tif-deflate-pred2.tif", "full/max/0/default.jpg", {}, true],
    ["base.png", "full/max/0/default.jpg", {}, true],
    ["jpg-baseline-420.jpg", "full/max/0/default.jpg", {}, true],
    // Every row needs others,
    [jp2, "full/max/90/default.jpg", {}, false],
    [jp2, "full/9001,/0/default.jpg", {}, false],
    [jp2, "full/pct:50/0/default.jpg", { sharpen: "on" }, false],
    // the encoder takes pictures,
    [jp2, "full/max/0/default.png", {}, false],
    [jp2, "full/max/0/default.jpg", { jpeg_progressive: true }, false],
    [jp2, "full/max/0/default.jpg", { jpeg_encoder: "small" }, false],
    // the file has no access by rows,
    ["jpg-arithmetic.jpg", "full/max/0/default.jpg", {}, false],
    // or there are few.
    [jp2, "0,0,512,512/max/0/default.jpg", {}, false],
  ] as const)("%s, 20 times as large, %s %j: %s", async (name, path, settings, expected) => {
    const { plan } = await planOf(name, path, 20, settings);
    expect(plan.rows !== undefined).toBe(expected);
  });

  test("with rows needs memory for a few of them", async () => {
    const { plan } = await planOf(jp2, "full/max/0/default.jpg", 20);
    const pixels = 3 * 12_000 * 8_000;
    const whole = await planOf(jp2, "full/max/0/default.jpg", 20, { jpeg_progressive: true });
    expect(whole.plan.memory).toBeGreaterThan(2 * pixels);
    expect(plan.memory).toBeLessThan(pixels);
    expect((plan.rows ?? 0) % 256).toBe(0);
  });
});
