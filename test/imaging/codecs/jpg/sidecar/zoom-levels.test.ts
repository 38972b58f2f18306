// The levels at 1/4 and 1/2 of a JPEG: derivatives of these sizes are read from their tiles, and their bytes
// are those made from the file.

import { describe, expect, test } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { concatenate } from "../../../../../src/base/bytes/concatenate.ts";
import type { SidecarAccess } from "../../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader } from "../../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import type { ReadRequest, RenderPlan } from "../../../../../src/imaging/codecs/plan.ts";
import type { Step } from "../../../../../src/imaging/pipeline/step.ts";
import { readEntry } from "../../../../../src/imaging/sidecar/entry.ts";
import { grain } from "../../../../grain.ts";
import { testHost } from "../../../../host.ts";
import { countingBytes } from "../../counting.ts";
import { type HeapBlocks, heapBlocks } from "../../heap-blocks.ts";
import { transformOf } from "../transform-of.ts";

const width = 1187;
const height = 811;
const picture = grain(width, height, 40);
const kinds = {
  "4:2:0": picture.clone().jpeg({ quality: 92 }),
  "4:4:4": picture.clone().jpeg({ quality: 92, chromaSubsampling: "4:4:4" }),
  gray: picture.clone().grayscale().jpeg({ quality: 92 }),
  progressive: picture.clone().jpeg({ quality: 92, progressive: true }),
};
const files = new Map<string, Uint8Array>();
for (const [name, image] of Object.entries(kinds)) files.set(name, new Uint8Array(await image.toBuffer()));

type Level = "level4" | "level2";
const levels: readonly Level[] = ["level4", "level2"];
/** Samples at full size for each one of the level. */
const areaOf = { level4: 16, level2: 4 } as const;

const fresh = () => createCodecs(testHost);
const blank = async () => new Uint8Array();
const sidecarOf = (codecs = fresh()) => codecs.decoder("jpg").sidecar!;

interface Layer {
  readonly entry: Uint8Array;
  readonly blocks: HeapBlocks;
}

/** Builds a level as the service does: on the layer `ground`. */
async function built(file: Uint8Array, level: Level, room?: number) {
  const codecs = fresh();
  const bytes = memoryBytes(file);
  const header = await codecs.decoder("jpg").probe(bytes, 1);
  const master = { header, page: 1 };
  const ground: Layer = { entry: new Uint8Array(), blocks: heapBlocks() };
  const making = { id: "made", blocks: ground.blocks, load: blank };
  const whole = { ...ground, entry: await sidecarOf(codecs).build(bytes, master, making) };
  const blocks = heapBlocks(room);
  const access: SidecarAccess = {
    id: "made",
    blocks: whole.blocks,
    load: async () => whole.entry,
    faster: { id: `${level} made`, blocks, load: blank },
  };
  const entry = await sidecarOf(codecs).build(bytes, master, access, level);
  return { header, ground: whole, stored: { entry, blocks } };
}

/** Access to a layer and a level, and the losses that reads reported of each. */
function accessTo(ground: Layer, stored: Layer) {
  const losses = { ground: 0, faster: 0 };
  const access: SidecarAccess = {
    id: "stored",
    blocks: ground.blocks,
    load: async () => ground.entry,
    reportLoss: () => void losses.ground++,
    faster: {
      id: "level stored",
      blocks: stored.blocks,
      load: async () => stored.entry,
      reportLoss: () => void losses.faster++,
    },
  };
  return { access, losses };
}

interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A plan for a part of the image at the scale of a level; `x` and so on count full-size pixels. */
function plan(
  header: ImageHeader,
  level: Level,
  region: Part,
  { chroma = "420", gray = false }: { readonly chroma?: "420" | "444"; readonly gray?: boolean } = {},
): RenderPlan {
  const half = (side: number) => ({ size: Math.ceil(side / 2), origin: 0, scale: 2 });
  const steps: Step[] = [
    ...(level === "level2" ? [{ op: "resize", x: half(region.width), y: half(region.height) } as const] : []),
    ...(gray ? [{ op: "gray" } as const] : []),
  ];
  const scaleFactor = level === "level2" ? 1 : 4;
  const read: ReadRequest = {
    header,
    page: 1,
    region,
    scaleFactor,
    ...(chroma === "420" && { halvesColour: true }),
    ...(level === "level2" && { halvesSize: true }),
  };
  return {
    read,
    transform: transformOf({ header, region, scaleFactor }, steps),
    steps,
    write: { format: "jpg", quality: 90, progressive: false, chroma, encoder: "fast", passthrough: "off" },
    memory: 0,
  };
}

async function derive(bytes: ByteSource, given: RenderPlan, access?: SidecarAccess, codecs = fresh()) {
  const made = await codecs.decoder("jpg").derive?.(bytes, given, access, codecs.kernels);
  return made && concatenate(made.pieces);
}

/** Parts whose halved colour is on the grid of both levels: multiples of eight pixels. */
const onGrid: readonly Part[] = [
  { x: 0, y: 0, width: 512, height: 512 },
  { x: 512, y: 296, width: 512, height: 511 },
  { x: 1024, y: 512, width: 163, height: 299 },
  { x: 40, y: 136, width: 700, height: 64 },
  { x: 0, y: 0, width, height },
];

describe.each(levels)("derivatives from %s", (level) => {
  test.each([...files.keys()])("of %s have the bytes of those from the file", async (name) => {
    const file = files.get(name)!;
    const { header, ground, stored } = await built(file, level);
    const tiles = readEntry(stored.entry)?.get(level)?.blocks.size ?? 0;
    const colour = level === "level4" && name === "4:4:4" ? 3 : 1.5;
    const samples = (width * height * (header.bands === 1 ? 1 : colour)) / areaOf[level];
    expect(tiles).toBeGreaterThan(samples / 4);
    expect(tiles).toBeLessThan(1.05 * samples);
    for (const region of onGrid) {
      const bytes = countingBytes(file);
      const given = plan(header, level, region);
      expect(sidecarOf().use(given.read, file.length, 2 ** 30)?.faster).toBe(level);
      const { access, losses } = accessTo(ground, stored);
      ground.blocks.loads.length = 0;
      expect(await derive(bytes, given, access)).toEqual(await derive(memoryBytes(file), given));
      // The header of a sequential file or of a transcode, and no coded bytes.
      expect(bytes.total()).toBeLessThan(70_000);
      expect(bytes.total()).toBeLessThan(file.length / 3);
      expect(ground.blocks.loads.filter((block) => block > 0)).toEqual([]);
      expect(losses).toEqual({ ground: 0, faster: 0 });
    }
  });

  test("off the grid, with whole colour or in gray have the same bytes as well", async () => {
    const file = files.get("4:2:0")!;
    const { header, ground, stored } = await built(file, level);
    const part = { x: 256, y: 128, width: 256, height: 256 };
    const off = level === "level2" ? [257, 130] : [260, 132];
    for (const given of [
      plan(header, level, { ...part, x: off[0]! }),
      plan(header, level, { ...part, y: off[1]! }),
      plan(header, level, part, { chroma: "444" }),
      plan(header, level, part, { gray: true }),
    ]) {
      const { access } = accessTo(ground, stored);
      expect(await derive(memoryBytes(file), given, access)).toEqual(await derive(memoryBytes(file), given));
    }
  });

  test("cost nothing but a report on that level if a block is lost or changed, until it is back", async () => {
    const file = files.get("4:2:0")!;
    const { header, ground, stored } = await built(file, level);
    const { first } = readEntry(stored.entry)!.get(level)!.blocks;
    const sound = stored.blocks.all.get(first)!;
    const whole = plan(header, level, onGrid[0]!);
    const right = await derive(memoryBytes(file), whole);
    for (const block of [undefined, sound.with(1000, sound[1000]! ^ 1), sound.subarray(0, -1)]) {
      const { access, losses } = accessTo(ground, stored);
      const codecs = fresh();
      if (block) stored.blocks.all.set(first, block as Uint8Array);
      else stored.blocks.all.delete(first);
      expect(await derive(memoryBytes(file), whole, access, codecs)).toEqual(right);
      expect(losses).toEqual({ ground: 0, faster: 1 });
      stored.blocks.all.set(first, sound);
      const bytes = countingBytes(file);
      expect(await derive(bytes, whole, access, codecs)).toEqual(right);
      expect([bytes.total(), losses.faster]).toEqual([0, 1]);
    }
  });

  test("come from the file if the entry is damaged or another file's, which is reported on the level", async () => {
    const file = files.get("4:2:0")!;
    const { header, ground, stored } = await built(file, level);
    const small = new Uint8Array(
      await picture
        .clone()
        .extract({ left: 0, top: 0, width: 600, height: 700 })
        .jpeg({ quality: 92 })
        .toBuffer(),
    );
    const other = (await built(small, level)).stored;
    const given = plan(header, level, onGrid[0]!);
    const right = await derive(memoryBytes(file), given);
    const { entry, blocks } = stored;
    const changed = entry.with(entry.length - 1, entry.at(-1)! ^ 1) as Uint8Array;
    for (const unfit of [other, { entry: changed, blocks }, { entry: new Uint8Array(), blocks }]) {
      const { access, losses } = accessTo(ground, unfit);
      expect(await derive(memoryBytes(file), given, access)).toEqual(right);
      expect(losses).toEqual({ ground: 0, faster: 1 });
    }
  });

  test("come from the file while the level is absent, which is not reported", async () => {
    const file = files.get("4:2:0")!;
    const { header, ground, stored } = await built(file, level);
    const { access, losses } = accessTo(ground, stored);
    const without = { ...access, faster: { ...access.faster!, absent: true } };
    const given = plan(header, level, onGrid[0]!);
    const codecs = fresh();
    const right = await derive(memoryBytes(file), given);
    expect(await derive(memoryBytes(file), given, without, codecs)).toEqual(right);
    expect(losses).toEqual({ ground: 0, faster: 0 });
    // An open file uses the level once it is built.
    const bytes = countingBytes(file);
    expect(await derive(bytes, given, access, codecs)).toEqual(right);
    expect(bytes.total()).toBe(0);
  });

  test("have no level if there is no room for it", async () => {
    const file = files.get("4:2:0")!;
    await expect(built(file, level, 1000)).rejects.toMatchObject({ kind: "unsupported" });
    const header = await fresh().decoder("jpg").probe(memoryBytes(file), 1);
    const samples = (width * height * 1.5) / areaOf[level];
    const { use, layers } = sidecarOf();
    expect(layers(header, file.length, samples / 2)).not.toContain(level);
    expect(layers(header, file.length, 4 * samples)).toContain(level);
    expect(use(plan(header, level, onGrid[0]!).read, file.length, samples / 2)?.faster).toBeUndefined();
  });
});

test("pixels at 1/4 come from the level as well", async () => {
  for (const file of files.values()) {
    const { header, ground, stored } = await built(file, "level4");
    const { read } = plan(header, "level4", { x: 64, y: 32, width: 310, height: 203 });
    const bytes = countingBytes(file);
    const { access } = accessTo(ground, stored);
    const made = await fresh().decoder("jpg").decode(bytes, read, access);
    expect(made).toEqual(await fresh().decoder("jpg").decode(memoryBytes(file), read));
    expect(bytes.total()).toBeLessThan(70_000);
  }
});

test("an open file uses both levels", async () => {
  const file = files.get("4:2:0")!;
  const codecs = fresh();
  for (const level of levels) {
    const { header, ground, stored } = await built(file, level);
    const { access } = accessTo(ground, stored);
    const faster = { ...access.faster!, id: level };
    for (const region of onGrid) {
      const given = plan(header, level, region);
      const bytes = countingBytes(file);
      const made = await derive(bytes, given, { ...access, faster }, codecs);
      expect(made).toEqual(await derive(memoryBytes(file), given));
      expect(bytes.total()).toBeLessThan(70_000);
    }
  }
});

test("files of few bytes, and of colour that derivatives are not made from, have no such levels", async () => {
  const few = await picture.clone().blur(5).jpeg({ quality: 20 }).toBuffer();
  const cmyk = await picture.clone().toColourspace("cmyk").jpeg({ quality: 92 }).toBuffer();
  const { layers } = sidecarOf();
  const small = new Uint8Array(few);
  const header = await fresh().decoder("jpg").probe(memoryBytes(small), 1);
  expect(layers(header, small.length, Number.POSITIVE_INFINITY)).toEqual(["ground"]);
  for (const level of levels) {
    const { stored } = await built(new Uint8Array(cmyk), level);
    expect([stored.entry.length, stored.blocks.all.size]).toEqual([0, 0]);
  }
});

test("files that end early have no such levels", async () => {
  const file = files.get("4:2:0")!.subarray(0, 100_000);
  const codecs = fresh();
  const header = await codecs.decoder("jpg").probe(memoryBytes(file), 1);
  for (const level of levels) {
    const blocks = heapBlocks();
    const faster = { id: level, blocks, load: blank };
    const access = { id: "ends early", absent: true, load: blank, faster };
    const master = { header, page: 1 };
    expect(await sidecarOf(codecs).build(memoryBytes(file), master, access, level)).toHaveLength(0);
    expect(blocks.all.size).toBe(0);
  }
});

test("a picture of any size may have them, built with a row of their tiles in memory", async () => {
  const found = await fresh()
    .decoder("jpg")
    .probe(memoryBytes(files.get("4:2:0")!), 1);
  const { layers, memory } = sidecarOf();
  const fileSize = 2 ** 31;
  // At 1/4, the level of the last one takes 333 MiB.
  for (const [width, height] of [
    [24_000, 16_800],
    [60_000, 62_000],
  ] as const) {
    const header = { ...found, width, height };
    expect(layers(header, fileSize, Number.POSITIVE_INFINITY)).toEqual(["ground", ...levels]);
    for (const level of levels) {
      expect(memory(header, fileSize, level)).toBeLessThan(32 * 2 ** 20 + 2000 * width);
      expect(memory({ ...header, height: 2 * height }, fileSize, level)).toBe(
        memory(header, fileSize, level),
      );
    }
  }
});
