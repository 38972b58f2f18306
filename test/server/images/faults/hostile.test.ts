// Broken and hostile files against a started server: every request is answered, the process lives, memory
// stays bounded.
// @module-tag slow

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "../../../../scripts/build.mjs";
import { fixture, fixturesFolder } from "../../../host.ts";
import { reference } from "../../../imaging/codecs/reference.ts";
import { difference } from "../derivatives.ts";

const folder = mkdtempSync(join(tmpdir(), "hostile-"));
const pictures = join(folder, "pictures");
const soundFile = "base.png";
const hostile = /^(bad|bomb|badmeta|polyglot|mislabelled)-/;
/** Bytes that the process may hold at its peak. */
const memoryLimit = 2 ** 30;
/** Maximum processor seconds of one response. Clock time says little on a busy machine. */
const mostSeconds = 5;

mkdirSync(pictures);
for (const name of readdirSync(fixturesFolder))
  if (hostile.test(name) || name === soundFile)
    copyFileSync(join(fixturesFolder, name), join(pictures, name));
/**
 * Files that are too trivial or too large to store are made by a script; without Python only the stored ones
 * are tried.
 */
const generated = generate();

function generate(): boolean {
  try {
    const script = join(fixturesFolder, "make-malformed.py");
    execFileSync("python3", [script, fixturesFolder, "--all", pictures], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const names = readdirSync(pictures).filter((name) => hostile.test(name));

/** Files with sound pixels: their oddities must not keep them from being served. */
const served = [
  "bad-exif-orient-9.jpg",
  "badmeta-icc.jpg",
  "badmeta-icc-missing-chunk.jpg",
  "badmeta-exif-loop.jpg",
  "bomb-deflate-30000x30000-1bit.tif",
  "bomb-itxt-64M.png",
  "mislabelled-jpg.png",
  "mislabelled-png.jpg",
  "polyglot-jpg-zip.jpg",
  "polyglot-gif-html.gif",
  "polyglot-png-exif-php.png",
].filter((name) => names.includes(name));

/** Files with a sound header and part of their pixels, or large but valid ones: served or refused. */
const either = new Set([
  "bad-10000-ifds.tif",
  "bad-crc-idat.png",
  "bad-dims-ihdr-taller.png",
  "bad-ifd-loop.tif",
  "bad-riff-size.webp",
  "bad-subifd-self.tif",
  "bomb-20000-frames.gif",
  ...names.filter((name) => name.startsWith("bad-trunc-")),
]);

/** Files with only valid pixels: their full size costs what it costs, and the operator limits that. */
const large = new Set(["bomb-deflate-30000x30000-1bit.tif"]);

interface Server {
  readonly process: ChildProcess;
  readonly url: string;
}

let server: Server;
beforeAll(async () => {
  const dist = join(folder, "dist");
  await build({ outdir: dist, quiet: true });
  server = await start(dist);
});

afterAll(async () => {
  server?.process.kill();
  await new Promise((resolve) => server?.process.once("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** Any free port: the server prints its address. */
function start(dist: string): Promise<Server> {
  const file = join(folder, "config.yaml");
  const source = `{ name: hostile, type: filesystem, root: ${JSON.stringify(pictures)} }`;
  writeFileSync(file, `sources: [${source}]\n`);
  const child = spawn(process.execPath, [join(dist, "main.js"), "-config", file], {
    env: { PATH: process.env.PATH, HOME: folder, SERVICE_ADDR: "127.0.0.1:0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return new Promise((resolve, reject) => {
    let text = "";
    const read = (part: Buffer) => {
      text += part.toString();
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
      if (url) resolve({ process: child, url });
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) =>
      reject(new Error(`The server ended with ${code} before it served:\n${text}`)),
    );
  });
}

/**
 * Returns the processor seconds that the server has used (proc(5): user and system time in hundredths); 0 if
 * unknown.
 */
function secondsUsed(): number {
  if (process.platform !== "linux") return 0;
  const fields = readFileSync(`/proc/${server.process.pid}/stat`, "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Returns the response to a path; fails if it costs the server more than it may. */
async function answer(path: string): Promise<{ readonly status: number; readonly body: Uint8Array }> {
  const before = secondsUsed();
  const response = await fetch(`${server.url}${path}`);
  const body = new Uint8Array(await response.arrayBuffer());
  expect(secondsUsed() - before, path).toBeLessThan(mostSeconds);
  return { status: response.status, body };
}

const refusal = (status: number) => status >= 400 && status < 600;

/** Requests that take different ways: all of it, reduced, a corner, another format. */
const requestsOf = (name: string) => [
  large.has(name) ? "full/512,/0/default.png" : "full/max/0/default.png",
  "full/pct:25/0/default.jpg",
  "0,0,8,8/max/0/default.webp",
  "full/^!64,64/90/gray.tif",
];

describe("a hostile file", () => {
  test.each(names)("%s gets a response, and the next image is correct", async (name) => {
    const info = await answer(`/iiif/3/${name}/info.json`);
    expect(info.status === 200 || refusal(info.status), `info.json is ${info.status}`).toBe(true);
    for (const request of requestsOf(name)) {
      const { status, body } = await answer(`/iiif/3/${name}/${request}`);
      if (served.includes(name)) expect([request, status]).toEqual([request, 200]);
      else if (either.has(name))
        expect(status === 200 || refusal(status), `${request}: ${status}`).toBe(true);
      else expect(refusal(status), `${request}: ${status}`).toBe(true);
      if (status !== 200) expect(JSON.parse(new TextDecoder().decode(body))).toMatchObject({ status });
    }
    // A unique size, so that no cache can respond.
    const width = 100 + names.indexOf(name);
    const { status, body } = await answer(`/iiif/3/${soundFile}/0,0,${width},50/max/0/default.png`);
    expect(status).toBe(200);
    const { data } = await reference(body);
    expect([...data.subarray(0, 3)]).toEqual([220, 20, 20]);
    expect(server.process.exitCode).toBe(null);
  });

  test("in many concurrent requests leaves the server intact", async () => {
    const answers = await Promise.all(
      names
        .flatMap((name) => [
          `/iiif/2/${name}/info.json`,
          `/iiif/2/${name}/full/${large.has(name) ? "1024," : "full"}/0/default.jpg`,
        ])
        .map(async (path) => (await fetch(`${server.url}${path}`)).status),
    );
    expect(answers.every((status) => status === 200 || refusal(status))).toBe(true);
    const whole = await reference((await answer(`/iiif/2/${soundFile}/full/full/0/default.png`)).body);
    expect(difference(whole, await reference(fixture(soundFile))).largest).toBe(0);
  });

  test.skipIf(process.platform !== "linux")("never makes the process hold a gibibyte", () => {
    const status = readFileSync(`/proc/${server.process.pid}/status`, "utf8");
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
    expect(peak).toBeGreaterThan(0);
    expect(peak).toBeLessThan(memoryLimit);
  });

  test.skipIf(!generated)("is also each one that make-malformed.py makes (needs python3)", () => {
    expect(names).toEqual(
      expect.arrayContaining(["bad-10000-ifds.tif", "bad-zlib.png", "bomb-20000-frames.gif"]),
    );
    expect(names.length).toBeGreaterThanOrEqual(48);
  });

  test("is never served with data hidden after the picture", async () => {
    for (const [name, hidden] of [
      ["polyglot-jpg-zip.jpg", "PK\u0003\u0004"],
      ["polyglot-gif-html.gif", "<script>"],
      ["polyglot-png-exif-php.png", "<?php"],
    ] as const) {
      if (!names.includes(name)) continue;
      const { body } = await answer(`/iiif/3/${name}/full/max/0/default.png`);
      expect(new TextDecoder("latin1").decode(body)).not.toContain(hidden);
    }
  });
});
