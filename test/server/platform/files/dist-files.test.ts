// Files next to the bundle, and the small facts of requests.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodePlatform } from "../../../../src/server/platform/node.ts";
import { listeningUrl } from "../../../../src/server/platform/server/listening.ts";
import { targetOf } from "../../../../src/server/platform/server/request-facts.ts";

const top = mkdtempSync(join(tmpdir(), "smalti-dist-"));
const emptyModule = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const platform = nodePlatform(pathToFileURL(`${top}/`));

beforeAll(() => {
  mkdirSync(join(top, "static/d"), { recursive: true });
  mkdirSync(join(top, "wasm/on-demand"), { recursive: true });
  writeFileSync(join(top, "secret"), "secret");
  writeFileSync(join(top, "static/d/a b%.txt"), "text");
  writeFileSync(join(top, "wasm/empty.wasm"), emptyModule);
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

describe("assets", () => {
  it("are read by relative path", async () => {
    expect(new TextDecoder().decode(await platform.asset("d/a b%.txt"))).toBe("text");
  });

  it.each([
    "../secret",
    "d/../../secret",
    "..\\secret",
    "d/./a b%.txt",
    "d//a b%.txt",
    "/d",
    "",
    "d",
    "none",
    "d\0",
    "%2e%2e/secret",
  ])("are not read from outside or in another spelling: %j", async (path) => {
    expect(await platform.asset(path)).toBeUndefined();
  });
});

describe("modules", () => {
  it("are compiled once", () => {
    expect(platform.wasm("empty")).toBeInstanceOf(WebAssembly.Module);
    expect(platform.wasm("empty")).toBe(platform.wasm("empty"));
  });

  it.each(["none", "../wasm/empty", ""])("that are missing throw: %j", (name) => {
    expect(() => platform.wasm(name)).toThrow();
  });

  it("on demand are read when they are first asked for, again after a failure, and compiled once", async () => {
    await expect(platform.loadWasm("late")).rejects.toThrow("ENOENT");
    writeFileSync(join(top, "wasm/on-demand/late.module"), emptyModule);
    const [first, second] = await Promise.all([platform.loadWasm("late"), platform.loadWasm("late")]);
    expect(first).toBeInstanceOf(WebAssembly.Module);
    expect(second).toBe(first);
  });

  it.each(["none", "../empty", ""])("on demand that are missing are rejected: %j", async (name) => {
    await expect(platform.loadWasm(name)).rejects.toThrow();
  });
});

describe("the machine", () => {
  it("has at least one processor and some memory", () => {
    expect(platform.parallelism).toBeGreaterThanOrEqual(1);
    expect(platform.memoryBytes).toBeGreaterThan(1 << 24);
  });

  it("deflates to zlib format at the level asked for", async () => {
    const data = new Uint8Array(100_000).map((_, i) => (i * i) >> 8);
    const [fast, small] = await Promise.all([platform.deflate(data, 1), platform.deflate(data, 9)]);
    expect(new Uint8Array(inflateSync(fast))).toEqual(data);
    expect(new Uint8Array(inflateSync(small))).toEqual(data);
    expect(small.length).toBeLessThan(fast.length);
  });
});

describe("request facts", () => {
  it.each([
    ["http://h/a\\b/../c", "/a\\b/../c"],
    ["http://h", "/"],
    ["http://h?x", "/?x"],
    ["//h/x", "//h/x"],
  ])("the target of %s is %s", (url, target) => {
    expect(targetOf(url)).toBe(target);
  });

  it.each([
    [undefined, "http://localhost:80"],
    ["::", "http://localhost:80"],
    ["::1", "http://[::1]:80"],
    ["10.0.0.1", "http://10.0.0.1:80"],
  ])("listening on %s is shown as %s", (hostname, url) => {
    expect(listeningUrl(hostname, 80)).toBe(url);
  });
});
