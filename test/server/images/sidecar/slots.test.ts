// The bytes of a response never depend on the contents of the origin slot: the same requests in other orders,
// without a slot, and over a slot that an earlier service has filled.
// @module-tag slow

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import { writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import { type Master, openMaster } from "../../../../src/server/images/describe.ts";
import { prepare, render } from "../../../../src/server/images/render.ts";
import { createSidecars } from "../../../../src/server/images/sidecar/sidecars.ts";
import { grain } from "../../../grain.ts";
import { fixture } from "../../../host.ts";
import { served } from "../../../served.ts";

const width = 1000;
const height = 700;
const base = sharp(fixture("base.png")).removeAlpha().resize(width, height, { fit: "fill" });

const files = {
  "baseline.jpg": base.clone().jpeg({ quality: 85 }),
  "full-chroma.jpg": base.clone().jpeg({ quality: 90, chromaSubsampling: "4:4:4" }),
  "progressive.jpg": base.clone().jpeg({ quality: 85, progressive: true }),
  "gray.jpg": base.clone().grayscale().jpeg({ progressive: true }),
  "ink.jpg": base.clone().toColourspace("cmyk").jpeg({ quality: 85 }),
};

/** Longer than one piece of the sidecar pass, so that a first tile uses an incomplete sidecar. */
const long = "long.jpg";

/** The first part of a file; of the progressive one it ends within the DC coefficients. */
const damaged = {
  "cut-baseline.jpg": { from: "baseline.jpg", share: 0.6 },
  "cut-progressive.jpg": { from: "progressive.jpg", share: 0.05 },
} as const;

const requests = [
  "0,0,512,512/max/0/default.jpg",
  "512,0,488,512/max/0/default.png",
  "0,0,512,512/256,256/0/default.jpg",
  "300,200,333,251/100,/0/gray.png",
  "128,64,256,128/max/90/default.jpg",
  "full/500,/0/default.jpg",
  "full/125,/0/default.png",
  "full/60,/0/default.jpg",
].flatMap((request) =>
  [...Object.keys(files), ...Object.keys(damaged), long].map((name) => `${name}/${request}`),
);

const never = new AbortController().signal;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-slots-"));
  const bytes = new Map<string, Buffer>();
  for (const [name, picture] of Object.entries(files)) bytes.set(name, await picture.toBuffer());
  for (const [name, { from, share }] of Object.entries(damaged)) {
    const whole = bytes.get(from) as Buffer;
    bytes.set(name, whole.subarray(0, whole.length * share));
  }
  bytes.set(long, await grain(width, 1700, 50).jpeg({ quality: 93 }).toBuffer());
  expect(bytes.get(long)?.length).toBeGreaterThan(1.1 * 2 ** 20);
  for (const [name, content] of bytes) await writeFile(join(folder, name), content);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Returns all responses of a fresh service over an origin slot, requested in an order, a few at a time; a
 * missing sidecar is made after the first response, as with workers.
 */
async function answers(origin: string, order: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const { service } = await served(
    `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: none }, origin: ${origin} }`,
  );
  const { images, slots } = service;
  const sidecars = createSidecars({ ...images, origin: slots.origin, inPlace: false });
  const parts = { ...images, sidecars };
  const masters: Master[] = [];
  const found = new Map<string, Uint8Array>();
  const left = order.values();
  const client = async () => {
    for (const each of left) {
      const [name = "", region = "", size = "", rotation = "", file = ""] = each.split("/");
      const master = await openMaster(images.sources, name);
      masters.push(master);
      const request = parseImageRequest(3, { region, size, rotation, file } as never, writtenFormats);
      found.set(each, (await render(parts, master, await prepare(parts, master, request), never)).bytes);
    }
  };
  await Promise.all([client(), client(), client()]);
  await sidecars.idle();
  for (const { image } of masters) await image.close();
  await service.close();
  return found;
}

test("responses are the same bytes in any order, with any slot, with none, and after a restart", async () => {
  const backwards = [...requests].reverse();
  const onDisk = `{ backend: filesystem, path: ${JSON.stringify(join(folder, "slot"))}, ttl: 0s }`;
  const first = await answers("{ backend: heap, max_bytes: 64MiB, ttl: 0s }", requests);
  const rest = {
    "heap, backwards": await answers("{ backend: heap, max_bytes: 64MiB, ttl: 0s }", backwards),
    "none, backwards": await answers("{ backend: none }", backwards),
    filesystem: await answers(onDisk, backwards),
    "filesystem, filled before": await answers(onDisk, requests),
  };
  for (const [place, found] of Object.entries(rest))
    expect(
      requests.filter(
        (request) => !Buffer.from(found.get(request) ?? []).equals(first.get(request) as Uint8Array),
      ),
      place,
    ).toEqual([]);
});
