// `smalti warm`, as an operator runs it: to its end, interrupted and continued, and with mistakes.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Built, buildProgram } from "./built.ts";

let built: Built;
let folder: string;
const images = 60;

beforeAll(async () => {
  built = await buildProgram();
  folder = mkdtempSync(join(tmpdir(), "smalti-warm-cli-"));
  mkdirSync(join(folder, "masters/box"), { recursive: true });
  for (let i = 0; i < images; i++) {
    const plain = {
      create: { width: 1400, height: 1100, channels: 3, background: { r: i, g: 0, b: 9 } },
    } as const;
    writeFileSync(join(folder, `masters/box/${i}.jpg`), await sharp(plain).jpeg().toBuffer());
  }
  const on = `{ backend: filesystem, path: ${JSON.stringify(join(folder, "cache"))} }`;
  const root = JSON.stringify(join(folder, "masters"));
  writeFileSync(
    join(folder, "smalti.yaml"),
    `sources: [{ name: masters, type: filesystem, root: ${root} }]\ncache: { info: ${on}, origin: ${on}, render: ${on} }\n`,
  );
  writeFileSync(
    join(folder, "memory.yaml"),
    `sources: [{ name: masters, type: filesystem, root: ${root} }]\ncache: { origin: { backend: heap } }\n`,
  );
});
afterAll(() => {
  built.remove();
  rmSync(folder, { recursive: true });
});
beforeEach(() => rmSync(join(folder, "cache"), { recursive: true, force: true }));

const warm = (...args: string[]) => built.run(["warm", "-config", "smalti.yaml", ...args], { cwd: folder });

/** Entries that a cache holds in files. */
function entries(cache: string): number {
  try {
    const names = readdirSync(join(folder, "cache", cache), { recursive: true }) as string[];
    return names.filter((name) => /[0-9a-f]{64}$/.test(name)).length;
  } catch {
    return 0;
  }
}

describe("smalti warm", () => {
  test("continues after an interruption, and leaves what is done", async () => {
    const started = built.start(["warm", "-config", "smalti.yaml", "--json"], { cwd: folder });
    while (entries("info") < 10 && started.process.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 5));
    started.process.kill("SIGINT");
    const { code, out, err } = await started.ended;
    expect([code, out]).toEqual([130, ""]);
    const [, done] = /^smalti: interrupted after (\d+) files; the same command continues/.exec(err) ?? [];
    expect(Number(done)).toBeGreaterThan(5);
    expect(Number(done)).toBeLessThan(images);

    const second = await warm("--json");
    expect([second.code, second.err]).toEqual([0, ""]);
    const report = JSON.parse(second.out);
    expect(report).toMatchObject({ files: images, failed: 0, interrupted: false });
    expect(report.filesMade).toBeLessThanOrEqual(images - Number(done) + 1);
    expect(report.sidecars.made + report.sidecars.found).toBe(images);

    const third = await warm();
    expect([third.code, third.err]).toEqual([0, ""]);
    expect(third.out).toContain(`${images} files in `);
    expect(third.out).toContain(`0 warmed, ${images} were warm already, 0 failed`);
  });

  test("warms a folder that is named like one for serve, and exits 1 if a file fails", async () => {
    writeFileSync(join(folder, "masters/empty.tif"), "");
    const env = { XDG_CACHE_HOME: join(folder, "cache") };
    const { code, out } = await built.run(["warm", "masters", "--levels", "0"], { cwd: folder, env });
    rmSync(join(folder, "masters/empty.tif"));
    expect(code).toBe(1);
    expect(out).toMatch(/failed:\n {2}empty\.tif {2}This file is empty.* \[unsupported_format\]/);
    expect(out).toContain("cache.render is in the memory of each process");
    expect(out).toContain("cache.info is in the memory of each process");
    // The sidecars are in files.
    expect(out).toMatch(/^written: +[^,\n]+ to origin$/m);
  });

  test("says what is wrong with its words and its configuration", async () => {
    const inMemory = await built.command(["warm", "-config", "memory.yaml"], { cwd: folder });
    expect([inMemory.code, inMemory.err]).toEqual([
      1,
      expect.stringContaining("no cache of this configuration outlives a process"),
    ]);
    expect((await built.command(["warm"], { cwd: folder })).err).toContain("expected a folder of images");
    expect((await built.command(["warm", "nowhere"], { cwd: folder })).err).toContain("does not exist here");
    expect((await built.command(["warm", "--concurrency", "0"])).code).toBe(2);
  });
});
