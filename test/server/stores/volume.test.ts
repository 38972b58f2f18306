// Bounds of slots against memory and disk, and a volume that gets full: a small tmpfs, which root may mount.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { silentLog } from "../../../src/base/telemetry/log.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { boundOf } from "../../../src/server/stores/bounds.ts";
import { buildSlots } from "../../../src/server/stores/index.ts";
import { cacheOptions } from "../../../src/server/stores/options.ts";
import { doubtfulHeaps, doubtfulVolumes } from "../../../src/server/stores/volume.ts";
import { hang } from "../../limits.ts";
import { type Served, served } from "../../served.ts";

const GiB = 2 ** 30;
const doubts = async (cache: object, memoryBytes: number, env: Record<string, string> = {}) => {
  const options = cacheOptions.parse(cache);
  const slots = buildSlots(options, { files: nodeFiles(), env, memoryBytes }, silentLog);
  const all = [...doubtfulHeaps(options, memoryBytes), ...(await doubtfulVolumes(options, slots))];
  return all.map(({ where, text }) => `${where}: ${text}`);
};

describe("caches in memory", () => {
  test("are doubted if they may take more than three quarters of it together", async () => {
    const heap = (max_bytes: string) => ({ backend: "heap", max_bytes });
    const [doubt, ...others] = await doubts({ render: heap("500GiB"), origin: { backend: "none" } }, 4 * GiB);
    expect(doubt).toMatch(
      /^cache\.render\.max_bytes: the caches in memory may take 500\.2 GiB together, but .* has 4 GiB/,
    );
    expect(others).toEqual([]);
    const none = { backend: "none" };
    const cache = {
      render: heap("2GiB"),
      info: heap("512MiB"),
      origin: heap("512MiB"),
      text: none,
      changes: none,
    };
    expect(await doubts(cache, 4 * GiB)).toEqual([]);
    expect(await doubts({ ...cache, info: heap("513MiB") }, 4 * GiB)).toHaveLength(1);
  });

  test("of masters take 256 MiB by default, and 4 GiB in files", () => {
    expect(boundOf("origin", { backend: "heap", max_bytes: "" }, 8 * GiB)).toBe(GiB / 4);
    expect(boundOf("origin", { backend: "filesystem", max_bytes: "" }, 8 * GiB)).toBe(4 * GiB);
  });
});

let volume: string;
let mounted = false;
beforeAll(() => {
  volume = mkdtempSync(join(tmpdir(), "smalti-volume-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", volume], { stdio: "ignore" });
    mounted = true;
  } catch {
    // Only root may; in CI the tests below fail then.
  }
});
afterAll(() => {
  if (mounted) execFileSync("umount", ["-l", volume]);
  rmSync(volume, { recursive: true });
});

describe("a volume of 8 MiB", () => {
  const origin = () => ({ backend: "filesystem", path: join(volume, "deep/cache") });

  test("is too small for a slot of 4 GiB, and large enough for one of 4 MiB", async (context) => {
    if (!mounted && !process.env.CI) context.skip();
    expect(await doubts({ origin: origin() }, 4 * GiB)).toEqual([
      expect.stringMatching(
        /^cache\.origin\.max_bytes: may grow to 4 GiB, but the volume .* has 8 MiB in all/,
      ),
    ]);
    expect(await doubts({ origin: { ...origin(), max_bytes: "4MiB" } }, 4 * GiB)).toEqual([]);
  });

  test("that is full is unhealthy in /ready, which stays 200, on the page of the caches, and in the figures", async (context) => {
    if (!mounted && !process.env.CI) context.skip();
    const env = { SERVICE_ADMIN_USER: "ada", SERVICE_ADMIN_PASS: "analytical" };
    const headers = { Authorization: `Basic ${btoa("ada:analytical")}` };
    const cache = JSON.stringify({ render: { ...origin(), max_bytes: "4MiB" }, origin: { backend: "none" } });
    const start = () => served(`metrics: { enabled: true }\ncache: ${cache}`, env);
    const read = async (app: Served) => {
      const [ready, page, metrics] = (await Promise.all(
        ["/ready", "/admin/cache", "/metrics"].map((target) => app.get(target, { headers })),
      )) as [Response, Response, Response];
      const { caches } = (await ready.json()) as {
        caches: { name: string; healthy: boolean; error?: string }[];
      };
      const figures = await metrics.text();
      await app.service.close();
      return {
        status: ready.status,
        render: caches.find(({ name }) => name === "render"),
        page: await page.text(),
        free: Number(/^smalti_cache_volume_free_bytes\{slot="render"\} (\d+)/m.exec(figures)?.[1]),
        size: Number(/^smalti_cache_volume_size_bytes\{slot="render"\} (\d+)/m.exec(figures)?.[1]),
      };
    };
    /** On a busy machine a check may be late, and is not at another look. */
    const readOnce = (expected: object) =>
      vi.waitFor(async () => {
        const found = await read(await start());
        expect(found).toMatchObject({ status: 200, ...expected });
        return found;
      }, hang);
    const before = await readOnce({ render: { healthy: true }, size: 8 * 2 ** 20 });
    expect(before.free).toBeGreaterThan(7 * 2 ** 20);
    mkdirSync(join(volume, "other"));
    writeFileSync(join(volume, "other/large"), new Uint8Array(before.free - 200_000));
    const full = await readOnce({
      render: { healthy: false, error: expect.stringMatching(/volume is full: .* of 8 MiB are free/) },
      page: expect.stringContaining("volume is full"),
    });
    expect(full.free).toBeLessThan(2 ** 20);
  });
});
