// The examples of docs/reference/hooks-js.md do what the page says of them.

import { createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { silentLog } from "../../../../src/base/telemetry/log.ts";
import { createHooks, type HookRequest } from "../../../../src/server/hooks/index.ts";
import { createJsEngine } from "../../../../src/server/hooks/js/engine.ts";
import { jsOptions } from "../../../../src/server/hooks/js/options.ts";
import { overlayResult } from "../../../../src/server/images/overlay/options.ts";
import { nodePlatform } from "../../../../src/server/platform/node.ts";

const docs = new URL("../../../../docs/", import.meta.url);
const examples = new URL("examples/hooks/", docs);
const quickjs = readFileSync(
  new URL(
    "../../../../node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm",
    import.meta.url,
  ),
);
const { startWorker: _, ...bare } = nodePlatform(pathToFileURL("/nowhere/"));
const platform = { ...bare, wasm: () => new WebAssembly.Module(quickjs) };

/** Returns hooks whose results are checked as for a request. */
async function hooksOf(name: string) {
  const file = fileURLToPath(new URL(name, examples));
  const engine = await createJsEngine(jsOptions.parse({ file, timeout: "5s" }), platform, silentLog);
  const options = { engine: "js", headers: [] as string[], client_ip: false } as const;
  return createHooks({ engine, options, log: silentLog, sources: ["images"] });
}

const request = (identifier: string): HookRequest => ({
  identifier,
  page: 1,
  path: `/images/${encodeURIComponent(identifier)}`,
  header: () => undefined,
});

test("the page shows every example as it is in its file", () => {
  const page = readFileSync(new URL("reference/hooks-js.md", docs), "utf8");
  for (const name of readdirSync(examples).filter((each) => each.endsWith(".js"))) {
    const text = readFileSync(new URL(name, examples), "utf8");
    if (text.length < 1500) expect(page, name).toContain(text);
    expect(page).toContain(`(../examples/hooks/${name})`);
  }
});

test("mapping.js finds leaves of manuscripts, and leaves other identifiers alone", async () => {
  const hooks = await hooksOf("mapping.js");
  expect(await hooks.resolve(request("ms-0042_003r"))).toEqual({ key: "manuscripts/MS 42/003r.tif" });
  expect(await hooks.resolve(request("ms-0042_000v"))).toBe(false);
  expect(await hooks.resolve(request("base.png"))).toBeUndefined();
});

describe("embargo.js", () => {
  afterEach(() => void vi.useRealTimers());

  test("opens a collection on its day", async () => {
    const hooks = await hooksOf("embargo.js");
    const asked = async (identifier: string) => (await hooks.authorize(request(identifier)))?.status;
    expect(await asked("letters/1850/1.tif")).toBeUndefined();
    expect(await asked("maps/1.tif")).toBeUndefined();
    expect(await asked("letters/1901/1.tif")).toBe(403);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2098-12-31T23:59:59Z") });
    expect(await asked("letters/1901/1.tif")).toBe(403);
    vi.setSystemTime(Date.parse("2099-01-01T00:00:00Z"));
    expect(await asked("letters/1901/1.tif")).toBeUndefined();
  });
});

test("watermark.js has a mark for each collection, in settings that an overlay takes", async () => {
  const hooks = await hooksOf("watermark.js");
  const settings = async (identifier: string) =>
    overlayResult.parse(await hooks.overlay(request(identifier)));
  expect(await settings("press/1.tif")).toEqual({
    image: "marks/press.png",
    anchor: "top-left",
    opacity: 0.9,
  });
  expect(await settings("maps/1.tif")).toEqual({ image: "marks/archive.png", min_size: 300 });
  expect(await hooks.overlay(request("other/1.tif"))).toBeUndefined();
  expect(await hooks.overlay(request("open/1.tif"))).toBe(false);
});

describe("signed.js", () => {
  const sign = (expires: number, identifier: string, secret = "change this secret") =>
    `${expires}.${createHmac("sha256", secret).update(`${expires}.${identifier}`).digest("hex")}.${identifier}`;
  const later = 4_000_000_000;

  test.each(["base.png", "maps/sheet 1.tif", "ß/日本/\u{1f600}.tif", "x".repeat(500), "a.b.c"])(
    "serves %j to those who have a signed link",
    async (identifier) => {
      const hooks = await hooksOf("signed.js");
      const signed = request(sign(later, identifier));
      expect(await hooks.authorize(signed)).toBeUndefined();
      expect(await hooks.resolve(signed)).toEqual({ key: identifier });
    },
  );

  test.each([
    ["without a signature", "base.png", 403],
    ["signed with another secret", sign(later, "base.png", "other"), 403],
    ["with the signature of another image", sign(later, "base.png").replace("base", "other"), 403],
    ["with a later end than was signed", sign(1, "base.png").replace(/^1/, "4000000000"), 403],
    ["whose time is over", sign(1_000_000_000, "base.png"), 410],
  ])("refuses one %s", async (_, identifier, status) => {
    const hooks = await hooksOf("signed.js");
    expect(await hooks.authorize(request(identifier))).toMatchObject({ allow: false, status });
  });
});
