import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../src/lib/log.ts";
import { nodeFiles } from "../../src/platform/node-files.ts";
import { buildSlots } from "../../src/stores/index.ts";
import { cacheOptions } from "../../src/stores/options.ts";
import { type Folder, filesBelow, temporaryFolder } from "./folder.ts";

let folder: Folder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const files = nodeFiles();
const value = Uint8Array.of(1, 2, 3);

/** Slots of a configuration, with what was logged. */
function slotsOf(cache: unknown, platform: Parameters<typeof buildSlots>[1]) {
  const logged: string[] = [];
  const slots = buildSlots(cacheOptions.parse(cache), platform, {
    ...silentLog,
    warn: (message) => logged.push(message),
  });
  return { slots, logged };
}

describe("the cache slots", () => {
  it("keep entries of one name apart where they share a folder", async () => {
    const backend = { backend: "filesystem", path: folder.path };
    const { slots } = slotsOf({ render: backend, info: backend, origin: backend }, { files, env: {} });
    slots.render.put("a", "", value);
    await slots.render.settled();
    expect(await slots.info.get("a", "")).toBeUndefined();
    await slots.info.clear?.();
    expect(await slots.render.get("a", "")).toEqual(value);
    expect(await readdir(folder.path)).toEqual(["render"]);
    await slots.close();
  });

  it.each([
    ["XDG_CACHE_HOME", (path: string) => ({ XDG_CACHE_HOME: path, HOME: "/nowhere" }), "smalti/origin"],
    ["HOME", (path: string) => ({ HOME: path, XDG_CACHE_HOME: "" }), ".cache/smalti/origin"],
  ])("lie below %s when no folder is set", async (_, env, below) => {
    const { slots, logged } = slotsOf(undefined, { files, env: env(folder.path) });
    slots.origin.put("a", "", value);
    await slots.close();
    const [file = ""] = await filesBelow(folder.path);
    expect(file.startsWith(join(folder.path, below))).toBe(true);
    expect(logged).toEqual([]);
  });

  it("are kept in memory, with one warning, where the default folder cannot be written", async () => {
    await writeFile(join(folder.path, "file"), "");
    const { slots, logged } = slotsOf(undefined, {
      files,
      env: { XDG_CACHE_HOME: join(folder.path, "file") },
    });
    for (const name of ["a", "b"]) slots.origin.put(name, "", value);
    await slots.origin.settled();
    expect([await slots.origin.get("a", ""), await slots.origin.get("b", "")]).toEqual([value, value]);
    expect(logged.length).toBe(1);
  });

  it("are kept in memory, with one warning, where the runtime has no files", async () => {
    const { slots, logged } = slotsOf(undefined, { env: {} });
    slots.origin.put("a", "", value);
    await slots.origin.settled();
    expect(await slots.origin.get("a", "")).toEqual(value);
    expect(logged.length).toBe(1);
  });

  it("do not leave a folder that was chosen, but say that it cannot be used", async () => {
    await writeFile(join(folder.path, "file"), "");
    const origin = { backend: "filesystem", path: join(folder.path, "file") };
    const { slots } = slotsOf({ origin }, { files, env: {} });
    await expect(slots.origin.check()).rejects.toThrow("cannot be written");
    slots.origin.put("a", "", value);
    await slots.origin.settled();
    expect(await slots.origin.get("a", "")).toBeUndefined();
  });

  it("say in words what they are", () => {
    const { slots } = slotsOf(
      { info: { backend: "none" }, origin: { backend: "heap", ttl: "0s" } },
      { env: {} },
    );
    expect(slots.all.map((slot) => slot.about)).toEqual([
      "heap, up to 256 MiB, kept for 1d",
      "off",
      "heap, up to 4 GiB",
    ]);
  });
});

describe("the options of the slots", () => {
  it("have the defaults of the documentation", () => {
    expect(cacheOptions.parse(undefined)).toEqual({
      render: { backend: "heap", max_bytes: "256MiB", ttl: "24h" },
      info: { backend: "heap", max_bytes: "64MiB", ttl: "24h" },
      origin: { backend: "filesystem", path: "", max_bytes: "4GiB", ttl: "7d" },
    });
  });

  it.each([
    [{ render: { backend: "disk" } }],
    [{ render: { backend: "heap", path: "/x" } }],
    [{ render: { backend: "heap", max_bytes: "1 GB" } }],
    [{ render: { backend: "heap", ttl: 30 } }],
    [{ renders: { backend: "heap" } }],
  ])("refuse %j", (cache) => expect(cacheOptions.safeParse(cache).success).toBe(false));
});
