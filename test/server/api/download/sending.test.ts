// How whole items are sent: to many at the same time, to those who read slowly or leave, while caches are
// purged.

import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { purgeImage } from "../../../../src/server/images/purge.ts";
import { seeded } from "../../../seeded.ts";
import { type Served, served } from "../../../served.ts";
import { type Laid, layFolder } from "../presentation/folder.ts";

const pdf = (id: string) => `/iiif/download/pdf/${id}`;
const bytesOf = async (response: Response) => new Uint8Array(await response.arrayBuffer());

describe("a PDF", () => {
  let laid: Laid;
  let app: Served;
  /** Bytes of one page. */
  let pageBytes: number;
  beforeAll(async () => {
    laid = await layFolder();
    await laid.put("small/1.jpg", "jpg-gray.jpg");
    await laid.put("small/2.png", "base.png");
    const below = seeded(63);
    const grain = Uint8Array.from({ length: 1500 * 1500 }, () => below(256));
    const jpeg = await sharp(grain, { raw: { width: 1500, height: 1500, channels: 1 } })
      .jpeg({ quality: 95 })
      .toBuffer();
    pageBytes = jpeg.length;
    await laid.put("large/0.jpg", "jpg-gray.jpg");
    for (let n = 1; n <= 8; n++) writeFileSync(join(laid.root, `large/${n}.jpg`), jpeg);
    app = await served(laid.yaml());
  });
  afterAll(() => laid.drop());

  test("is the same for fifty clients at the same time", async () => {
    const [first, ...others] = await Promise.all(
      Array.from({ length: 50 }, async () => bytesOf(await app.get(pdf("small")))),
    );
    expect(first?.length).toBeGreaterThan(1000);
    for (const other of others) expect(other).toEqual(first);
  });

  test("is read from its masters only as far as its client reads", async () => {
    const { counts } = app.service.sources.default;
    const reader = (await app.get(pdf("large"))).body!.getReader();
    const before = counts.bytes.value;
    for (let n = 0; n < 8; n++) await reader.read();
    // All that could be read ahead of the client.
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    expect(pageBytes).toBeGreaterThan(1_500_000);
    expect(counts.bytes.value - before).toBeLessThan(pageBytes);
    await reader.cancel();
  });

  test("counts as a request in flight until it has been sent, or its client has left", async () => {
    const own = await served(`${laid.yaml()}limits: { max_in_flight: 1 }\n`);
    const statusNow = async () => {
      const response = await own.get("/iiif/3/small%2F1.jpg/info.json");
      await response.arrayBuffer();
      return response.status;
    };
    const left = (await own.get(pdf("large"))).body!.getReader();
    await left.read();
    expect(await statusNow()).toBe(503);
    await left.cancel();
    await expect.poll(statusNow).toBe(200);
    const response = await own.get(pdf("small"));
    await response.arrayBuffer();
    await expect.poll(statusNow).toBe(200);
  });

  test("is whole although its pages are purged while it is sent", async () => {
    const whole = await bytesOf(await app.get(pdf("small")));
    const response = await app.get(pdf("small"));
    const { images, slots } = app.service;
    await purgeImage({ images, slots, aliases: [] }, "small/2.png");
    expect(await bytesOf(response)).toEqual(whole);
  });

  test("closes its masters when its client leaves", async () => {
    const reader = (await app.get(pdf("large"))).body!.getReader();
    for (let n = 0; n < 12; n++) await reader.read();
    await reader.cancel();
    const open = () =>
      readdirSync("/proc/self/fd").filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${laid.root}/large/`);
        } catch {
          return false;
        }
      });
    await expect.poll(open).toEqual([]);
  });
});
