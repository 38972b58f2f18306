// Bytes and statuses never depend on the origin slot: fixtures in a mix of requests, under various slot
// conditions and during a change, compared with the responses without a slot. SLOT_REQUESTS: number of
// requests under each condition.
// @module-tag slow

import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ServiceError } from "../../../../src/base/errors.ts";
import { parseImageRequest } from "../../../../src/iiif/image/grammar.ts";
import { writtenFormats } from "../../../../src/imaging/codecs/formats.ts";
import { type Master, openMaster } from "../../../../src/server/images/describe.ts";
import { prepare, render } from "../../../../src/server/images/render.ts";
import { createSidecars } from "../../../../src/server/images/sidecar/sidecars.ts";
import { grain } from "../../../grain.ts";
import { fixture, fixturesFolder } from "../../../host.ts";
import { everything, sampled, seedOf } from "../../../sampled.ts";
import { served } from "../../../served.ts";
import { type Condition, conditions } from "./slot-conditions.ts";

const requestsEach = Number(process.env.SLOT_REQUESTS ?? (everything ? 18 : 12));
const never = new AbortController().signal;

/** Pictures that take seconds each have tests of their own. */
const isSlow = (name: string) => /^(bomb|bad-dims)/.test(name);
const fixtures = readdirSync(fixturesFolder).filter(
  (name) => /\.(jpg|png|tif|webp|gif|jp2|j2k|j2c|jph|jhc)$/.test(name) && !isSlow(name),
);

let folder: string;
let names: readonly string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-conditions-"));
  const base = sharp(fixture("base.png")).removeAlpha().resize(1000, 700, { fit: "fill" });
  const large = await grain(1400, 900, 50).jpeg({ quality: 90, progressive: true }).toBuffer();
  const own: Readonly<Record<string, Buffer>> = {
    "own-baseline.jpg": await base.clone().jpeg({ quality: 85 }).toBuffer(),
    "own-444.jpg": await base.clone().jpeg({ quality: 90, chromaSubsampling: "4:4:4" }).toBuffer(),
    "own-progressive.jpg": await base.clone().jpeg({ quality: 85, progressive: true }).toBuffer(),
    "own-large.jpg": large,
    "own-cut.jpg": large.subarray(0, large.length * 0.6),
    "own-gray.jpg": await base.clone().grayscale().jpeg({ progressive: true }).toBuffer(),
  };
  for (const [name, bytes] of Object.entries(own)) await writeFile(join(folder, name), bytes);
  for (const name of fixtures) await copyFile(join(fixturesFolder, name), join(folder, name));
  names = [...Object.keys(own), ...fixtures];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = seeded(seedOf("requests over origin slots"));
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const upTo = (most: number) => Math.floor(random() * most);
let turn = upTo(fixtures.length);

/** Returns a request: every other one for our own files, otherwise for the rest of the fixtures in turn. */
function request(): string {
  const own = names.filter((name) => name.startsWith("own-"));
  const name = turn % 2 ? pick(own) : (names[own.length + ((turn / 2) % fixtures.length)] as string);
  turn++;
  const region = pick([
    () => "full",
    () => "square",
    () => `${upTo(500)},${upTo(300)},${1 + upTo(400)},${1 + upTo(400)}`,
    () => `pct:${upTo(60)},${upTo(60)},${10 + upTo(30)},${10 + upTo(30)}`,
  ])();
  const size = pick(["max", "max", "250,", "125,", "60,", ",90", "pct:50", "pct:25", "pct:12.5"]);
  const rotation = pick(["0", "0", "0", "90", "!0"]);
  const file = `${pick(["default", "default", "gray"])}.${pick(["jpg", "jpg", "png", "webp"])}`;
  return [name, region, size, rotation, file].join("/");
}

/**
 * Sends requests over a slot, a few at a time; returns status and digest of the bytes. The change happens
 * after half of them. `inPlace`: sidecars are made as without workers.
 */
async function outcomes(
  condition: Condition,
  order: readonly string[],
  inPlace = false,
): Promise<ReadonlyMap<string, string>> {
  const { service } = await served(
    `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: none }, info: { backend: none }, origin: ${condition.origin} }`,
    condition.env,
    { files: condition.files },
  );
  const { images, slots } = service;
  const sidecars = createSidecars({ ...images, origin: slots.origin, inPlace });
  const parts = { ...images, sidecars };
  const masters: Master[] = [];
  const outcome = async (each: string): Promise<string> => {
    const [name = "", region = "", size = "", rotation = "", file = ""] = each.split("/");
    try {
      const master = await openMaster(images.sources, name);
      masters.push(master);
      const parsed = parseImageRequest(3, { region, size, rotation, file } as never, writtenFormats);
      const { bytes } = await render(parts, master, await prepare(parts, master, parsed), never);
      return createHash("sha256").update(bytes).digest("hex");
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return `${error.kind} ${error.code} ${error.message}`;
    }
  };
  const found = new Map<string, string>();
  const left = order.values();
  let begun = 0;
  const client = async () => {
    for (const each of left) {
      if (++begun === Math.ceil(order.length / 2)) await condition.change?.();
      found.set(each, await outcome(each));
    }
  };
  await Promise.all([client(), client(), client()]);
  // once more, after the entries were changed again, with the memory cleared
  sidecars.purge();
  await condition.change?.();
  for (const each of order.slice(0, 3))
    if ((await outcome(each)) !== found.get(each)) found.set(each, "differs the second time");
  await sidecars.idle();
  for (const { image } of masters) await image.close();
  await service.close();
  await condition.close?.();
  return found;
}

/** Every run meets these. */
const always = ["a disk that fills up", "files of 200 KiB"];
const others = Object.keys(conditions).filter((name) => !always.includes(name));

test.each([...always, ...sampled("conditions of an origin slot", others, 4)])(
  "responses over an origin slot that is %s equal those without one",
  async (name) => {
    const order = Array.from({ length: requestsEach }, request);
    const expected = await outcomes({ origin: "{ backend: none }" }, order, true);
    expect([...expected.values()].some((each) => /^[0-9a-f]{64}$/.test(each))).toBe(true);
    const found = await outcomes(await conditions[name]!(), [...order].reverse());
    const differing = order.filter((each) => found.get(each) !== expected.get(each));
    expect(differing.map((each) => [each, found.get(each), expected.get(each)])).toEqual([]);
  },
);
