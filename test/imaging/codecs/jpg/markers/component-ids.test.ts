// Files whose components share one id, which violates ITU-T T.81 B.2.2 but is written by some CMYK encoders.

import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { openTranscoder } from "../../../../../src/imaging/codecs/jpg/transcode/transcoder.ts";
import { fixture, testHost } from "../../../../host.ts";
import { ownModule } from "../../../../wasm/own-modules.ts";
import { decode, hasTools, transcode } from "../make-matrix.ts";
import { differences, openIndexed, whole } from "../open.ts";
import { isFrame, putTogether, takeApart } from "../segments.ts";

/** The ids that the frame header lists. */
function idsOf(jpeg: Uint8Array): number[] {
  const { body } = takeApart(jpeg).segments.find(({ code }) => isFrame(code))!;
  return Array.from({ length: body[5]! }, (_, i) => body[6 + 3 * i]!);
}

/** The file with id `of(id)` in place of each component's id, in the frame header and in all scan headers. */
function withIds(jpeg: Uint8Array, of: (id: number) => number): Uint8Array {
  const { segments, rest } = takeApart(jpeg);
  const renamed = segments.map(({ code, body }) => {
    if (!isFrame(code)) return { code, body };
    return { code, body: body.map((value, i) => (i >= 6 && i % 3 === 0 ? of(value) : value)) };
  });
  const scans = rest.slice();
  for (let at = 0; at + 1 < scans.length; at++) {
    if (scans[at] !== 0xff || scans[at + 1] !== 0xda) continue;
    for (let i = 0; i < scans[at + 4]!; i++) scans[at + 5 + 2 * i] = of(scans[at + 5 + 2 * i]!);
  }
  return putTogether(renamed, scans);
}

/** Samples by libjpeg-turbo in sharp, CMYK as stored with 0 for no ink. */
async function reference(jpeg: Uint8Array): Promise<Uint8Array> {
  const image = sharp(jpeg, { ignoreIcc: true });
  if ((await image.metadata()).space === "cmyk") image.pipelineColourspace("cmyk").toColourspace("cmyk");
  return image.raw().toBuffer();
}

const names = ["jpg-cmyk-adobe.jpg", "jpg-ycck-adobe.jpg", "jpg-baseline-420.jpg", "jpg-rgb-adobe0.jpg"];
const renamings: readonly (readonly [string, (id: number, ids: readonly number[]) => number])[] = [
  ["all components have one id", () => 1],
  ["all components have the id 0", () => 0],
  ["the last two components share an id", (id, ids) => (id === ids.at(-1) ? ids.at(-2)! : id)],
];

describe.each(names)("%s", (name) => {
  const sound = fixture(name);
  const codec = createCodecs(testHost).decoder("jpg");

  it.each(renamings)(
    "is read as libjpeg reads it if %s, through the sidecar and as a whole",
    async (_, rename) => {
      const file = withIds(sound, (id) => rename(id, idsOf(sound)));
      const bytes = memoryBytes(file);
      const expected = await reference(file);
      const header = await codec.probe(bytes, 1);
      const region = { x: 0, y: 0, width: header.width, height: header.height };
      const read = { header, page: 1, region, scaleFactor: 1 };
      const access = { id: name, absent: true, load: async () => new Uint8Array() };
      for (const index of [undefined, access]) {
        const { data } = await codec.decode(bytes, read, index);
        expect(Buffer.compare(data as Uint8Array, expected)).toBe(0);
      }
    },
  );

  it("is cropped without loss into files whose components have separate ids", async () => {
    const reader = await openIndexed(withIds(sound, () => 7));
    const cut = (await reader.crop({ ...whole(reader), width: 160, height: 96 }))!;
    expect(new Set(idsOf(cut)).size).toBe(idsOf(sound).length);
    const original = await (await openIndexed(sound)).crop({ ...whole(reader), width: 160, height: 96 });
    expect(Buffer.compare(await reference(cut), await reference(original!))).toBe(0);
  });
});

it.skipIf(!hasTools)(
  "a progressive file whose components share an id becomes the same baseline file as with jpegtran",
  async () => {
    const progressive = withIds(fixture("jpg-progressive.jpg"), () => 1);
    const parts: Uint8Array[] = [];
    const transcoder = openTranscoder(await ownModule("jpeg-transcode"));
    await transcoder.transcode(memoryBytes(progressive), { onChunk: (part) => void parts.push(part) });
    const baseline = new Uint8Array(Buffer.concat(parts));
    expect(new Set(idsOf(baseline)).size).toBe(3);
    expect(differences(decode(baseline), decode(transcode(progressive, [])))).toBe(0);
  },
);
