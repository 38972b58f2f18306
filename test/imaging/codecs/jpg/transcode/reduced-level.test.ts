// A progressive file at 1/8 before there is a transcode: the same bytes as later from its sidecar, whatever
// its scans are.

import sharp from "sharp";
import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import type { SidecarAccess } from "../../../../../src/imaging/codecs/codec.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { listScans } from "../../../../../src/imaging/codecs/jpg/transcode/scans.ts";
import { openTranscoder } from "../../../../../src/imaging/codecs/jpg/transcode/transcoder.ts";
import type { RenderPlan } from "../../../../../src/imaging/codecs/plan.ts";
import type { Step } from "../../../../../src/imaging/pipeline/step.ts";
import { runTask } from "../../../../../src/imaging/render/job.ts";
import { fixture, testHost } from "../../../../host.ts";
import { countingBytes } from "../../counting.ts";
import { heapBlocks } from "../../heap-blocks.ts";
import { transformOf } from "../transform-of.ts";
import { has, made, progressive, type scripts } from "./sources.ts";

const codecs = createCodecs(testHost);
const codec = codecs.decoder("jpg");

let ids = 0;

const absentAccess = (): SidecarAccess => ({
  id: `overview-${++ids}`,
  absent: true,
  blocks: heapBlocks(),
  load: async () => new Uint8Array(),
});

/** Returns a derivative at 1/16, which is read at 1/8, before and after a sidecar exists. */
async function bothTimes(file: Uint8Array, format: "jpg" | "png") {
  const bytes = memoryBytes(file);
  const header = await codec.probe(bytes, 1);
  const { width, height } = header;
  const axis = (length: number) => ({ size: Math.ceil(length / 16), origin: 0, scale: 2 });
  const wanted = { header, page: 1, region: { x: 0, y: 0, width, height }, scaleFactor: 8 };
  const steps: Step[] = [
    { op: "resize", x: axis(width), y: axis(height) },
    ...(header.interpretation === "cmyk" ? [{ op: "to-srgb", profile: false } as const] : []),
  ];
  const plan: RenderPlan = {
    read: wanted,
    transform: transformOf(wanted, steps),
    steps,
    write: {
      format,
      quality: 90,
      progressive: false,
      chroma: "420",
      encoder: "fast",
      passthrough: "auto",
    },
    memory: 0,
  };
  const task = { kind: "render", plan } as const;
  const absent = absentAccess();
  const source = countingBytes(file);
  const { bytes: before } = await runTask(task, { codecs, bytes: source, sidecar: absent });
  const read = source.total();
  const index = (await codec.sidecar?.build(bytes, { header, page: 1 }, absent)) as Uint8Array;
  expect(index.length).toBeGreaterThan(0);
  const { bytes: after } = await runTask(task, {
    codecs,
    bytes,
    sidecar: { ...absent, absent: false, load: async () => index },
  });
  return { before, after, read };
}

async function expectSame(file: Uint8Array, what: string) {
  for (const format of ["jpg", "png"] as const) {
    const { before, after } = await bothTimes(file, format);
    expect(Buffer.compare(before, after), `${what}, ${format}`).toBe(0);
  }
}

describe("the first small derivative of a progressive file", () => {
  test.each([
    ["4:2:0", { chromaSubsampling: "4:2:0" }],
    ["4:4:4", { chromaSubsampling: "4:4:4" }],
    ["MozJPEG's scans", { mozjpeg: true }],
  ] as const)("equals what its sidecar yields later: %s", async (what, options) => {
    for (const [width, height] of [
      [1, 1],
      [17, 130],
      [333, 251],
    ] as const)
      await expectSame(await progressive(width, height, options), `${what} ${width}x${height}`);
  });

  test("equals it for CMYK too, and for the file of the fixtures", async () => {
    await expectSame(fixture("jpg-progressive.jpg"), "fixture");
    const cmyk = await sharp(fixture("jpg-cmyk-adobe.jpg"), { ignoreIcc: true })
      .pipelineColourspace("cmyk")
      .toColourspace("cmyk")
      .jpeg({ progressive: true })
      .toBuffer();
    expect(await codec.probe(memoryBytes(cmyk), 1)).toMatchObject({ variant: "progressive", bands: 4 });
    await expectSame(cmyk, "CMYK");
  });

  test.skipIf(!has("cjpeg"))("equals it in every scan script, sampling and restart interval", async () => {
    const chosen = [
      undefined,
      "spectral selection alone",
      "bit after bit",
      "DC scans apart",
    ] as const satisfies readonly (keyof typeof scripts | undefined)[];
    for (const [i, sampling] of [
      ["-sample", "2x2"],
      ["-sample", "1x1"],
      ["-sample", "2x1"],
      ["-grayscale"],
      ["-rgb"],
    ].entries())
      for (const [k, script] of chosen.entries()) {
        const recipe = { width: 91 + 40 * i, height: 150 - 30 * k, quality: 40 + 20 * k, sampling, script };
        const restart = (i + k) % 2 ? "5B" : undefined;
        await expectSame(made({ ...recipe, restart }), JSON.stringify(recipe));
      }
  });

  test("reads the file for its markers and its DC scans alone", async () => {
    const file = await progressive(1600, 1200, { quality: 95 });
    const { scans } = await listScans(memoryBytes(file));
    const dc = scans.filter(({ first }) => first === 0).reduce((sum, { start, end }) => sum + end - start, 0);
    const { read } = await bothTimes(file, "jpg");
    expect(read).toBeLessThan(1.05 * file.length + dc);
  });

  test("is made from the transcode if the file is damaged, since its DC scans may differ", async () => {
    const file = new Uint8Array(await progressive(200, 200));
    const { scans } = await listScans(memoryBytes(file));
    const dc = scans[0]!;
    file.fill(0x55, dc.start + 10, dc.end - 10);
    for (const damaged of [file, file.slice(0, scans.at(-1)!.start + 9)]) {
      const bytes = memoryBytes(damaged);
      const header = await codec.probe(bytes, 1);
      const read = { header, page: 1, region: { x: 0, y: 0, width: 200, height: 200 }, scaleFactor: 8 };
      const chunks: Uint8Array[] = [];
      await openTranscoder(testHost.wasm("jpeg-transcode")).transcode(bytes, {
        onChunk: (chunk) => void chunks.push(chunk),
      });
      const transcode = memoryBytes(new Uint8Array(Buffer.concat(chunks)));
      const expected = await codec.decode(transcode, { ...read, header: await codec.probe(transcode, 1) });
      const { data, incomplete } = await codec.decode(bytes, read, absentAccess());
      expect(Buffer.compare(data as Uint8Array, expected.data as Uint8Array)).toBe(0);
      expect(incomplete).toBe(true);
    }
  });
});
