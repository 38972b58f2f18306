// Spellings of one image, of which there may be endlessly many: each is the image's own entry in the caches,
// or is not found.

import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixture, fixturesFolder } from "../host.ts";
import { type Served, served } from "../served.ts";
import { masterOf, type Origin, startOrigin } from "../servers/origin.ts";

let root: string;
let origin: Origin;
beforeAll(async () => {
  origin = await startOrigin({ "a.jpg": masterOf(fixture("jpg-baseline-420.jpg")) });
  root = mkdtempSync(join(tmpdir(), "smalti-identifiers-"));
  for (const folder of ["l", "other", "deep/er"]) mkdirSync(join(root, folder), { recursive: true });
  copyFileSync(join(fixturesFolder, "base.png"), join(root, "l", "a.png"));
  symlinkSync("..", join(root, "l", "up")); // to a folder on its way
  symlinkSync(".", join(root, "l", "self"));
  symlinkSync("../../l", join(root, "deep", "er", "to-l")); // no loop
  symlinkSync("../other", join(root, "l", "to-other")); // two folders that name each other
  symlinkSync("../l", join(root, "other", "to-l"));
});
afterAll(async () => {
  rmSync(root, { recursive: true });
  await origin.close();
});

const inFolder = (options = "") =>
  served(
    `sources: [{ name: f, type: filesystem, root: ${JSON.stringify(root)}, prefix: "f/" }]\ncache: { render: { backend: heap } }\n${options}`,
  );
const byUrl = () =>
  served(
    `sources: [{ name: w, type: http, url: "{identifier}", allowed_hosts: [${JSON.stringify(new URL(origin.url).host)}], allow_private: true }]\ncache: { render: { backend: heap }, origin: { backend: heap } }`,
  );

/** Statuses of an image under some raw identifiers, and the number of cached derivatives afterwards. */
async function requested(app: Served, identifiers: readonly string[]) {
  const statuses: number[] = [];
  for (const identifier of identifiers) {
    const response = await app.get(`/iiif/3/${identifier}/full/60,/0/default.png`);
    await response.arrayBuffer();
    statuses.push(response.status);
  }
  await app.service.slots.render.whenSettled();
  const { entries } = (await app.service.slots.render.usage?.()) ?? { entries: Number.NaN };
  await app.service.close();
  return { statuses: new Set(statuses), entries };
}
const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n));

describe("a folder with links", () => {
  test.each([
    ["to a folder above", (n: number) => `${"l/up/".repeat(n + 1)}l/a.png`],
    ["to itself", (n: number) => `l/${"self/".repeat(n + 1)}a.png`],
    [
      "to each other",
      (n: number) => `${"l/to-other/to-l/".repeat(n + 1)}a.png`.replace(/\/l\/to-other/g, "/to-other"),
    ],
    [
      "to a folder above, behind a link that is no loop",
      (n: number) => `deep/er/to-l/${"up/l/".repeat(n + 1)}a.png`,
    ],
  ])("%s serves no endless names", async (_, name) => {
    const names = times(30, name).map((each) => encodeURIComponent(each));
    expect(await requested(await inFolder(), names)).toEqual({ statuses: new Set([404]), entries: 0 });
  });

  test("that are no loops serves their names", async () => {
    const names = ["l/a.png", "deep/er/to-l/a.png", "other/to-l/a.png"];
    const { statuses, entries } = await requested(await inFolder(), names.map(encodeURIComponent));
    expect([...statuses]).toEqual([200]);
    expect(entries).toBe(3);
  });

  test("has no endless manifests and collections", async () => {
    const app = await inFolder();
    const statusOf = async (path: string) => (await app.get(`/iiif/presentation/3/${path}`)).status;
    expect(await statusOf("l")).toBe(200);
    expect(await statusOf("deep/er/to-l")).toBe(200);
    for (const path of ["l/up", "l/up/l", "l/up/l/up/l", "l/self", "l/to-other/to-l", "deep/er/to-l/up"])
      expect([path, await statusOf(path)]).toEqual([path, 404]);
    await app.service.close();
  });
});

describe("an image in a folder has one entry", () => {
  const spellings = [
    "l%2Fa.png",
    "l/a.png",
    "l//a.png",
    "/l/a.png",
    "l%2fa.png",
    "%6C/%61.png",
    "f%2Fl%2Fa.png",
    "f/l/a.png",
    "l%2Fa.png;1",
    "f%2Fl%2Fa.png;1",
    "l%2Fa.png%3B1",
  ];
  test("by all spellings of its identifier, with the prefix of the source and the first page", async () => {
    expect(await requested(await inFolder(), spellings)).toEqual({ statuses: new Set([200]), entries: 1 });
  });

  test("and none by others", async () => {
    const others = [
      ...times(5, (n) => `l%2F${".%2F".repeat(n + 1)}a.png`),
      ...times(5, (n) => `l%2F${"..%2Fl%2F".repeat(n + 1)}a.png`),
      ...times(5, (n) => `l%2F${"%2F".repeat(n + 1)}a.png`),
      ...times(5, (n) => `l%2Fa.png;${"0".repeat(n + 1)}1`),
      ...times(5, (n) => `l%2Fa.png${";1".repeat(n + 2)}`),
      ...times(5, (n) => `l%2Fa.png${"%20".repeat(n + 1)}`),
      ...times(5, (n) => `l%2Fa.png${".".repeat(n + 1)}`),
      ...times(5, (n) => `${"f%2F".repeat(n + 2)}l%2Fa.png`),
      "L%2Fa.png",
      "l%2FA.PNG",
      "l%5Ca.png",
      "l%2Fa.png%2F",
      "l%252Fa.png",
      "l%2Fa.png%00",
    ];
    const { statuses, entries } = await requested(await inFolder(), others);
    expect([...statuses].filter((status) => status < 400)).toEqual([]);
    expect(entries).toBe(0);
  });

  test("under endless names that a hook maps to it", async () => {
    const app = await inFolder(`hook: { engine: lookup, lookup: { template: "l/a.png" } }`);
    const names = times(30, (n) => `any-${n}`);
    expect(await requested(app, names)).toEqual({ statuses: new Set([200]), entries: 1 });
  });
});

test("an image of a web server has one entry by all spellings of its URL", async () => {
  const { host, port } = new URL(origin.url);
  const urls = [
    `http://${host}/a.jpg`,
    `HTTP://${host}/a.jpg`,
    `http://${host}/%61.jpg`,
    `http://${host}/a%2Ejpg`,
    `http://127.1:${port}/a.jpg`,
    `http://0x7f000001:${port}/a.jpg`,
    ...times(30, (n) => `http://${host}/a.jpg#${n}`),
  ];
  const { statuses, entries } = await requested(await byUrl(), urls.map(encodeURIComponent));
  expect([...statuses]).toEqual([200]);
  expect(entries).toBe(1);
});
