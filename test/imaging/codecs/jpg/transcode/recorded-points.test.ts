// Access points recorded while transcoding, compared with those that a pass over the finished transcode
// finds.
// @module-tag slow

import { beforeAll, describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { ImagingError } from "../../../../../src/base/imaging-error.ts";
import {
  createEngine,
  openJpeg,
  writtenAccessPoints,
} from "../../../../../src/imaging/codecs/jpg/region/index.ts";
import {
  openTranscoder,
  type Transcoder,
} from "../../../../../src/imaging/codecs/jpg/transcode/transcoder.ts";
import { fixture } from "../../../../host.ts";
import { ownModule } from "../../../../wasm/own-modules.ts";
import { has, made, progressive, type Recipe, sequence } from "./sources.ts";

let transcoder: Transcoder;
let decoder: WebAssembly.Module;
beforeAll(async () => {
  transcoder = openTranscoder(await ownModule("jpeg-transcode"));
  decoder = await ownModule("jpeg-decode");
});

/**
 * The index and the overview as noted, and as the index pass finds them; whether the DC scans alone show the
 * same.
 */
async function bothWays(file: Uint8Array) {
  const parts: Uint8Array[] = [];
  const noted = await transcoder.transcode(memoryBytes(file), { onChunk: (part) => void parts.push(part) });
  const engine = createEngine(decoder);
  const reader = await openJpeg(() => engine, memoryBytes(new Uint8Array(Buffer.concat(parts))));
  await reader?.buildAccessPoints();
  return {
    noted: { index: await writtenAccessPoints(noted), level8: noted.planes?.map(({ data }) => data) },
    found: { index: reader?.saveAccessPoints(), level8: reader?.level8 },
    early: await transcoder.dcPlanes(memoryBytes(file)),
  };
}

async function expectSame(file: Uint8Array, what: string) {
  const { noted, found, early } = await bothWays(file);
  expect(noted, what).toEqual(found);
  expect(early.damaged, what).toBe(false);
  expect(
    early.planes.map(({ data }) => data),
    what,
  ).toEqual(found.level8);
}

describe("the access points noted while a transcode is written", () => {
  it.each([
    "jpg-progressive.jpg",
    "jpg-restart.jpg",
    "jpg-gray.jpg",
    "jpg-1x1.jpg",
    "jpg-wide-5000x12.jpg",
    "jpg-rgb-adobe0.jpg",
    "jpg-cmyk-adobe.jpg",
    "jpg-ycck-adobe.jpg",
  ])("for %s equal those of a pass over the transcode, and so does the level at 1/8", async (name) => {
    await expectSame(fixture(name), name);
  });

  it.skipIf(!has("cjpeg"))("are the same in every sampling, scan script and restart interval", async () => {
    const next = sequence(5);
    const samplings = [["1x1"], ["2x2"], ["2x1"], ["1x2"], ["4x1"]].map(([one]) => ["-sample", one!]);
    const scriptsUsed: Recipe["script"][] = [
      undefined,
      "spectral selection alone",
      "bit after bit",
      "DC scans apart",
    ];
    for (const sampling of [...samplings, ["-grayscale"], ["-rgb"]])
      for (const [i, script] of scriptsUsed.entries()) {
        const width = 1 + Math.floor((i % 2 ? 1900 : 600) * next());
        const height = 1 + Math.floor(60 * next());
        const recipe = { width, height, quality: [4, 50, 90, 100][i]!, sampling, script };
        const restart = i % 2 ? "7B" : undefined;
        await expectSame(made({ ...recipe, restart }), JSON.stringify(recipe));
      }
  });

  it("stays so whatever mutations do, and the DC scans show the same or call themselves damaged", async () => {
    const next = sequence(31);
    const files = [
      await progressive(61, 45),
      await progressive(140, 50, { chromaSubsampling: "4:4:4", quality: 98 }),
    ];
    let compared = 0;
    let agreed = 0;
    for (let n = 0; n < 300; n++) {
      const broken = new Uint8Array(files[n % files.length]!);
      for (let times = 0; times < 3; times++)
        broken[Math.floor((0.05 + 0.95 * next()) * broken.length)]! ^= 1 << Math.floor(8 * next());
      try {
        const { noted, found, early } = await bothWays(broken);
        expect(noted, `mutation ${n}`).toEqual(found);
        compared++;
        if (early.damaged) continue;
        agreed++;
        expect(
          early.planes.map(({ data }) => data),
          `mutation ${n}`,
        ).toEqual(found.level8);
      } catch (error) {
        if (!(error instanceof ImagingError)) throw error;
      }
    }
    expect(compared).toBeGreaterThan(200);
    expect(agreed).toBeGreaterThan(20);
  });
});
