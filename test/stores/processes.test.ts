// Two server processes over one cache folder: every answer is whole and right, also while one of them is killed.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fixturesFolder } from "../host.ts";

const folder = mkdtempSync(join(tmpdir(), "smalti-shared-"));
const file = join(folder, "smalti.yaml");
const running: ChildProcess[] = [];

/** Starts a server over the shared folder; its URL. */
async function start(): Promise<string> {
  const server = spawn(process.execPath, ["dist/main.js", "-config", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(server);
  let text = "";
  for await (const chunk of server.stdout as AsyncIterable<Buffer>) {
    text += chunk;
    const url = /start page\s+(http:\S+)\//.exec(text)?.[1];
    if (url) {
      server.stdout?.resume();
      return url;
    }
  }
  throw new Error(`the server ended: ${text}`);
}

beforeAll(() => {
  const cache = JSON.stringify(join(folder, "cache"));
  writeFileSync(
    file,
    `addr: "127.0.0.1:0"
sources: [{ name: fixtures, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }]
cache:
  render: { backend: filesystem, path: ${cache}, max_bytes: 300KiB, ttl: 1h }
  info: { backend: filesystem, path: ${cache}, max_bytes: 64KiB, ttl: 1h }
`,
  );
});

afterAll(async () => {
  for (const server of running) server.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

test("two processes share a folder that is too small for their answers, one dies, and no answer is torn", async () => {
  const [one, two] = await Promise.all([start(), start()]);
  const paths = Array.from(
    { length: 24 },
    (_, n) => `/iiif/3/base.png/${n * 8},${n * 5},200,150/max/0/default.png`,
  );
  const expected = new Map<string, string>();
  for (const path of paths) expected.set(path, await digest(`${one}${path}`));
  const check = async (base: string, rounds: number) => {
    for (let n = 0; n < rounds; n++) {
      const path = paths[(n * 7) % paths.length] as string;
      expect(await digest(`${base}${path}`)).toBe(expected.get(path));
    }
  };
  await Promise.all([
    check(one as string, 60),
    check(one as string, 60),
    check(two as string, 60),
    check(two as string, 60),
  ]);
  // Killed in the middle of its writes; the other goes on, and a third finds a sound folder.
  const busy = check(one as string, 40).catch(() => undefined);
  await check(two as string, 5);
  running[0]?.kill("SIGKILL");
  await Promise.all([busy, check(two as string, 60)]);
  await check(await start(), 48);
});

async function digest(url: string): Promise<string> {
  const response = await fetch(url);
  const bytes = await response.arrayBuffer();
  return `${response.status} ${Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex")}`;
}
