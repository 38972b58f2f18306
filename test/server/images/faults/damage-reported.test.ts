// A damaged master is reported to its operator: in the log, in a counter, in the list of damaged masters and
// by the image doctor.

import { cp, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCounter } from "../../../../src/base/telemetry/count.ts";
import type { Log } from "../../../../src/base/telemetry/log.ts";
import { diagnose } from "../../../../src/doctor/image/diagnose.ts";
import { createDamagedMasters } from "../../../../src/server/images/damaged-masters.ts";
import { readCounts } from "../../../counts.ts";
import { grain } from "../../../grain.ts";
import { fixturesFolder } from "../../../host.ts";
import { randomness } from "../../../imaging/codecs/jpg/make-matrix.ts";
import { type Served, served } from "../../../served.ts";

let folder: string;
const names = ["cut.jpg", "cut-progressive.jpg", "flipped.jpg", "bad-trunc-50.jpg", "no-level.tif"];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "smalti-damage-"));
  const picture = grain(900, 700, 40);
  const baseline = await picture.clone().jpeg({ quality: 85 }).toBuffer();
  const progressive = await picture.clone().jpeg({ quality: 85, progressive: true }).toBuffer();
  const flipped = new Uint8Array(baseline);
  const random = randomness(34);
  // Every flip is in the second half of the codes; djpeg warns about a bad Huffman code.
  for (let i = 0; i < 40; i++) {
    const at = Math.floor(flipped.length * (0.5 + 0.45 * random()));
    flipped[at] = flipped[at]! ^ (1 << Math.floor(random() * 8));
  }
  await writeFile(join(folder, "cut.jpg"), baseline.subarray(0, baseline.length / 2));
  await writeFile(join(folder, "cut-progressive.jpg"), progressive.subarray(0, progressive.length / 2));
  await writeFile(join(folder, "flipped.jpg"), flipped);
  await writeFile(join(folder, "sound.jpg"), baseline);
  await cp(join(fixturesFolder, "bad-trunc-50.jpg"), join(folder, "bad-trunc-50.jpg"));
  const pyramid = await readFile(join(fixturesFolder, "tif-pyramid-subifd.tif"));
  await writeFile(join(folder, "no-level.tif"), pyramid.subarray(0, pyramid.length * 0.95));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

type Warning = readonly [string, Readonly<Record<string, unknown>> | undefined];

async function observed(): Promise<{ readonly app: Served; readonly warnings: Warning[] }> {
  const warnings: Warning[] = [];
  const nothing = () => {};
  const log = {
    debug: nothing,
    info: nothing,
    error: nothing,
    warn: (message: string, fields?: Record<string, unknown>) => void warnings.push([message, fields]),
  } as unknown as Log;
  const yaml = `sources: [{ name: own, type: filesystem, root: ${JSON.stringify(folder)} }]
cache: { render: { backend: heap, max_bytes: 64MiB }, origin: { backend: heap, max_bytes: 64MiB } }`;
  return { app: await served(yaml, {}, { log }), warnings };
}

const counted = async ({ service }: Served) => {
  const [family] = await service.registry.read(["damaged_derivatives"]);
  return family?.kind === "counter" ? family.series.reduce((sum, { value }) => sum + value, 0) : undefined;
};

describe.each(names)("%s", (name) => {
  test("is warned about once with its identifier, counted and listed", async () => {
    const { app, warnings } = await observed();
    const addresses = ["full/max/0/default.jpg", "full/max/0/default.png", "full/60,/0/default.jpg"];
    for (const address of addresses) expect((await app.get(`/iiif/3/${name}/${address}`)).status).toBe(200);
    const about = warnings.filter(([message]) => message.includes("damaged"));
    expect(about.map(([, fields]) => fields)).toEqual([{ identifier: name }]);
    expect(await counted(app)).toBe(addresses.length);
    expect(app.service.images.damaged.latest()).toMatchObject([
      { identifier: name, derivatives: addresses.length },
    ]);
    await app.service.close();
  });

  test("is a problem of the doctor without a measurement once a visitor met it, and not called fast", async () => {
    const { app } = await observed();
    await app.get(`/iiif/3/${name}/full/max/0/default.jpg`);
    const { findings } = await diagnose(app.service.images, name);
    const codes = findings.map(({ code = "" }) => code);
    expect(findings[0]).toMatchObject({
      level: "problem",
      code: expect.stringMatching(/damaged|incomplete|cut/),
    });
    expect(codes.filter((code) => /^(fast|slow_|sidecar_)/.test(code))).toEqual([]);
    await app.service.close();
  });

  test("has no validators in the response to HEAD and is never 304", async () => {
    const { app } = await observed();
    const address = `/iiif/3/${name}/full/max/0/default.jpg`;
    const before = await app.get(address, { method: "HEAD" });
    await app.get(address);
    const head = await app.get(address, { method: "HEAD" });
    expect([head.headers.get("etag"), head.headers.get("cache-control")]).toEqual([null, "no-cache"]);
    const etag = before.headers.get("etag");
    if (etag) expect((await app.get(address, { headers: { "If-None-Match": etag } })).status).toBe(200);
    await app.service.close();
  });
});

test("each tile in the missing half of a JPEG is sent uncached, by every way that makes it", async () => {
  const { app } = await observed();
  const { get, service } = app;
  // The last rows of MCUs are gone from both; tiles on the grid of MCUs are cut without loss, the others are
  // decoded.
  for (const name of ["cut.jpg", "cut-progressive.jpg"])
    for (const region of ["0,512,512,188", "512,512,388,188", "3,601,200,90", "0,0,900,700"])
      for (const size of ["max", "pct:50", "pct:25", "pct:12.5"])
        for (const file of ["0/default.jpg", "90/default.jpg", "0/gray.jpg", "0/default.png"]) {
          const response = await get(`/iiif/3/${name}/${region}/${size}/${file}`);
          const found = [
            response.status,
            response.headers.get("cache-control"),
            response.headers.get("etag"),
          ];
          expect([name, region, size, file, ...found]).toEqual([
            name,
            region,
            size,
            file,
            200,
            "no-cache",
            null,
          ]);
        }
  await Promise.all(service.slots.all.map((slot) => slot.whenSettled()));
  expect(readCounts(service.slots.render.counts).writes).toBe(0);
  await service.close();
});

test("a completely undecodable master is a problem for the doctor after a request, and its tiles are not called fast", async () => {
  const { app } = await observed();
  await cp(join(fixturesFolder, "bad-trunc-50.png"), join(folder, "bad-trunc-50.png"));
  const findings = async () => (await diagnose(app.service.images, "bad-trunc-50.png")).findings;
  const response = await app.get("/iiif/3/bad-trunc-50.png/full/max/0/default.jpg");
  expect(response.status).toBe(500);
  const { detail } = (await response.json()) as { detail: string };
  expect(await findings()).toContainEqual(expect.objectContaining({ level: "problem", text: detail }));
  expect((await findings()).map(({ code }) => code)).not.toContain("fast");
  app.service.images.damaged.forget();
  expect((await findings()).map(({ text }) => text)).not.toContain(detail);
  await app.service.close();
});

test("a sound master is neither counted nor listed", async () => {
  const { app, warnings } = await observed();
  await app.get("/iiif/3/sound.jpg/full/max/0/default.jpg");
  expect(await counted(app)).toBe(0);
  expect(app.service.images.damaged.latest()).toEqual([]);
  expect(warnings.filter(([message]) => message.includes("damaged"))).toEqual([]);
  await app.service.close();
});

test("a damaged master that was replaced by a sound one leaves the list with the next derivative", async () => {
  const { app } = await observed();
  await cp(join(folder, "cut.jpg"), join(folder, "repaired.jpg"));
  await app.get("/iiif/3/repaired.jpg/full/max/0/default.jpg");
  expect(app.service.images.damaged.latest()).toHaveLength(1);
  await cp(join(folder, "sound.jpg"), join(folder, "repaired.jpg"));
  await utimes(join(folder, "repaired.jpg"), 1.6e9, 1.6e9);
  app.service.sources.all[0]?.forget?.("repaired.jpg");
  await app.get("/iiif/3/repaired.jpg/full/max/0/default.jpg");
  expect(app.service.images.damaged.latest()).toEqual([]);
  await app.service.close();
});

describe("the list of damaged masters", () => {
  const sound = { name: "own:a.jpg", version: "1 1" };
  function list() {
    let now = 0;
    let warned = 0;
    const damaged = createDamagedMasters({ warn: () => void warned++ }, createCounter(), () => now);
    return { damaged, warned: () => warned, later: (ms: number) => void (now += ms) };
  }

  test("warns again after an hour, and forgets after a day", () => {
    const { damaged, warned, later } = list();
    damaged.note("a.jpg", sound);
    later(3_599_999);
    damaged.note("a.jpg", sound);
    expect(warned()).toBe(1);
    later(1);
    damaged.note("a.jpg", sound);
    expect(warned()).toBe(2);
    later(24 * 3_600_000 + 1);
    expect(damaged.latest()).toEqual([]);
  });

  test("warns once of a master that has several identifiers", () => {
    const { damaged, warned } = list();
    damaged.note("a.jpg", sound);
    damaged.note("alias/a.jpg", sound);
    expect(warned()).toBe(1);
    damaged.note("b.jpg", { name: "own:b.jpg", version: "1 1" });
    expect(warned()).toBe(2);
  });

  test("holds at most 256 masters, the latest first", () => {
    const { damaged } = list();
    for (let i = 0; i < 300; i++) damaged.note(`${i}.jpg`, { name: `own:${i}.jpg`, version: "1 1" });
    expect(damaged.latest()).toHaveLength(256);
    expect(damaged.latest()[0]?.identifier).toBe("299.jpg");
  });

  test("forgets a master that is purged", () => {
    const { damaged } = list();
    damaged.note("a.jpg", sound);
    damaged.forget("own:b.jpg");
    expect(damaged.latest()).toHaveLength(1);
    damaged.forget("own:a.jpg");
    expect(damaged.of("a.jpg", sound)).toBeUndefined();
  });
});
