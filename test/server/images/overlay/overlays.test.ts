// The pictures of overlays: how often their files are checked and decoded, and how many are cached.

import { copyFileSync, mkdtempSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { runTask } from "../../../../src/imaging/render/job.ts";
import { publicGrant } from "../../../../src/server/access/access.ts";
import { openMaster } from "../../../../src/server/images/describe.ts";
import { overlayOptions } from "../../../../src/server/images/overlay/options.ts";
import { createOverlays, type OverlayParts } from "../../../../src/server/images/overlay/overlays.ts";
import { nodeFiles } from "../../../../src/server/platform/files/node-files.ts";
import { filesystemSource } from "../../../../src/server/sources/filesystem.ts";
import { createSources } from "../../../../src/server/sources/index.ts";
import { fixturesFolder, testHost } from "../../../host.ts";
import { hang } from "../../../limits.ts";

let folder: string;
const codecs = createCodecs(testHost);
const files = nodeFiles();
const source = filesystemSource({ name: "fixtures", root: fixturesFolder, prefix: "", files });
const sources = createSources([source], source);
const large = 2048;
const levels = [10, 60, 110, 160, 210];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "smalti-overlays-"));
  for (const level of levels)
    await sharp({
      create: { width: large, height: large, channels: 3, background: { r: level, g: 0, b: 0 } },
    })
      .png()
      .toFile(join(folder, `${level}.png`));
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

/** Creates overlays whose checks and decodes are counted, and a master for them. */
async function counted(over: Partial<OverlayParts> = {}, options: object = {}) {
  const counts = { looks: 0, decoded: 0 };
  const overlays = createOverlays({
    options: overlayOptions.parse({ image: join(folder, "10.png"), folder, ...options }),
    sources,
    platform: {
      files: {
        ...files,
        stat(path) {
          counts.looks++;
          return files.stat(path);
        },
      },
    },
    codecs,
    decode: async ({ task, bytes }) => {
      counts.decoded++;
      return runTask(task, { codecs, bytes });
    },
    log: { error() {} },
    ...over,
  });
  const master = await openMaster(sources, "base.png", undefined, publicGrant);
  return { overlays, counts, master };
}
const answer = { width: 100, height: 100 };

describe("the overlay image", () => {
  test("is checked once and decoded once for all concurrent callers while it counts as current", async () => {
    const { overlays, counts, master } = await counted({ revalidateMs: hang });
    const found = await Promise.all(Array.from({ length: 50 }, () => overlays.of(master, answer)));
    expect(new Set(found.map((overlay) => overlay?.image)).size).toBe(1);
    await overlays.of(master, answer);
    // Before it is read, and after.
    expect(counts).toEqual({ looks: 2, decoded: 1 });
  });

  test("is checked again afterwards, and decoded again only if its file has other bytes", async () => {
    const file = join(folder, "changing.png");
    const put = (name: string, seconds: number) => {
      copyFileSync(join(folder, name), file);
      utimesSync(file, seconds, seconds);
    };
    const stat = async (path: string) => {
      const found = await files.stat(path);
      // As on a disk with times in whole seconds and no file numbers.
      return found && { kind: found.kind, size: 7, modified: found.modified };
    };
    const { overlays, counts, master } = await counted(
      { revalidateMs: 20, platform: { files: { ...files, stat } } },
      { image: file },
    );
    const red = async () => {
      await wait(30);
      return (await overlays.of(master, answer))?.image.data[0];
    };
    const longAgo = 1_700_000_000;
    put("10.png", longAgo);
    expect([await red(), await red(), counts.decoded]).toEqual([10, 10, 1]);
    put("10.png", longAgo + 1);
    expect([await red(), counts.decoded]).toEqual([10, 1]);
    put("60.png", longAgo + 2);
    expect([await red(), counts.decoded]).toEqual([60, 2]);
    // However long this takes, the file was written just now.
    const now = Math.floor(Date.now() / 1000) + 3600;
    put("110.png", now);
    expect(await red()).toBe(110);
    put("160.png", now); // within the same second
    expect([await red(), counts.decoded]).toEqual([160, 4]);
  });

  test("stays cached if it was used recently, within 64 MiB", async () => {
    let level = 0;
    const { overlays, counts, master } = await counted({
      revalidateMs: 600_000,
      hook: {
        has: () => true,
        ask: async () => ({ image: `${level}.png` }),
        unusable: (_, reason) => {
          throw new Error(reason);
        },
      },
    });
    const decodedFor = async (wanted: number) => {
      level = wanted;
      const before = counts.decoded;
      const overlay = await overlays.of(master, answer);
      expect([...(overlay?.image.data.subarray(-4) ?? [])]).toEqual([wanted, 0, 0, 255]);
      return counts.decoded - before;
    };
    // Three of 16 MiB each fit, with their bookkeeping.
    for (const each of levels) expect(await decodedFor(each)).toBe(1);
    for (const each of levels.slice(2).reverse()) expect(await decodedFor(each)).toBe(0);
    expect(await decodedFor(levels[0]!)).toBe(1);
  });

  test("is not needed if a derivative is smaller than min_size, even when it is missing", async () => {
    const { overlays, counts, master } = await counted(
      {},
      { image: join(folder, "none.png"), min_size: 100 },
    );
    expect(await overlays.of(master, { width: 99, height: 500 })).toBeUndefined();
    expect(await overlays.of(master, { width: 500, height: 99 })).toBeUndefined();
    expect(counts.looks).toBe(0);
    await expect(overlays.of(master, answer)).rejects.toMatchObject({ kind: "hook", code: "overlay_failed" });
  });

  test("that fails for lack of a permit is tried again, though its file is the same", async () => {
    let busy = true;
    const { overlays, master } = await counted({
      revalidateMs: 0,
      decode: async ({ task, bytes }) => {
        if (busy) throw new Error("no place");
        return runTask(task, { codecs, bytes });
      },
    });
    await expect(overlays.of(master, answer)).rejects.toMatchObject({ code: "overlay_failed" });
    busy = false;
    expect((await overlays.of(master, answer))?.image.width).toBe(large);
  });
});
