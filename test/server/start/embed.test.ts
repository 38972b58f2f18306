// The service inside another program, jobs in place; with workers, and as the package:
// runtimes/library.test.ts.

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { mountAdmin } from "../../../src/admin/routes.ts";
import type { Platform } from "../../../src/base/platform.ts";
import { nodePlatform } from "../../../src/server/platform/node.ts";
import { embed } from "../../../src/server/start/embed.ts";
import type { HandlerOptions } from "../../../src/server/start/library.d.ts";
import { fixturesFolder, testHost } from "../../host.ts";

function start(options: unknown) {
  const { startWorker: _, ...platform } = nodePlatform(new URL("../../../", import.meta.url));
  const wasm = testHost.wasm as Platform["wasm"];
  return embed(async () => ({ ...platform, wasm, env: {} }), options as HandlerOptions, [mountAdmin]);
}

const info = () => new Request("http://localhost/iiif/3/jpg-baseline-420.jpg/info.json");

test("all options that there are not, and all values that an option does not take, are named", async () => {
  await expect(start({ foldr: ".", cwd: 5, env: "A=1", log: "stderr" })).rejects.toThrow(
    [
      "the options of createHandler have 4 problems:",
      '  foldr: unknown option; did you mean "folder"?',
      "  cwd: expected the path of a folder as text, or its file URL, received the number 5",
      '  env: expected an object of variables, received "A=1"',
      '  log: expected a function that takes a line, received "stderr"',
    ].join("\n"),
  );
  await expect(start(null)).rejects.toThrow("expected an object, received nothing");
});

test("an empty folder is refused, since it would be that of the process", async () => {
  await expect(start({ folder: "" })).rejects.toThrow(/folder: expected the path of a folder as text/);
});

test("a folder may be a file URL", async () => {
  const folder = pathToFileURL(`${mkdtempSync(join(tmpdir(), "smalti a%b-"))}/`);
  copyFileSync(join(fixturesFolder, "jpg-baseline-420.jpg"), new URL("jpg-baseline-420.jpg", folder));
  const service = await start({ folder, log() {} });
  expect((await service.respond(info())).status).toBe(200);
  await service.close();
  rmSync(folder, { recursive: true });
});

test.each(["https://example.org/images", "file:///a%2fb"])("%s is not a folder", async (url) => {
  await expect(start({ folder: new URL(url) })).rejects.toThrow(
    "folder: expected the path of a folder as text, or its file URL, received URL",
  );
});

test.each([
  ["a list", [], "a list"],
  ["the bytes of a file", new TextEncoder().encode("log: {}"), "Uint8Array"],
  ["a promise of its text", Promise.resolve("log: {}"), "Promise"],
])("a configuration that is %s is refused", async (_, config, received) => {
  await expect(start({ config })).rejects.toThrow(
    `config: expected the text of a smalti.yaml, or an object of the same keys, received ${received}`,
  );
});

test("variables that have to be asked for one by one, as those of Deno.env, are refused", async () => {
  await expect(start({ env: new Map([["A", "1"]]) })).rejects.toThrow(
    "env: expected an object of variables, received Map",
  );
});

test("a configuration that holds a function is refused in words of the option", async () => {
  await expect(start({ config: { base_url: () => "" } })).rejects.toThrow(
    /in the option config: .*[Ff]unction/,
  );
});

test("a problem of a configuration has its line if it is a text, and its key alone if it is an object", async () => {
  const problem = (config: unknown) =>
    start({ config }).catch(({ message }: Error) => message.split("\n")[1]);
  const level = 'log.level: expected "debug" or "info" or "warn" or "error", received "loud"';
  expect(await problem("log:\n  level: loud")).toBe(`  line 2, column 3: ${level}`);
  expect(await problem({ log: { level: "loud" } })).toBe(`  ${level}`);
});

test("a log that throws fails no start, no request and no close", async () => {
  let lines = 0;
  const service = await start({
    folder: fixturesFolder,
    config: { log: { level: "info", requests: true } },
    log() {
      lines++;
      throw new Error("no room left");
    },
  });
  expect((await service.respond(info())).status).toBe(200);
  expect(lines).toBeGreaterThan(0);
  await service.close();
});

test("the start page names the options that serve images, and no command", async () => {
  const service = await start({ log() {} });
  const page = await (await service.respond(new Request("http://localhost/"))).text();
  expect(page).toContain("createHandler({");
  expect(page).not.toMatch(/dist\/main\.js|npm start/);
  await service.close();
});

test("a request after close() gets 503 with Retry-After", async () => {
  const service = await start({ folder: fixturesFolder, log() {} });
  await Promise.all([service.close(), service.close()]);
  const response = await service.respond(info());
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await response.json()).toMatchObject({ status: 503, code: "closed" });
});
