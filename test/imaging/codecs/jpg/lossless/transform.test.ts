// Cuts in other orientations: the same coefficients as jpegtran turns them, by another program's decoder.
// @module-tag slow

import sharp, { type Sharp } from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { concatenate } from "../../../../../src/base/bytes/concatenate.ts";
import type { Rectangle } from "../../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { backwardsOf, createTransformer } from "../../../../../src/imaging/codecs/jpg/lossless/transform.ts";
import { orientationOf } from "../../../../../src/imaging/pipeline/orientation.ts";
import type { Step } from "../../../../../src/imaging/pipeline/step.ts";
import { grain } from "../../../../grain.ts";
import { fixture, testHost } from "../../../../host.ts";
import { filtered } from "../../../../kept.ts";
import { everything, sampled, seedOf } from "../../../../sampled.ts";
import { seeded } from "../../../../seeded.ts";
import { ownModule } from "../../../../wasm/own-modules.ts";
import { heapBlocks } from "../../heap-blocks.ts";
import { mutate } from "../mutate.ts";
import { openIndexed } from "../open.ts";
import { type Segment, takeApart, withSegments } from "../segments.ts";
import { transformOf } from "../transform-of.ts";

const fresh = () => createCodecs(testHost).decoder("jpg");
const kept = fresh();

/** Operations of jpegtran for an orientation. */
const transforms: Readonly<Record<number, readonly string[]>> = {
  2: ["-flip", "horizontal"],
  3: ["-rotate", "180"],
  4: ["-flip", "vertical"],
  5: ["-transpose"],
  6: ["-rotate", "90"],
  7: ["-transverse"],
  8: ["-rotate", "270"],
};

/**
 * Runs a program of libjpeg over a file. It ends with 2 if it warns of damage, which it does for an invalid
 * code near the end of the data only.
 */
function run(program: string, options: readonly string[], jpeg: Uint8Array): Uint8Array {
  const made = filtered(program, options, jpeg, { statuses: [0, 2] });
  if (!made) throw new Error(`${program} ${options.join(" ")} fails`);
  return made;
}

const pixels = (jpeg: Uint8Array) => run("djpeg", ["-dct", "int"], jpeg);

const isAc = ({ code, body }: Segment) => code === 0xc4 && body[0]! >> 4 === 1;

const acTables = (jpeg: Uint8Array) =>
  takeApart(jpeg)
    .segments.filter(isAc)
    .map(({ body }) => Buffer.from(body).toString("hex"));

let ids = 0;
/** Returns the part that a plan crops from a file; undefined if it is made from pixels instead. */
async function cut(
  jpeg: Uint8Array,
  region: Rectangle,
  steps: readonly Step[],
  { quality = 90, codec = kept } = {},
) {
  const bytes = memoryBytes(jpeg);
  const header = await codec.probe(bytes, 1);
  const made = { id: `turned-${++ids}`, blocks: heapBlocks(), load: async () => index };
  const index: Uint8Array =
    (await codec.sidecar?.build(bytes, { header, page: 1 }, made)) ?? new Uint8Array();
  const access = { ...made, id: `${made.id} stored` };
  const answers: (Uint8Array | undefined)[] = [];
  for (const passthrough of ["auto", "off"] as const) {
    const plan = {
      read: { header, page: 1, region, scaleFactor: 1 },
      transform: transformOf({ header, region, scaleFactor: 1 }, steps),
      steps,
      write: { format: "jpg", quality, progressive: false, chroma: "420", encoder: "fast", passthrough },
      memory: 0,
    } as const;
    const made = await codec.derive?.(bytes, plan, access, createCodecs(testHost).kernels);
    answers.push(made && concatenate(made.pieces));
  }
  const [auto, off] = answers;
  return auto && off && Buffer.compare(auto, off) !== 0 ? auto : undefined;
}

const base = (width: number, height: number) =>
  sharp(fixture("base.png")).removeAlpha().resize(width, height, { fit: "fill" });

const made = async (image: Sharp) => new Uint8Array(await image.toBuffer());

const kinds: Readonly<Record<string, (width: number, height: number) => Promise<Uint8Array>>> = {
  "4:2:0": (w, h) => made(base(w, h).jpeg({ quality: 88, optimiseCoding: false })),
  "4:4:4": (w, h) => made(base(w, h).jpeg({ quality: 88, chromaSubsampling: "4:4:4" })),
  "tables of its own": (w, h) => made(base(w, h).jpeg({ quality: 85, optimiseCoding: true })),
  "4:2:2": async (w, h) => run("cjpeg", ["-quality", "88", "-sample", "2x1"], await ppm(w, h)),
  "4:1:1 with restarts": async (w, h) =>
    run("cjpeg", ["-quality", "80", "-sample", "4x1", "-restart", "3B"], await ppm(w, h)),
  gray: (w, h) => made(base(w, h).toColourspace("b-w").jpeg({ quality: 88 })),
  progressive: (w, h) => made(base(w, h).jpeg({ quality: 88, progressive: true })),
  "values of every size": (w, h) => made(grain(w, h, 120).jpeg({ quality: 100, chromaSubsampling: "4:4:4" })),
};

async function ppm(width: number, height: number): Promise<Uint8Array> {
  const data = await base(width, height).raw().toBuffer();
  return new Uint8Array(Buffer.concat([Buffer.from(`P6\n${width} ${height}\n255\n`), data]));
}

const orientations = Object.keys(transforms).map(Number);

describe.each(Object.keys(kinds))("a cut of %s", (kind) => {
  test("is turned as by jpegtran", async () => {
    const jpeg = await kinds[kind]!(640, 480);
    const region = { x: 64, y: 96, width: 320, height: 288 };
    const quality = kind === "values of every size" ? 100 : 90;
    const straight = run("jpegtran", ["-crop", "320x288+64+96"], jpeg);
    for (const orientation of sampled(`orientations of ${kind}`, orientations, 3)) {
      const turned = await cut(jpeg, region, [{ op: "orient", orientation }], { quality });
      if (!turned) expect.fail(`orientation ${orientation} was not cut`);
      const expected = run("jpegtran", transforms[orientation]!, straight);
      expect(Buffer.compare(pixels(turned), pixels(expected)), `orientation ${orientation}`).toBe(0);
    }
  });

  test("is turned with the part of an MCU at the picture's edges", async () => {
    const jpeg = await kinds[kind]!(603, 397);
    const region = { x: 352, y: 240, width: 251, height: 157 };
    const straight = run("jpegtran", ["-crop", "251x157+352+240"], jpeg);
    const turned = await cut(jpeg, region, [{ op: "orient", orientation: 5 }], { quality: 100 });
    if (!turned) expect.fail("was not cut");
    expect(Buffer.compare(pixels(turned), pixels(run("jpegtran", ["-transpose"], straight)))).toBe(0);
  });
});

describe("a crop in another orientation", () => {
  test("is small with optimised tables if it is small", async () => {
    const jpeg = await kinds["4:2:0"]!(640, 480);
    const region = { x: 0, y: 0, width: 256, height: 256 };
    // nothing was turned before, so that there are no other tables yet
    const turned = await cut(jpeg, region, [{ op: "orient", orientation: 6 }], { codec: fresh() });
    if (!turned) expect.fail("was not cut");
    const best = run(
      "jpegtran",
      ["-optimize", "-rotate", "90"],
      run("jpegtran", ["-crop", "256x256+0+0"], jpeg),
    );
    expect(turned.length).toBeLessThan(1.02 * best.length);
    const expected = run("jpegtran", ["-crop", "256x256+0+0"], jpeg);
    expect(pixels(turned)).toEqual(pixels(run("jpegtran", ["-rotate", "90"], expected)));
  });

  test("is made for requested rotations, too", async () => {
    const jpeg = await kinds["4:2:0"]!(640, 480);
    const region = { x: 64, y: 96, width: 320, height: 288 };
    const turned = await cut(jpeg, region, [{ op: "mirror" }, { op: "rotate", degrees: 90 }]);
    if (!turned) expect.fail("was not cut");
    const straight = run("jpegtran", ["-crop", "320x288+64+96"], jpeg);
    expect(pixels(turned)).toEqual(pixels(run("jpegtran", transforms[7]!, straight)));
  });

  test("begins on the stored grid: otherwise pixels are encoded", async () => {
    // 472 rows are 29.5 rows of MCUs; the edge is the turned picture's left one in orientation 6, its right
    // one in 8
    const jpeg = await kinds["4:2:0"]!(640, 472);
    const atEdge = { x: 0, y: 320, width: 320, height: 152 };
    const from = async (orientation: number, region: Rectangle) =>
      (await cut(jpeg, region, [{ op: "orient", orientation }])) !== undefined;
    expect(await from(6, atEdge)).toBe(false);
    expect(await from(8, atEdge)).toBe(true);
    expect(await from(3, atEdge)).toBe(false);
    expect(await from(2, atEdge)).toBe(true);
    expect(await from(6, { x: 0, y: 312, width: 320, height: 152 })).toBe(false);
    expect(await from(6, { x: 0, y: 320, width: 320, height: 144 })).toBe(true);
  });

  test("is not used for gray of colours", async () => {
    const jpeg = await kinds["4:2:0"]!(640, 480);
    const region = { x: 64, y: 96, width: 320, height: 288 };
    expect(await cut(jpeg, region, [{ op: "orient", orientation: 6 }, { op: "gray" }])).toBeUndefined();
  });

  test("of damaged data has the coefficients that libjpeg reads, or is not made", async () => {
    const jpeg = await kinds["4:4:4"]!(320, 240);
    const start = Buffer.from(jpeg).indexOf(Uint8Array.of(0xff, 0xda));
    const random = seeded(seedOf("damaged data"));
    let taken = 0;
    for (let n = 0; n < (everything ? 40 : 12); n++) {
      const broken = jpeg.slice();
      for (let i = 0; i < 3; i++) broken[start + 14 + random(jpeg.length - start - 16)]! ^= 1 << random(8);
      const region = { x: 64, y: 64, width: 160, height: 128 };
      const straight = await cut(broken, region, []);
      const turned = await cut(broken, region, [{ op: "orient", orientation: 6 }], { codec: fresh() });
      if (!straight) expect(turned).toBeUndefined();
      if (!turned || !straight) continue;
      taken++;
      expect(pixels(turned)).toEqual(pixels(run("jpegtran", transforms[6]!, straight)));
    }
    expect(taken).toBeGreaterThan(0);
  });

  test("keeps AC codes if only signs change, with optimised tables too", async () => {
    const jpeg = await kinds["tables of its own"]!(640, 480);
    const region = { x: 64, y: 96, width: 320, height: 288 };
    const straight = await cut(jpeg, region, []);
    if (!straight) expect.fail("was not cut");
    expect(acTables(straight)).toHaveLength(2);
    for (const orientation of [2, 3, 4]) {
      const turned = await cut(jpeg, region, [{ op: "orient", orientation }]);
      if (!turned) expect.fail(`orientation ${orientation} was not cut`);
      expect(acTables(turned)).toEqual(acTables(straight));
    }
  });

  test("is coded with the file's tables if these have all codes", async () => {
    // the two longest runs of the largest values change their codes: no picture has them
    const jpeg = withSegments(await kinds["4:2:0"]!(640, 480), (segments) =>
      segments.map((segment) => {
        const { code, body } = segment;
        const others = [...body.subarray(0, -2), body.at(-1)!, body.at(-2)!];
        return isAc(segment) ? { code, body: Uint8Array.from(others) } : segment;
      }),
    );
    const region = { x: 64, y: 96, width: 320, height: 288 };
    const turned = await cut(jpeg, region, [{ op: "orient", orientation: 6 }]);
    if (!turned) expect.fail("was not cut");
    expect(acTables(turned)).toEqual(acTables(jpeg));
    const straight = run("jpegtran", ["-crop", "320x288+64+96"], jpeg);
    expect(pixels(turned)).toEqual(pixels(run("jpegtran", ["-rotate", "90"], straight)));
  });

  test.each(["4:2:0", "tables of its own", "gray"])(
    "of any bytes ends, and does no harm: %s",
    async (kind) => {
      const transformer = createTransformer(await ownModule("jpeg-turn"));
      const reader = await openIndexed(await kinds[kind]!(320, 240));
      const region = { x: 64, y: 64, width: 160, height: 128 };
      const random = seeded(seedOf(`any bytes of ${kind}`));
      const share = () => random(1 << 24) / (1 << 24);
      const sound = new Map<string, Uint8Array | undefined>();
      let refused = 0;
      const count = everything ? 600 : 105;
      for (let n = 0; n < count; n++) {
        const orientation = orientationOf(2 + (n % 7));
        const optimise = n % 3 === 0;
        const whole = (await reader.cropData(region, backwardsOf(orientation)))!;
        const data = [mutate(concatenate(whole.data), 0, share)];
        const components = whole.scan.components.map((component) =>
          n % 5 === 0 ? { ...component, ac: mutate(component.ac, 0, share) } : component,
        );
        const turned = transformer.transform(
          { ...whole, scan: { ...whole.scan, components }, data },
          orientation,
          optimise,
        );
        if (!turned) refused++;
        else expect([...turned.subarray(-2)]).toEqual([0xff, 0xd9]);

        const key = JSON.stringify([orientation, optimise]);
        const again = transformer.transform(whole, orientation, optimise);
        expect(again?.length).toBeGreaterThan(1000);
        const before = sound.get(key) ?? again!;
        expect(Buffer.compare(again!, before)).toBe(0);
        sound.set(key, before);
      }
      expect(refused).toBeGreaterThan(count / 6);
    },
  );
});
