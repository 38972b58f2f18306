import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { silentLog } from "../../../src/base/telemetry/log.ts";
import { imageOptions, memoryBudget } from "../../../src/server/images/options.ts";
import { nodeFiles } from "../../../src/server/platform/files/node-files.ts";
import { buildSlots } from "../../../src/server/stores/index.ts";
import { cacheOptions } from "../../../src/server/stores/options.ts";
import { startRedis } from "../../servers/redis.ts";
import { startS3 } from "../../servers/s3.ts";
import { type Folder, filesBelow, temporaryFolder } from "./filesystem/folder.ts";

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const MiB = 2 ** 20;
const files = nodeFiles();
const value = Uint8Array.of(1, 2, 3);

/** Creates the slots of a configuration, and records the log. */
function slotsOf(
  cache: unknown,
  platform: Omit<Parameters<typeof buildSlots>[1], "memoryBytes">,
  memoryBytes = 8 * 2 ** 30,
) {
  const logged: string[] = [];
  const slots = buildSlots(
    cacheOptions.parse(cache),
    { memoryBytes, ...platform },
    {
      ...silentLog,
      warn: (message) => logged.push(message),
    },
  );
  return { slots, logged };
}

describe("the cache slots", () => {
  it("keep entries of one name separate if they share a folder", async () => {
    const backend = { backend: "filesystem", path: folder.path };
    const { slots } = slotsOf({ render: backend, info: backend, origin: backend }, { files, env: {} });
    slots.render.put("a", "", value);
    await slots.render.whenSettled();
    expect(await slots.info.get("a", "")).toBeUndefined();
    await slots.info.clear?.();
    expect(await slots.render.get("a", "")).toEqual(value);
    expect(await readdir(folder.path)).toEqual(["render"]);
    await slots.close();
  });

  it.each([
    ["XDG_CACHE_HOME", (path: string) => ({ XDG_CACHE_HOME: path, HOME: "/nowhere" }), "smalti/origin"],
    ["HOME", (path: string) => ({ HOME: path, XDG_CACHE_HOME: "" }), ".cache/smalti/origin"],
  ])("are below %s when no folder is set", async (_, env, below) => {
    const { slots, logged } = slotsOf(undefined, { files, env: env(folder.path) });
    slots.origin.put("a", "", value);
    await slots.close();
    const [file = ""] = await filesBelow(folder.path);
    expect(file.startsWith(join(folder.path, below))).toBe(true);
    expect(logged).toEqual([]);
  });

  it("are in memory, with one warning, if the default folder cannot be written", async () => {
    await writeFile(join(folder.path, "file"), "");
    const { slots, logged } = slotsOf(undefined, {
      files,
      env: { XDG_CACHE_HOME: join(folder.path, "file") },
    });
    for (const name of ["a", "b"]) slots.origin.put(name, "", value);
    await slots.origin.whenSettled();
    expect([await slots.origin.get("a", ""), await slots.origin.get("b", "")]).toEqual([value, value]);
    expect(logged.length).toBe(1);
  });

  it("are in memory, with one warning, if a folder is set and the runtime has no files", async () => {
    const { slots, logged } = slotsOf({ origin: { backend: "filesystem", path: "/cache" } }, { env: {} });
    slots.origin.put("a", "", value);
    await slots.origin.whenSettled();
    expect(await slots.origin.get("a", "")).toEqual(value);
    expect(logged.length).toBe(1);
  });

  it("are in memory by default if the runtime has no files, and say so", async () => {
    const { slots, logged } = slotsOf(undefined, { env: {} }, 2 ** 27);
    slots.origin.put("a", "", value);
    await slots.origin.whenSettled();
    expect(await slots.origin.get("a", "")).toEqual(value);
    expect(slots.all.map(({ backend, about }) => [backend, about])).toEqual([
      ["heap", "heap, up to 16 MiB, kept for 1d"],
      ["heap", "heap, up to 4 MiB, kept for 1d"],
      ["heap", "heap, up to 8 MiB, kept for 7d"],
      ["heap", "heap, up to 2 MiB"],
      ["heap", "heap, up to 1 MiB"],
    ]);
    expect(logged).toEqual([]);
  });

  it.each([
    // A quarter for renders, and 1/8, 1/32, 1/16, 1/64 and 1/128 for the slots: 63/128 in all.
    [128 * MiB, [32, 16, 4, 8, 2, 1]],
    [512 * MiB, [128, 64, 16, 32, 8, 4]],
    [24 * 1024 * MiB, [2048, 256, 64, 64, 64, 64]],
  ])("leave half of %d bytes of memory to others, renders included", (memory, shares) => {
    const { slots } = slotsOf(undefined, { env: {} }, memory);
    const bounds = slots.all.map((slot) => (slot.maxBytes?.() ?? Number.NaN) / MiB);
    const taken = [memoryBudget(imageOptions.parse({}), memory) / MiB, ...bounds];
    expect(taken).toEqual(shares);
    expect(taken.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(memory / 2 / MiB);
  });

  it("follow the configuration, however small the machine", () => {
    const cache = { render: { max_bytes: "1GiB" }, info: { backend: "heap", max_bytes: 12345 } };
    const { slots } = slotsOf(cache, { env: {} }, 128 * MiB);
    expect([slots.render.maxBytes?.(), slots.info.maxBytes?.()]).toEqual([2 ** 30, 12345]);
  });

  it("use memory instead of a configured folder, and report that it cannot be used", async () => {
    await writeFile(join(folder.path, "file"), "");
    const origin = { backend: "filesystem", path: join(folder.path, "file") };
    const { slots } = slotsOf({ origin }, { files, env: {} });
    await expect(slots.origin.check()).rejects.toThrow("cannot be written");
    slots.origin.put("a", "", value);
    await slots.origin.whenSettled();
    expect(await slots.origin.get("a", "")).toEqual(value);
    await expect(slots.origin.check()).rejects.toThrow("cannot be written");
  });

  it("are separate by their names in one bucket and in one Redis", async () => {
    const bucket = await startS3({ account: undefined });
    const redis = await startRedis();
    const backends = [
      `{ backend: s3, bucket: ${bucket.bucket}, endpoint: "${bucket.url}", path_style: true, timeout: 60s, anonymous: true }`,
      `{ backend: redis, addr: "127.0.0.1:${redis.port}", timeout: 60s }`,
    ].map((text) => parse(text));
    for (const backend of backends) {
      const { slots } = slotsOf({ render: backend, info: backend, origin: backend }, { env: {} });
      slots.render.put("a", "", value);
      await slots.render.whenSettled();
      expect(await slots.info.get("a", "")).toBeUndefined();
      await slots.info.delete("a");
      await slots.info.clear?.();
      expect(await slots.render.get("a", "")).toEqual(value);
      await slots.close();
    }
    expect([...bucket.objects.keys()].every((key) => key.startsWith("smalti/render/v1/"))).toBe(true);
    expect((await redis.admin.keys("*")).every((key) => key.startsWith("{smalti/render}:"))).toBe(true);
    await Promise.all([bucket.close(), redis.close()]);
  });

  it("describe themselves in words", () => {
    const { slots } = slotsOf(
      { info: { backend: "none" }, origin: { backend: "heap", ttl: "0s" } },
      { env: {} },
    );
    expect(slots.all.map((slot) => slot.about)).toEqual([
      "heap, up to 256 MiB, kept for 1d",
      "off",
      "heap, up to 256 MiB",
      "heap, up to 64 MiB",
      "heap, up to 64 MiB",
    ]);
    const shared = slotsOf(
      {
        render: { backend: "s3", bucket: "tiles", anonymous: true },
        info: { backend: "redis", addr: "redis:6379", max_memory: "1GiB", ttl: "0s" },
        origin: { backend: "redis", url: "https://redis.example.org", token_env: "TOKEN" },
      },
      { env: { TOKEN: "secret-token" } },
    );
    expect(shared.slots.all.map((slot) => slot.about)).toEqual([
      "s3, kept for 1d",
      "redis, up to 1 GiB",
      "redis, up to 4 GiB, kept for 7d",
      "heap, up to 64 MiB",
      "heap, up to 64 MiB",
    ]);
  });

  it("name the variable of a secret that is not set", () => {
    const redis = { backend: "redis", addr: "redis:6379", password_env: "REDIS_PASSWORD" };
    expect(() => slotsOf({ render: redis }, { env: {} })).toThrow("REDIS_PASSWORD");
    expect(() => slotsOf({ render: { backend: "s3", bucket: "tiles" } }, { env: {} })).toThrow(
      "AWS_ACCESS_KEY_ID",
    );
  });
});

describe("the options of the slots", () => {
  it("have the defaults of the documentation", () => {
    expect(cacheOptions.parse(undefined)).toEqual({
      render: { backend: "heap", max_bytes: "", ttl: "24h" },
      info: { backend: "heap", max_bytes: "", ttl: "24h" },
      origin: { backend: "filesystem", path: "", max_bytes: "", ttl: "7d" },
      text: { backend: "heap", max_bytes: "", ttl: "0s" },
      changes: { backend: "heap", max_bytes: "", ttl: "0s" },
    });
  });

  it.each([
    [{ render: { backend: "disk" } }],
    [{ render: { backend: "heap", path: "/x" } }],
    [{ render: { backend: "heap", max_bytes: "1 GB" } }],
    [{ render: { backend: "heap", ttl: 30 } }],
    [{ renders: { backend: "heap" } }],
    [{ render: { backend: "s3" } }],
    [{ render: { backend: "s3", bucket: "a" } }],
    [{ render: { backend: "s3", bucket: "tiles", max_bytes: "1GiB" } }],
    [{ render: { backend: "s3", bucket: "tiles", endpoint: "https://key:secret@s3.example.org" } }],
    [{ render: { backend: "s3", bucket: "tiles", prefix: "../../" } }],
    [{ render: { backend: "s3", bucket: "tiles", timeout: "0s" } }],
    [{ render: { backend: "s3", bucket: "tiles", timeout: "1d" } }],
    [{ render: { backend: "s3", bucket: "tiles", timeout: "fast" } }],
    [{ render: { backend: "redis" } }],
    [{ render: { backend: "redis", addr: "redis://:secret@redis:6379" } }],
    [{ render: { backend: "redis", addr: "redis:6379", url: "https://redis.example.org", token_env: "T" } }],
    [{ render: { backend: "redis", url: "https://redis.example.org" } }],
    [{ render: { backend: "redis", addr: "redis:6379", prefix: "a*" } }],
    [{ render: { backend: "redis", addr: "redis:6379", max_bytes: "1GiB" } }],
  ])("refuse %j", (cache) => expect(cacheOptions.safeParse(cache).success).toBe(false));
});
