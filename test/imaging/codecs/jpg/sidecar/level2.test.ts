// The level at 1/2 of a JPEG: derivatives of that size are read from its tiles, and their bytes are those
// made from the file.

import { expect, test } from "vitest";
import type { SidecarAccess } from "../../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader } from "../../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import type { RenderPlan } from "../../../../../src/imaging/codecs/plan.ts";
import { type ByteSource, memoryBytes } from "../../../../../src/imaging/lib/byte-source.ts";
import { concatenate } from "../../../../../src/imaging/lib/concatenate.ts";
import type { Step } from "../../../../../src/imaging/pipeline/step.ts";
import { readEntry } from "../../../../../src/imaging/sidecar/entry.ts";
import { grain } from "../../../../grain.ts";
import { testHost } from "../../../../host.ts";
import { countingBytes } from "../../counting.ts";
import { heapBlocks } from "../../heap-blocks.ts";
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

const fresh = () => createCodecs(testHost);

async function built(file: Uint8Array) {
  const codec = fresh().byFormat("jpg");
  const header = await codec.probe(memoryBytes(file), 1);
  const blocks = heapBlocks();
  const making = {
    id: "made",
    blocks,
    load: async () => new Uint8Array(),
    keepEntry: async () => {},
  };
  const entry = (await codec.sidecar?.build(memoryBytes(file), { header, page: 1 }, making)) as Uint8Array;
  let losses = 0;
  const access: SidecarAccess = {
    id: "stored",
    blocks,
    load: async () => entry,
    reportLoss: () => losses++,
  };
  return { header, entry, blocks, access, losses: () => losses };
}

interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A plan for a part of the image at 1/2; `x` and so on count full-size pixels. */
function plan(header: ImageHeader, region: Part, chroma: "420" | "444" = "420", gray = false): RenderPlan {
  const steps: Step[] = [
    {
      op: "resize",
      x: { size: Math.ceil(region.width / 2), origin: 0, scale: 2 },
      y: { size: Math.ceil(region.height / 2), origin: 0, scale: 2 },
    },
    ...(gray ? [{ op: "gray" } as const] : []),
  ];
  return {
    read: { header, page: 1, region, scaleFactor: 1 },
    transform: transformOf({ header, region, scaleFactor: 1 }, steps),
    steps,
    write: { format: "jpg", quality: 90, progressive: false, chroma, encoder: "fast", passthrough: "off" },
    memory: 0,
  };
}

async function derive(bytes: ByteSource, given: RenderPlan, access?: SidecarAccess) {
  const codecs = fresh();
  const made = await codecs.byFormat("jpg").derive?.(bytes, given, access, codecs.kernels);
  return made && concatenate(made.pieces);
}

/** Parts whose halved colour is on the grid of the level: multiples of four pixels. */
const onGrid: readonly Part[] = [
  { x: 0, y: 0, width: 512, height: 512 },
  { x: 512, y: 300, width: 512, height: 511 },
  { x: 1024, y: 512, width: 163, height: 299 },
  { x: 36, y: 132, width: 700, height: 64 },
  { x: 0, y: 0, width, height },
];

test.each([...files.keys()])(
  "derivatives at 1/2 of %s come from the level, with the same bytes",
  async (name) => {
    const file = files.get(name)!;
    const { header, entry, access } = await built(file);
    const tiles = readEntry(entry)?.get("level2")?.blocks.size ?? 0;
    const samples = (width * height * (header.bands === 1 ? 1 : 1.5)) / 4;
    expect(tiles).toBeGreaterThan(samples / 4);
    expect(tiles).toBeLessThan(samples);
    for (const region of onGrid) {
      const bytes = countingBytes(file);
      const given = plan(header, region);
      expect(await derive(bytes, given, access)).toEqual(await derive(memoryBytes(file), given));
      // the header of a sequential file, and no coded bytes
      expect(bytes.total()).toBeLessThan(70_000);
      expect(bytes.total()).toBeLessThan(file.length / 3);
    }
  },
);

test("derivatives off the grid, with whole colour or in gray have the same bytes as well", async () => {
  const file = files.get("4:2:0")!;
  const { header, access } = await built(file);
  const part = { x: 256, y: 128, width: 256, height: 256 };
  for (const given of [
    plan(header, { ...part, x: 257 }),
    plan(header, { ...part, y: 130 }),
    plan(header, part, "444"),
    plan(header, part, "420", true),
  ])
    expect(await derive(memoryBytes(file), given, access)).toEqual(await derive(memoryBytes(file), given));
});

test("a lost or changed block of tiles costs nothing but a report", async () => {
  const file = files.get("4:2:0")!;
  const given = async (change: (block: Uint8Array) => Uint8Array | undefined) => {
    const { header, entry, blocks, access, losses } = await built(file);
    const { first } = readEntry(entry)!.get("level2")!.blocks;
    const changed = change(blocks.all.get(first)!);
    if (changed) blocks.all.set(first, changed);
    else blocks.all.delete(first);
    const whole = plan(header, onGrid[0]!);
    expect(await derive(memoryBytes(file), whole, access)).toEqual(await derive(memoryBytes(file), whole));
    return losses();
  };
  expect(await given(() => undefined)).toBe(1);
  expect(await given((block) => block.with(1000, block[1000]! ^ 1) as Uint8Array)).toBe(1);
  expect(await given((block) => block.subarray(0, -1))).toBe(1);
});

test("files of few bytes, and of colour that derivatives are not made from, have no such level", async () => {
  const few = await picture.clone().blur(5).jpeg({ quality: 20 }).toBuffer();
  const cmyk = await picture.clone().toColourspace("cmyk").jpeg({ quality: 92 }).toBuffer();
  for (const file of [few, cmyk]) {
    const { entry } = await built(new Uint8Array(file));
    expect([...readEntry(entry)!.keys()]).not.toContain("level2");
  }
});
