// The whole application with origins that do not respond, jobs in place: requests that need nothing from them
// do not wait.

import { afterEach, describe, expect, test } from "vitest";
import { createCodecs } from "../../../src/imaging/codecs/index.ts";
import { deferred } from "../../deferred.ts";
import { fixturesFolder, testHost } from "../../host.ts";
import { noiseBytes } from "../../imaging/codecs/jpg/cjpeg.ts";
import { type Served, served } from "../../served.ts";
import { askedForRest, masterOf, type Origin, startOrigin } from "../../servers/origin.ts";

const firstBytes = 256 * 1024;
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Returns a picture of noise, 1024 by 768: its end is far beyond the first request. */
async function noise(format: "jpg" | "png"): Promise<Uint8Array> {
  const [width, height] = [1024, 768];
  const data = noiseBytes(width * height * 3, 7);
  const options = { format, quality: 95, progressive: false, chroma: "444", encoder: "fast" } as const;
  const pixels = { width, height, bands: 3, interpretation: "rgb", data } as const;
  const file = await createCodecs(testHost).encoder(format).encode(pixels, options);
  expect(file.length).toBeGreaterThan(3 * firstBytes);
  return file;
}

async function serviceOver(origin: Origin, timeout = "60s"): Promise<Served> {
  const app = await served(
    `sources:
  - { name: files, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }
  - { name: web, type: http, prefix: web/, url: "${origin.url}/{identifier}", timeout: ${timeout} }
cache: { render: { backend: none } }`,
  );
  closing.push(async () => {
    await app.service.images.sidecars.idle();
    await app.service.close();
  });
  return app;
}

async function originOf(masters: Parameters<typeof startOrigin>[0]): Promise<Origin> {
  const origin = await startOrigin(masters);
  closing.push(() => origin.close());
  return origin;
}

/** Holds every request for more than the beginning of a master. */
function stall(origin: Origin) {
  const held = deferred();
  origin.behaviour.holdRest = held.promise;
  const all = async (count: number) => expect.poll(() => askedForRest(origin).size).toBe(count);
  return { all, letGo: held.resolve };
}

const local = "/iiif/3/jpg-baseline-420.jpg/10,20,200,100/max/0/default.png";

test("renders of remote masters that stall hold up no render of a file, and end well when the bytes come", async () => {
  const jpeg = await noise("jpg");
  const names = [1, 2, 3, 4, 5].map((n) => `${n}.jpg`);
  const origin = await originOf(Object.fromEntries(names.map((name) => [name, masterOf(jpeg)])));
  const { get, service } = await serviceOver(origin);
  const { all, letGo } = stall(origin);
  const answers = names.map((name) => get(`/iiif/3/web%2F${name}/0,700,64,64/max/0/default.png`));
  await all(names.length);
  await expect.poll(() => service.images.admission.status().running).toBe(0);
  expect(service.images.admission.status().away).toBe(names.length);
  expect((await get(local)).status).toBe(200);
  expect((await get("/iiif/3/base.png/info.json")).status).toBe(200);
  letGo();
  const bodies = await Promise.all(
    answers.map(async (answer) => Buffer.from(await (await answer).arrayBuffer()).toString("base64")),
  );
  for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
  expect(new Set(bodies).size, "all are of the same picture").toBe(1);
});

test("probes of remote masters that stall hold up no other", async () => {
  // A TIFF whose directory is beyond the first bytes.
  const data = new Uint8Array(3 * firstBytes);
  const view = new DataView(data.buffer);
  data.set([0x49, 0x49, 42, 0]);
  const directory = 2 * firstBytes;
  view.setUint32(4, directory, true);
  const entries = [
    [256, 4, 16],
    [257, 4, 16],
    [258, 3, 8],
    [259, 3, 1],
    [262, 3, 1],
    [273, 4, 8],
    [278, 4, 16],
    [279, 4, 256],
  ] as const;
  view.setUint16(directory, entries.length, true);
  for (const [i, [tag, type, value]] of entries.entries()) {
    const at = directory + 2 + 12 * i;
    view.setUint16(at, tag, true);
    view.setUint16(at + 2, type, true);
    view.setUint32(at + 4, 1, true);
    view.setUint32(at + 8, value, true);
  }
  const names = [1, 2, 3, 4, 5, 6].map((n) => `${n}.tif`);
  const origin = await originOf(Object.fromEntries(names.map((name) => [name, masterOf(data)])));
  const { get } = await serviceOver(origin);
  const { all, letGo } = stall(origin);
  const answers = names.map((name) => get(`/iiif/3/web%2F${name}/info.json`));
  await all(names.length);
  expect(await (await get("/iiif/3/base.png/info.json")).json()).toMatchObject({ width: 600, height: 400 });
  letGo();
  for (const answer of answers) expect(await (await answer).json()).toMatchObject({ width: 16, height: 16 });
});

test("a client that has gone leaves nothing waiting", async () => {
  const origin = await originOf({ "a.png": masterOf(await noise("png")) });
  const { get, service } = await serviceOver(origin);
  const { all } = stall(origin);
  const gone = new AbortController();
  const answer = get("/iiif/3/web%2Fa.png/0,700,64,64/max/0/default.png", { signal: gone.signal });
  await all(1);
  gone.abort();
  await answer.catch(() => {});
  const { admission } = service.images;
  await expect.poll(() => admission.status()).toEqual({ running: 0, away: 0, waiting: 0, memory: 0 });
});

describe("if an origin is faulty only its own requests fail", () => {
  const misdeeds: Readonly<Record<string, NonNullable<Origin["behaviour"]["instead"]>>> = {
    silent: () => true,
    dripping(_request, response) {
      response.writeHead(206, { "content-range": "bytes 0-99999/100000", "content-length": "100000" });
      const drip = setInterval(() => response.write("x"), 20);
      response.once("close", () => clearInterval(drip));
      return true;
    },
    lying(_request, response) {
      response.writeHead(206, { "content-range": "bytes 500-99999/100000" }).end("nothing of that");
      return true;
    },
    endless(_request, response) {
      response.writeHead(200);
      const part = Buffer.alloc(65_536, 1);
      const pour = () => {
        while (!response.destroyed && response.write(part));
      };
      response.on("drain", pour);
      pour();
      return true;
    },
  };
  test.each(Object.entries(misdeeds))("%s", async (_name, instead) => {
    const origin = await originOf({});
    const { get, service } = await serviceOver(origin, "1s");
    origin.behaviour.instead = instead;
    const bad = [1, 2, 3, 4].map((n) => get(`/iiif/3/web%2F${n}.jpg/full/max/0/default.png`));
    expect((await get(local)).status).toBe(200);
    for (const answer of bad) {
      const response = await answer;
      expect(response.status).toBe(500);
      expect((await response.json()).code).toMatch(/^origin_(unavailable|bad_answer|too_large)$/);
    }
    expect(service.images.probes.status()).toMatchObject({ running: 0, away: 0, waiting: 0 });
  });
});
