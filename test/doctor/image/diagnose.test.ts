// The image doctor on images that cannot be had, are slow, or are handled in a special way.

import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { diagnose } from "../../../src/doctor/image/diagnose.ts";
import type { Diagnosis } from "../../../src/doctor/image/diagnosis.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { fixturesFolder } from "../../host.ts";
import { chunk } from "../../imaging/codecs/png/make-png.ts";
import { type Served, served } from "../../served.ts";

const codes = ({ findings }: Diagnosis, level?: string) =>
  findings.filter((each) => level === undefined || each.level === level).map(({ code }) => code);
const fact = ({ sections }: Diagnosis, name: string) =>
  sections.flatMap(({ facts }) => facts).find((each) => each.name === name);

let folder: string;
let app: Served;
const inFolder = (yaml = "", root = folder) =>
  `${yaml}\nsources: [{ name: masters, type: filesystem, root: ${JSON.stringify(root)} }]`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-doctor-"));
  // As wide as high, so that there are many rows above the last tile.
  const plain = { create: { width: 6000, height: 6000, channels: 3, background: "#336699" } } as const;
  writeFileSync(join(folder, "large.png"), await sharp(plain).png({ compressionLevel: 1 }).toBuffer());
  writeFileSync(join(folder, "strips.tif"), await sharp(plain).tiff({ compression: "lzw" }).toBuffer());
  const pyramid = {
    compression: "jpeg",
    tile: true,
    pyramid: true,
    tileWidth: 256,
    tileHeight: 256,
  } as const;
  writeFileSync(join(folder, "pyramid.tif"), await sharp(plain).tiff(pyramid).toBuffer());
  for (const name of ["png-rgb16.png", "jpg-orient-6.jpg", "jpg-cmyk-adobe.jpg", "jpg-icc-displayp3.jpg"])
    cpSync(join(fixturesFolder, name), join(folder, name));
  app = await served(inFolder());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("an image that cannot be had", () => {
  test("is reported as missing, with hints what to compare", async () => {
    const diagnosis = await diagnose(app.service.images, "nowhere.tif");
    expect(codes(diagnosis)).toEqual(["open_image_not_found"]);
    expect(diagnosis.findings[0]).toMatchObject({
      level: "problem",
      advice: expect.stringContaining("letter"),
    });
  });

  test.each([
    ["stripes.tif", "strips.tif"],
    ["Pyramid.tiff;2", "pyramid.tif"],
    ["jpg-orient-6", "jpg-orient-6.jpg"],
    ["png-rgb16.jpg", "png-rgb16.png"],
    ["maps/strips.tif", undefined],
    ["something-else.tif", undefined],
  ])("%s has %s as the nearest image of its folder", async (identifier, near) => {
    const diagnosis = await diagnose(app.service.images, identifier);
    expect([diagnosis.found, diagnosis.near]).toEqual([false, near]);
    const advice = diagnosis.findings[0]?.advice;
    expect(advice?.startsWith(`Did you mean ${near}?`)).toBe(near !== undefined);
  });

  test.each(["", "../etc/passwd", "a/../../b", "\0", "x".repeat(5000)])(
    "is a problem of the identifier %j, not an error",
    async (identifier) => {
      expect(codes(await diagnose(app.service.images, identifier), "problem")).toHaveLength(1);
    },
  );

  test("is reported to lack the page", async () => {
    const diagnosis = await diagnose(app.service.images, "pyramid.tif;7");
    expect(codes(diagnosis, "problem")).toEqual(["header_page_not_found"]);
  });

  test("shows no path of this machine", async () => {
    for (const identifier of ["nowhere.tif", "large.png", "pyramid.tif;7"])
      expect(JSON.stringify(await diagnose(app.service.images, identifier))).not.toContain(folder);
  });

  test("is diagnosed within the time limit although its file never responds", async () => {
    const { openPlain: _, ...files } = nodeFiles();
    const hanging = await served(
      inFolder(),
      {},
      {
        files: {
          ...files,
          openFile: () => new Promise(() => {}),
          stat: () => new Promise(() => {}),
        } as typeof files,
      },
    );
    const diagnosis = await diagnose(hanging.service.images, "large.png", { limitMs: 300 });
    expect(codes(diagnosis)).toEqual(["open_diagnosis_timeout"]);
    expect(diagnosis.findings[0]?.level).toBe("slow");
  });
});

describe("the cause of slowness", () => {
  test("is reported with advice even if the diagnosis ran out of time while rendering a tile", async () => {
    const { service } = await served(inFolder());
    let isRendering = false;
    const pool: typeof service.images.pool = {
      ...service.images.pool,
      run: () => {
        isRendering = true;
        return new Promise<never>(() => {});
      },
    };
    const within = (limitMs: number) =>
      diagnose({ ...service.images, pool }, "large.png", { measures: true, limitMs });
    let diagnosis = await within(500);
    // A busy machine takes longer to come that far.
    for (let limitMs = 1000; !isRendering && limitMs < 100_000; limitMs *= 2)
      diagnosis = await within(limitMs);
    expect(codes(diagnosis, "slow")).toEqual([
      "measure_diagnosis_timeout",
      "slow_png_rows",
      "sidecar_unavailable",
    ]);
    expect(diagnosis.findings[1]?.command).toContain("smalti convert");
  });

  test("of a large PNG without room for its sidecar is that rows depend on those above them, and a helpful command is shown", async () => {
    const { findings } = await diagnose(app.service.images, "large.png");
    const slow = findings.filter(({ level }) => level === "slow");
    expect(slow.map(({ code }) => code)).toEqual(["slow_png_rows", "sidecar_unavailable"]);
    expect(slow[0]?.command).toBe("smalti convert large.png -o large.new.tif --compression deflate");
    expect(slow[0]?.advice).toMatch(/ Run the command in the folder of the source masters\.$/);
  });

  test("is not found in a large PNG with room for its sidecar", async () => {
    const roomy = await served(inFolder("cache: { origin: { backend: heap, max_bytes: 400MiB } }"));
    const diagnosis = await diagnose(roomy.service.images, "large.png");
    expect(codes(diagnosis, "slow")).toEqual([]);
    expect(codes(diagnosis)).toEqual(expect.arrayContaining(["fast", "sidecar_absent"]));
  });

  test("of a TIFF in strips without room for its sidecar is that it has no reduced levels", async () => {
    expect(codes(await diagnose(app.service.images, "strips.tif"), "slow")).toEqual([
      "slow_no_levels",
      "sidecar_unavailable",
    ]);
  });

  test("is absent in a tiled pyramid of the same size", async () => {
    const diagnosis = await diagnose(app.service.images, "pyramid.tif");
    expect(codes(diagnosis, "slow")).toEqual([]);
    expect(codes(diagnosis, "good")).toContain("fast");
    expect(fact(diagnosis, "levels")?.value).toHaveLength(5);
  });
});

describe("the treatment of an image follows the settings", () => {
  test("16 bits become 8, or stay if image.depth says so", async () => {
    const kept = await served(inFolder("image: { depth: source }"));
    const text = async (of: Served) =>
      (await diagnose(of.service.images, "png-rgb16.png")).findings.find(({ code }) => code === "depth")
        ?.text;
    expect(await text(app)).toContain("become 8");
    expect(await text(kept)).toContain("keep 16");
  });

  test("high dynamic range and a gain map are said not to be shown", async () => {
    const gray = sharp({ create: { width: 16, height: 16, channels: 3, background: "#606060" } });
    const jpeg = await gray.jpeg().toBuffer();
    const name = Buffer.from("urn:iso:std:iso:ts:21496:-1\0\0\0\0\0", "latin1");
    const segment = Buffer.concat([Buffer.from([0xff, 0xe2, 0, name.length + 2]), name]);
    writeFileSync(
      join(folder, "gain-map.jpg"),
      Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]),
    );
    expect(codes(await diagnose(app.service.images, "gain-map.jpg"))).toContain("gain_map");
    const png = await gray.png().toBuffer();
    const cicp = chunk("cICP", Uint8Array.of(9, 16, 0, 1)); // PQ
    writeFileSync(join(folder, "pq.png"), Buffer.concat([png.subarray(0, 33), cicp, png.subarray(33)]));
    const { findings } = await diagnose(app.service.images, "pq.png");
    expect(findings.find(({ code }) => code === "hdr")?.text).toMatch(/^HDR master, SDR derivative/);
  });

  test("an orientation is applied, or embedded if image.metadata is preserve", async () => {
    const preserving = await served(inFolder("image: { metadata: preserve }"));
    const size = async (of: Served) =>
      fact(await diagnose(of.service.images, "jpg-orient-6.jpg"), "served")?.value;
    const upright = (await size(app)) as { width: number; height: number };
    expect(await size(preserving)).toEqual({ width: upright.height, height: upright.width });
  });

  test("a profile is converted, or embedded if image.color is respect-icc", async () => {
    const keeping = await served(inFolder("image: { color: respect-icc }"));
    const use = async (of: Served) =>
      fact(await diagnose(of.service.images, "jpg-icc-displayp3.jpg"), "colour_use")?.text;
    expect(await use(app)).toBe("converted to sRGB");
    expect(await use(keeping)).toContain("with a profile in responses");
  });

  test("CMYK without a profile is converted by a guess", async () => {
    expect(codes(await diagnose(app.service.images, "jpg-cmyk-adobe.jpg"), "note")).toContain(
      "cmyk_without_profile",
    );
  });

  test("a limit on the source's area is named with the setting that raises it", async () => {
    const small = await served(inFolder("image: { max_pixel_area: 1000000 }"));
    const diagnosis = await diagnose(small.service.images, "large.png");
    expect(codes(diagnosis, "problem")).toEqual(["too_many_pixels"]);
    expect(fact(diagnosis, "size")?.value).toEqual({ width: 6000, height: 6000 });
  });

  test("a derivative over the output limits is reported to be smaller", async () => {
    const small = await served(inFolder("image: { max_output_width: 800 }"));
    expect(codes(await diagnose(small.service.images, "pyramid.tif"), "note")).toContain("whole_reduced");
  });
});

describe("renders", () => {
  test("of requests are shown next to their estimates", async () => {
    const fresh = await served(inFolder());
    expect(fact(await diagnose(fresh.service.images, "pyramid.tif"), "latest")).toBeUndefined();
    await fresh.get("/iiif/3/pyramid.tif/0,0,512,512/512,/0/default.jpg");
    const latest = fact(await diagnose(fresh.service.images, "pyramid.tif"), "latest")?.value;
    expect(latest).toMatchObject([{ request: "0,0,512,512/max/0/default.jpg" }]);
  });

  test("are made for a diagnosis on request, and are not cached", async () => {
    const fresh = await served(inFolder());
    const diagnosis = await diagnose(fresh.service.images, "png-rgb16.png", { measures: true });
    const measured = fact(diagnosis, "measured")?.value as readonly { what: string; readBytes: number }[];
    expect(measured.map(({ what }) => what)).toEqual(["tile", "whole"]);
    expect(measured.every(({ readBytes }) => readBytes > 0)).toBe(true);
    await fresh.service.slots.render.whenSettled();
    expect(fresh.service.slots.render.counts.writes.value).toBe(0);
  });

  test("for a diagnosis are not shown as renders for readers", async () => {
    const fresh = await served(inFolder());
    await diagnose(fresh.service.images, "png-rgb16.png", { measures: true });
    expect(fact(await diagnose(fresh.service.images, "png-rgb16.png"), "latest")).toBeUndefined();
  });
});
