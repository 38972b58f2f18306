// JPEG through its sidecar: what is stored, what is decoded, and the two shortcuts from JPEG to JPEG.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { concatenate } from "../../../../../src/base/bytes/concatenate.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import type { SidecarAccess } from "../../../../../src/imaging/codecs/codec.ts";
import type { ImageHeader } from "../../../../../src/imaging/codecs/image-header.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import type { RenderPlan } from "../../../../../src/imaging/codecs/plan.ts";
import type { PixelBuffer } from "../../../../../src/imaging/pipeline/pixels.ts";
import type { Step } from "../../../../../src/imaging/pipeline/step.ts";
import { runTask } from "../../../../../src/imaging/render/job.ts";
import { grain } from "../../../../grain.ts";
import { fixture, testHost } from "../../../../host.ts";
import { countingBytes, psnr } from "../../counting.ts";
import { heapBlocks } from "../../heap-blocks.ts";
import { transformOf } from "../transform-of.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("jpg");

interface Indexed {
  readonly file: Uint8Array;
  readonly header: ImageHeader;
  readonly access: SidecarAccess;
}

let ids = 0;
async function indexed(file: Uint8Array): Promise<Indexed> {
  const bytes = memoryBytes(file);
  const header = await codec.probe(bytes, 1);
  const access = { id: `test-${++ids}`, blocks: heapBlocks(), load: async () => index };
  const index = (await codec.sidecar?.build(bytes, { header, page: 1 }, access)) as Uint8Array;
  return { file, header, access: { ...access, id: `${access.id} stored` } };
}

const same = (a: PixelBuffer, b: PixelBuffer) =>
  a.width === b.width &&
  a.height === b.height &&
  Buffer.compare(a.data as Uint8Array, b.data as Uint8Array) === 0;

const whole = (header: ImageHeader) => ({ x: 0, y: 0, width: header.width, height: header.height });

const halving = (header: ImageHeader): Step => ({
  op: "resize",
  x: { size: Math.ceil(header.width / 2), origin: 0, scale: 2 },
  y: { size: Math.ceil(header.height / 2), origin: 0, scale: 2 },
});

function plan(
  header: ImageHeader,
  steps: readonly Step[],
  write: Partial<RenderPlan["write"]> = {},
  region = whole(header),
): RenderPlan {
  return {
    read: { header, page: 1, region, scaleFactor: 1 },
    transform: transformOf({ header, region, scaleFactor: 1 }, steps),
    steps,
    write: {
      format: "jpg",
      quality: 90,
      progressive: false,
      chroma: "420",
      encoder: "fast",
      passthrough: "off",
      ...write,
    },
    memory: 0,
  };
}

const derived = async ({ file, access }: Indexed, given: RenderPlan) => {
  const made = await codec.derive?.(memoryBytes(file), given, access, codecs.kernels);
  return made && concatenate(made.pieces);
};
const rgb = async (jpeg: Uint8Array) =>
  new Uint8Array(await sharp(jpeg).toColourspace("srgb").removeAlpha().raw().toBuffer());
const base = sharp(fixture("base.png"));

describe("the sidecar of a JPEG", () => {
  test("does not exist for arithmetic coding, which another decoder reads", async () => {
    const bytes = memoryBytes(fixture("jpg-arithmetic.jpg"));
    expect(await codec.sidecar?.build(bytes, { header: await codec.probe(bytes, 1), page: 1 })).toHaveLength(
      0,
    );
  });

  test("serves the same pixels as no sidecar and as another decoder, for sequential and progressive files", async () => {
    for (const name of [
      "jpg-baseline-420.jpg",
      "jpg-baseline-422.jpg",
      "jpg-restart.jpg",
      "jpg-progressive.jpg",
      "jpg-gray.jpg",
      "jpg-cmyk-adobe.jpg",
      "jpg-ycck-adobe.jpg",
    ]) {
      const one = await indexed(fixture(name));
      const read = {
        header: one.header,
        page: 1,
        region: { x: 37, y: 21, width: 311, height: 200 },
        scaleFactor: 1,
      };
      const bytes = memoryBytes(one.file);
      const plain = await codec.decode(bytes, read);
      expect(same(await codec.decode(bytes, read, one.access), plain), name).toBe(true);
      expect(same(await codec.decode(bytes, { ...read, whole: true }), plain), name).toBe(true);
    }
  });

  test("a sidecar of another file is reported, and the pixels are made of the file", async () => {
    const one = await indexed(fixture("jpg-baseline-420.jpg"));
    const other = await indexed(fixture("jpg-orient-1.jpg"));
    const read = { header: one.header, page: 1, region: whole(one.header), scaleFactor: 1 };
    let reports = 0;
    const wrong = { ...other.access, id: "wrong", reportLoss: () => reports++ };
    const right = await codec.decode(memoryBytes(one.file), read);
    expect(same(await codec.decode(memoryBytes(one.file), read, wrong), right)).toBe(true);
    expect(reports).toBe(1);
  });

  test("when damaged causes no wrong pixels and no trap", async () => {
    const one = await indexed(fixture("jpg-baseline-420.jpg"));
    const stored = await one.access.load();
    const read = { header: one.header, page: 1, region: whole(one.header), scaleFactor: 1 };
    const bytes = memoryBytes(one.file);
    const right = await codec.decode(bytes, read);
    let reports = 0;
    const reportLoss = () => reports++;
    for (let n = 0; n < 60; n++) {
      const broken = stored.slice(0, Math.floor((stored.length * n) / 60));
      const access = { id: `cut-${n}`, load: async () => broken, reportLoss };
      expect(same(await codec.decode(bytes, read, access), right)).toBe(true);
    }
    expect(reports).toBe(60);
  });
});

describe("while there is no sidecar yet", () => {
  const absent = (id: string): SidecarAccess => ({
    id,
    absent: true,
    blocks: heapBlocks(),
    load: async () => new Uint8Array(),
  });
  const top = { x: 0, y: 0, width: 600, height: 48 };

  test("a file is read up to the end of the region, once, and the job that builds continues from there", async () => {
    const file = new Uint8Array(await grain(1200, 4000, 60).jpeg({ quality: 97 }).toBuffer());
    expect(file.length).toBeGreaterThan(4 * 2 ** 20);
    const bytes = countingBytes(file);
    const header = await codec.probe(bytes, 1);
    const read = { header, page: 1, region: top, scaleFactor: 1 };
    const pixels = await codec.decode(bytes, read, absent("noise"));
    expect(bytes.total()).toBeLessThan(file.length / 2);
    expect(pixels).toEqual(await codec.decode(memoryBytes(file), read));
    const index = await codec.sidecar?.build(bytes, { header, page: 1 }, absent("noise"));
    expect(bytes.total()).toBeLessThan(1.1 * file.length);
    expect(index).toEqual(
      await codec.sidecar?.build(memoryBytes(file), { header, page: 1 }, absent("other")),
    );
  });

  test("a read that fails in the middle costs that job only", async () => {
    const file = new Uint8Array(await grain(1200, 3000, 60).jpeg({ quality: 97 }).toBuffer());
    const sound = memoryBytes(file);
    const header = await codec.probe(sound, 1);
    const failing = {
      size: file.length,
      read: (offset: number, length: number) =>
        offset + length > 2 * 2 ** 20
          ? Promise.reject(new ImagingError("source", "gone"))
          : sound.read(offset, length),
    };
    const read = { header, page: 1, region: { x: 200, y: 2500, width: 300, height: 300 }, scaleFactor: 1 };
    await expect(codec.decode(failing, read, absent("failing"))).rejects.toMatchObject({ kind: "source" });
    expect(await codec.decode(sound, read, absent("failing"))).toEqual(await codec.decode(sound, read));
    expect(await codec.sidecar?.build(sound, { header, page: 1 }, absent("failing"))).toEqual(
      await codec.sidecar?.build(sound, { header, page: 1 }, absent("sound")),
    );
  });
});

test("an instance that trapped is not used again", async () => {
  let instances = 0;
  const counting = createCodecs({
    ...testHost,
    wasm(name) {
      if (name === "jpeg-decode") instances++;
      return testHost.wasm(name);
    },
  }).decoder("jpg");
  const { file, header, access } = await indexed(fixture("jpg-baseline-420.jpg"));
  const read = { header, page: 1, region: whole(header), scaleFactor: 1 };
  const sound = memoryBytes(file);
  const pixels = await counting.decode(sound, read, access);
  expect(await counting.decode(sound, read, access)).toEqual(pixels);
  expect(instances).toBe(1);
  const trapping = {
    size: file.length,
    read: () => Promise.reject(new WebAssembly.RuntimeError("unreachable")),
  };
  await expect(counting.decode(trapping, read, access)).rejects.toThrow("unreachable");
  expect(await counting.decode(sound, read, access)).toEqual(pixels);
  expect(instances).toBe(2);
});

describe("from planes to planes", () => {
  const kinds = [
    ["4:2:0", { chromaSubsampling: "4:2:0" }],
    ["4:4:4", { chromaSubsampling: "4:4:4" }],
    ["progressive", { chromaSubsampling: "4:2:0", progressive: true }],
  ] as const;

  test.each(kinds)("halves %s as well as the way through RGB does", async (_, options) => {
    const one = await indexed(
      await base
        .clone()
        .jpeg({ quality: 95, ...options })
        .toBuffer(),
    );
    const given = plan(one.header, [halving(one.header)]);
    const short = (await derived(one, given)) as Uint8Array;
    const { derive: _derive, ...withoutDerive } = codec;
    const { bytes: long } = await runTask(
      { kind: "render", plan: given },
      { codecs: { ...codecs, decoder: () => withoutDerive }, bytes: memoryBytes(one.file) },
    );
    const reference = new Uint8Array(
      await base.clone().resize(300, 200, { kernel: "lanczos3" }).raw().toBuffer(),
    );
    const [shortly, longly] = [psnr(await rgb(short), reference), psnr(await rgb(long), reference)];
    expect(shortly).toBeGreaterThan(longly - 0.3);
    expect(await sharp(short).metadata()).toMatchObject({
      width: 300,
      height: 200,
      channels: 3,
      isProgressive: false,
    });
  });

  test("a window equals that part of the whole picture", async () => {
    const one = await indexed(await base.clone().jpeg({ quality: 95 }).toBuffer());
    const all = await rgb(
      (await derived(
        one,
        plan(one.header, [halving(one.header)], { quality: 100, chroma: "444" }),
      )) as Uint8Array,
    );
    // Output 64..192 by 32..160, planned with the margin that the filter takes.
    const region = { x: 112, y: 48, width: 288, height: 288 };
    const steps: Step[] = [
      { op: "resize", x: { size: 128, origin: 16, scale: 2 }, y: { size: 128, origin: 16, scale: 2 } },
    ];
    const part = await rgb(
      (await derived(one, plan(one.header, steps, { quality: 100, chroma: "444" }, region))) as Uint8Array,
    );
    const same = new Uint8Array(part.length);
    for (let y = 0; y < 128; y++)
      same.set(all.subarray(((y + 32) * 300 + 64) * 3, ((y + 32) * 300 + 192) * 3), y * 128 * 3);
    expect(psnr(part, same)).toBeGreaterThan(48);
  });

  test("gray of a coloured picture is its luma", async () => {
    const one = await indexed(fixture("jpg-baseline-420.jpg"));
    const jpeg = (await derived(one, plan(one.header, [{ op: "gray" }]))) as Uint8Array;
    const { data, info } = await sharp(jpeg).toColourspace("b-w").raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([600, 400, 1]);
    const colours = await rgb(one.file);
    const luma = new Uint8Array(data.length).map((_, i) =>
      Math.round(0.299 * colours[3 * i]! + 0.587 * colours[3 * i + 1]! + 0.114 * colours[3 * i + 2]!),
    );
    expect(psnr(new Uint8Array(data), luma)).toBeGreaterThan(38);
  });

  test("falls back to the general path if planes cannot be used", async () => {
    const one = await indexed(fixture("jpg-baseline-420.jpg"));
    expect(await derived(one, plan(one.header, [{ op: "rotate", degrees: 45 }]))).toBeUndefined();
    expect(await derived(one, plan(one.header, [], { format: "png" }))).toBeUndefined();
    expect(await derived(one, plan(one.header, [], { progressive: true }))).toBeUndefined();
    expect(await derived(one, plan(one.header, [], { encoder: "small" }))).toBeUndefined();
    for (const name of ["jpg-cmyk-adobe.jpg", "jpg-rgb-adobe0.jpg"]) {
      const other = await indexed(fixture(name));
      expect(await derived(other, plan(other.header, []))).toBeUndefined();
    }
  });
});

describe("a lossless crop", () => {
  test("is used for an aligned part at full size, and decodes to the same samples", async () => {
    const one = await indexed(fixture("jpg-baseline-420.jpg"));
    const region = { x: 64, y: 32, width: 256, height: 192 };
    const cut = (await derived(
      one,
      plan(one.header, [], { passthrough: "auto", resolution: { x: 118.11, y: 118.11 } }, region),
    )) as Uint8Array;
    const pixels = async (jpeg: Uint8Array) => {
      const decoded = await codec.decode(memoryBytes(jpeg), {
        header: await codec.probe(memoryBytes(jpeg), 1),
        page: 1,
        region: { x: 16, y: 16, width: 208, height: 160 },
        scaleFactor: 1,
      });
      return decoded.data;
    };
    const source = await codec.decode(memoryBytes(one.file), {
      header: one.header,
      page: 1,
      region: { x: 80, y: 48, width: 208, height: 160 },
      scaleFactor: 1,
    });
    expect(await pixels(cut)).toEqual(source.data);
    expect(await sharp(cut).metadata()).toMatchObject({ width: 256, height: 192, density: 300 });
  });

  test("is not used off the grid, when it is switched off, or for other sizes", async () => {
    const one = await indexed(fixture("jpg-baseline-420.jpg"));
    const same = async (given: RenderPlan) => {
      const off = await derived(one, { ...given, write: { ...given.write, passthrough: "off" } });
      expect(await derived(one, given)).toEqual(off);
    };
    await same(plan(one.header, [], { passthrough: "auto" }, { x: 60, y: 32, width: 256, height: 192 }));
    await same(plan(one.header, [halving(one.header)], { passthrough: "auto" }));
  });

  test("is worthwhile for ordinary qualities, not for the highest ones", async () => {
    const worth = async (quality: number) => {
      const one = await indexed(await base.clone().jpeg({ quality, chromaSubsampling: "4:2:0" }).toBuffer());
      const region = { x: 0, y: 0, width: 512, height: 384 };
      const given = plan(one.header, [], { passthrough: "auto" }, region);
      const off = (await derived(one, {
        ...given,
        write: { ...given.write, passthrough: "off" },
      })) as Uint8Array;
      const cut = (await derived(one, given)) as Uint8Array;
      return { cut: Buffer.compare(cut, off) !== 0, ratio: cut.length / off.length };
    };
    for (const quality of [60, 80, 88, 90, 92]) {
      const { cut, ratio } = await worth(quality);
      expect(cut, `quality ${quality}`).toBe(true);
      expect(ratio).toBeLessThan(1.7);
    }
    expect((await worth(100)).cut).toBe(false);
  });
});

describe("a slow source", () => {
  /**
   * Responds after a turn of the event loop, counts requests and bytes, and refuses too many concurrent
   * requests.
   */
  function slowBytes(data: Uint8Array, gap: number) {
    const asked: { offset: number; length: number }[] = [];
    return {
      asked,
      size: data.length,
      gap,
      async read(offset: number, length: number) {
        asked.push({ offset, length });
        await new Promise((resolve) => setTimeout(resolve, 2));
        return data.slice(offset, offset + length);
      },
    };
  }

  test("gets few long requests if it says so, a fast one only for the needed ranges", async () => {
    const file = new Uint8Array(await grain(3000, 1024, 30).jpeg({ quality: 90 }).toBuffer());
    const one = await indexed(file);
    const region = { x: 1024, y: 512, width: 512, height: 512 };
    const read = { header: one.header, page: 1, region, scaleFactor: 1 };
    const expected = await codec.decode(memoryBytes(file), read);
    const look = async (gap: number) => {
      const slow = slowBytes(file, gap);
      const access = { id: `slow-${gap}`, load: one.access.load };
      await codec.decode(slow, { ...read, region: { ...region, width: 8, height: 8 } }, access);
      slow.asked.length = 0;
      expect(await codec.decode(slow, read, access)).toEqual(expected);
      return { requests: slow.asked.length, bytes: slow.asked.reduce((sum, { length }) => sum + length, 0) };
    };
    const [near, far] = [await look(0), await look(64 * 1024)];
    // 512 rows are 32 or 33 rows of MCUs of 16, and one more on either side for chroma.
    expect(near.requests).toBeGreaterThanOrEqual(32);
    expect(near.requests).toBeLessThanOrEqual(36);
    expect(far.requests).toBeLessThanOrEqual(2);
    expect(near.bytes).toBeLessThan(file.length / 6);
    expect(far.bytes).toBeGreaterThan(near.bytes);
  });
});
