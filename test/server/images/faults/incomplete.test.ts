// A master that ended early, is damaged, or changes while it is read: the response shows its sound part, and
// nothing caches it.

import { mkdtemp, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FileSystem } from "../../../../src/base/platform.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { readCounts } from "../../../counts.ts";
import { grain } from "../../../grain.ts";
import { fixturesFolder } from "../../../host.ts";
import { plainFields, tiffFile } from "../../../imaging/codecs/tif/tiff-file.ts";
import { type Served, served } from "../../../served.ts";

let folder: string;
const configuration = () => `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: heap, max_bytes: 64MiB }, origin: { backend: heap, max_bytes: 64MiB } }`;

/** 40 rows of 600 white pixels each in one strip of group 4: a row like the one above is a single bit. */
const group4 = (rows: number) =>
  tiffFile([
    {
      fields: plainFields(600, 40, 1, 1, 0, [259, 3, 4]),
      blocks: [new Uint8Array(Math.ceil(rows / 8)).fill(0xff)],
    },
  ]);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-incomplete-"));
  const picture = grain(900, 700, 40);
  const baseline = await picture.clone().jpeg({ quality: 85 }).toBuffer();
  const progressive = await picture.clone().jpeg({ quality: 85, progressive: true }).toBuffer();
  const changed = new Uint8Array(baseline);
  // a marker that no scan has, in the middle of the codes
  changed.set([0xff, 0xc9], Math.floor(baseline.length / 2));
  const files: Readonly<Record<string, Uint8Array>> = {
    "whole.jpg": baseline,
    "whole-progressive.jpg": progressive,
    "whole.tif": group4(40),
    "half.jpg": baseline.subarray(0, baseline.length / 2),
    "half-progressive.jpg": progressive.subarray(0, progressive.length / 2),
    "changed.jpg": changed,
    "half.tif": group4(16),
    "moving.jpg": baseline,
  };
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes);
  const fixture = (name: string) => readFile(join(fixturesFolder, name));
  // its profile comes after its pixels
  const profiled = await fixture("tif-cmyk-icc-lzw.tif");
  await writeFile(join(folder, "no-profile.tif"), profiled.subarray(0, profiled.length - 30));
  // its smallest level is at its end
  const pyramid = await fixture("tif-pyramid-subifd.tif");
  await writeFile(join(folder, "no-level.tif"), pyramid.subarray(0, pyramid.length * 0.95));
  const filled = (bytes: Uint8Array, part: number) => {
    const out = new Uint8Array(bytes.length);
    out.set(bytes.subarray(0, bytes.length * part));
    return out;
  };
  await writeFile(join(folder, "filled.jpg"), filled(baseline, 0.7));
  await writeFile(join(folder, "filled-progressive.jpg"), filled(progressive, 0.7));
  await writeFile(join(folder, "filled.webp"), filled(await picture.clone().webp().toBuffer(), 0.7));
  await writeFile(join(folder, "padded.jpg"), Buffer.concat([baseline, new Uint8Array(200_000)]));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const targets = ["full/max/0/default.jpg", "full/max/0/default.png", "full/60,/0/default.jpg"];

/** Returns the caching headers of a response. */
async function answer({ get, service }: Served, target: string) {
  const response = await get(`/iiif/3/${target}`);
  const bytes = Buffer.from(await response.arrayBuffer());
  await Promise.all(service.slots.all.map((slot) => slot.whenSettled()));
  const { headers, status } = response;
  return {
    status,
    bytes,
    caching: headers.get("cache-control"),
    validators: [headers.get("etag"), headers.get("last-modified")],
    origin: headers.get("cache-status"),
  };
}

describe.each([
  "half.jpg",
  "half-progressive.jpg",
  "changed.jpg",
  "half.tif",
  "no-profile.tif",
  "no-level.tif",
])("%s", (name) => {
  test.each(targets)("at %s is shown, without validators, and not cached", async (parameters) => {
    const app = await served(configuration());
    const first = await answer(app, `${name}/${parameters}`);
    expect(first).toMatchObject({ status: 200, caching: "no-cache", validators: [null, null] });
    expect((await sharp(first.bytes).metadata()).width).toBeGreaterThan(0);
    const second = await answer(app, `${name}/${parameters}`);
    expect(second).toMatchObject({ caching: "no-cache", origin: "smalti; fwd=miss" });
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(readCounts(app.service.slots.origin.counts).writes).toBe(0);
    expect(readCounts(app.service.slots.render.counts).writes).toBe(0);
    await app.service.close();
  });
});

// A copy that sets the length of its file first fills it from the front.
describe.each(["filled.jpg", "filled-progressive.jpg", "filled.webp"])("%s", (name) => {
  test.each(targets)("at %s is not cached while it ends in zeros", async (parameters) => {
    const app = await served(configuration());
    expect(await answer(app, `${name}/${parameters}`)).toMatchObject({
      caching: "no-cache",
      validators: [null, null],
    });
    expect(readCounts(app.service.slots.render.counts).writes).toBe(0);
    await app.service.close();
  });
});

test.each(["whole.jpg", "whole-progressive.jpg", "whole.tif", "padded.jpg"])("%s is cached", async (name) => {
  const app = await served(configuration());
  for (const parameters of targets) {
    const first = await answer(app, `${name}/${parameters}`);
    expect(first).toMatchObject({ status: 200, caching: expect.stringMatching(/max-age=[1-9]/) });
    expect(first.validators[0]).toMatch(/^"/);
    expect(await answer(app, `${name}/${parameters}`)).toMatchObject({ origin: "smalti; hit" });
  }
  await app.service.close();
});

test("concurrent callers get the same outcome", async () => {
  const app = await served(configuration());
  const all = await Promise.all([1, 2, 3].map(() => answer(app, "half.jpg/full/max/0/default.jpg")));
  for (const each of all) expect(each).toMatchObject({ caching: "no-cache", validators: [null, null] });
  await app.service.close();
});

test("a file that is written to while it is read is sent and not cached", async () => {
  const { openPlain: _, ...files } = nodeFiles();
  const path = join(folder, "moving.jpg");
  let moves = true;
  const moving: FileSystem = {
    ...files,
    async open(opened) {
      const file = await files.open(opened);
      return {
        ...file,
        async read(offset, length) {
          const part = await file.read(offset, length);
          // a copy sets the time when it is done
          if (moves && offset > 0) await utimes(path, 1e9, 1e9 + offset);
          return part;
        },
      };
    },
  };
  const app = await served(configuration(), {}, { files: moving });
  const target = "moving.jpg/full/max/0/default.png";
  expect(await answer(app, target)).toMatchObject({ status: 200, caching: "no-cache" });
  moves = false;
  const still = await answer(app, target);
  expect(still).toMatchObject({
    caching: expect.stringMatching(/max-age=[1-9]/),
    origin: "smalti; fwd=miss",
  });
  const { data } = await sharp(path).raw().toBuffer({ resolveWithObject: true });
  expect((await sharp(still.bytes).raw().toBuffer()).equals(data)).toBe(true);
  await app.service.close();
});

test("a damaged file that is replaced while it is read is served from the new one", async () => {
  const { openPlain: _, ...files } = nodeFiles();
  const path = join(folder, "arriving.jpg");
  await writeFile(path, "not yet a picture");
  let opens = 0;
  const replaced: FileSystem = {
    ...files,
    async open(wanted) {
      const file = await files.open(wanted);
      if (opens++ === 0) {
        await writeFile(`${path}.new`, await readFile(join(folder, "whole.jpg")));
        await rename(`${path}.new`, path);
      }
      return file;
    },
  };
  const app = await served(configuration(), {}, { files: replaced });
  const arrived = await answer(app, "arriving.jpg/full/60,/0/default.jpg");
  expect(arrived).toMatchObject({ status: 200, caching: expect.stringMatching(/max-age=[1-9]/) });
  const whole = await answer(app, "whole.jpg/full/60,/0/default.jpg");
  expect(arrived.bytes.equals(whole.bytes)).toBe(true);
  await app.service.close();
});
