// Parts that depend on something outside the process: none is left behind if a later one cannot be built.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { build } from "../../scripts/build.mjs";
import type { Platform, WorkerPort } from "../../src/base/platform.ts";
import { silentLog } from "../../src/base/telemetry/log.ts";
import { loadConfig } from "../../src/server/config/reading/load.ts";
import { buildOuterParts } from "../../src/server/parts.ts";
import { nodePlatform } from "../../src/server/platform/node.ts";

const directory = mkdtempSync(join(tmpdir(), "smalti-parts-"));
const node = nodePlatform(pathToFileURL(`${directory}/`));

beforeAll(() => build({ outdir: directory, only: "hook-thread", quiet: true }));
afterAll(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));

// Sweeps run by intervals; nothing here waits for one.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
afterEach(() => void vi.useRealTimers());

/** The platform, and how many of its workers were not ended. */
function countingWorkers() {
  const running = new Set<WorkerPort>();
  const start = node.startWorker as NonNullable<typeof node.startWorker>;
  const platform: Platform = {
    ...node,
    startWorker(...args) {
      const port = start(...args);
      running.add(port);
      const kill = () => {
        running.delete(port);
        port.kill();
      };
      return { ...port, kill };
    },
  };
  return { platform, running };
}

const configWith = (template: string) => {
  const hooks = join(directory, "hooks.js");
  writeFileSync(hooks, "export function authorize() { return { allow: true }; }");
  const service = `{ backend: builtin, template: ${JSON.stringify(template)} }`;
  const { config, problems } = loadConfig(
    `sources: [{ name: files, type: filesystem, root: ${JSON.stringify(directory)} }]
hook: { engine: js, js: { file: ${JSON.stringify(hooks)}, timeout: 10s } }
auth:
  session: { backend: heap }
  profiles: { terms: { pattern: clickthrough, access_service: ${service} } }
  rules: [{ match: "*", profile: terms }]
`,
    {},
  );
  if (problems) throw new Error(JSON.stringify(problems));
  return config;
};

test("a missing login page leaves neither workers nor sweeps of earlier parts behind", async () => {
  const { platform, running } = countingWorkers();
  const config = configWith(join(directory, "missing.html"));
  await expect(buildOuterParts(config, platform, silentLog)).rejects.toThrow(
    "auth.profiles.terms.access_service.template",
  );
  expect([running.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test("parts that are closed leave neither", async () => {
  const { platform, running } = countingWorkers();
  const parts = await buildOuterParts(configWith(""), platform, silentLog);
  expect([running.size > 0, vi.getTimerCount()]).toEqual([true, 1]);
  await parts.close();
  expect([running.size, vi.getTimerCount()]).toEqual([0, 0]);
});
