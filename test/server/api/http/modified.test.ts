// If-Modified-Since: a date identifies a response only while neither master nor settings can have changed
// since.

import { copyFileSync, mkdtempSync, renameSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fixturesFolder } from "../../../host.ts";
import { type Served, served } from "../../../served.ts";

const image = "/iiif/3/base.png/full/60,/0/default.jpg";
const targets = [image, "/iiif/3/base.png/info.json"];

/** Later than the files, whenever they were made. */
const start = Date.now() + 60_000;
let folder: string;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: start });
  folder = mkdtempSync(join(tmpdir(), "smalti-modified-"));
  copyFileSync(join(fixturesFolder, "base.png"), join(folder, "base.png"));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

const over = (yaml = "") =>
  served(
    `${yaml}\nsources: [{ name: a, type: filesystem, root: ${JSON.stringify(folder)}, revalidate: 0s }]`,
  );
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);
const dateOf = async (app: Served, target: string) =>
  (await app.get(target, { method: "HEAD" })).headers.get("Last-Modified") ?? "";
const statusSince = async (app: Served, target: string, since: string, more: Record<string, string> = {}) =>
  (await app.get(target, { headers: { "If-Modified-Since": since, ...more } })).status;

describe.each(targets)("If-Modified-Since on %s", (target) => {
  test("is 304 while nothing has changed", async () => {
    const app = await over();
    pass(2000);
    const date = await dateOf(app, target);
    expect(Math.abs(Date.parse(date) - start)).toBeLessThanOrEqual(1000);
    expect(await statusSince(app, target, date)).toBe(304);
    pass(86_400_000);
    expect(await dateOf(app, target)).toBe(date);
    expect(await statusSince(app, target, date)).toBe(304);
  });

  test.each([
    "image: { jpeg_quality: 40 }",
    "image: { max_output_width: 100 }",
    "image: { tile_size: 256 }",
    "",
  ])("is 200 after a restart, with any settings: %j", async (yaml) => {
    const before = await over();
    pass(2000);
    const date = await dateOf(before, target);
    const after = await over(yaml);
    pass(2000);
    expect(await statusSince(after, target, date)).toBe(200);
    expect(await statusSince(after, target, await dateOf(after, target))).toBe(304);
  });

  test("is 200 on a server that started earlier, which may have other settings", async () => {
    const early = await over();
    pass(5000);
    const late = await over("image: { jpeg_quality: 40 }");
    pass(5000);
    expect(await statusSince(early, target, await dateOf(late, target))).toBe(200);
  });

  test("is 200 for any other date, including a later one, and for invalid values", async () => {
    const app = await over();
    pass(2000);
    const later = new Date(start + 3_600_000).toUTCString();
    for (const date of [later, new Date(0).toUTCString(), "yesterday", ""])
      expect([date, await statusSince(app, target, date)]).toEqual([date, 200]);
  });

  test("counts the time at which an older file took the place of the master", async () => {
    vi.setSystemTime(start - 3_600_000);
    const app = await over();
    const other = join(folder, "other.png");
    copyFileSync(join(fixturesFolder, "base.png"), other);
    utimesSync(other, 1e9, 1e9); // 2001
    renameSync(other, join(folder, "base.png"));
    vi.setSystemTime(start);
    expect(await statusSince(app, target, new Date(start - 3_600_000).toUTCString())).toBe(200);
    // The file system has its own clock, which is that of the machine.
    expect(Date.parse(await dateOf(app, target))).toBeGreaterThan(start - 1_800_000);
  });

  test("gives way to If-None-Match", async () => {
    const app = await over();
    pass(2000);
    const date = await dateOf(app, target);
    expect(await statusSince(app, target, date, { "If-None-Match": '"other"' })).toBe(200);
  });

  test("has no date within the first second, which two states may share", async () => {
    const app = await over();
    expect(await dateOf(app, target)).toBe("");
    pass(1000);
    expect(await dateOf(app, target)).not.toBe("");
  });

  test("has no date if the file is from the future", async () => {
    utimesSync(join(folder, "base.png"), start / 1000 + 9999, start / 1000 + 9999);
    const app = await over();
    pass(2000);
    expect(await dateOf(app, target)).toBe("");
  });
});
