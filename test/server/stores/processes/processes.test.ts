// Two processes over one cache folder or one Redis: every entry is complete and correct, even while one of
// them is killed; and a server that may not write files as large as its responses.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forEachConcurrently } from "../../../../src/base/concurrency/concurrent.ts";
import type { Readiness } from "../../../../src/server/readiness.ts";
import { slotNames } from "../../../../src/server/stores/bounds.ts";
import { type Built, buildProgram } from "../../../cli/built.ts";
import { fixturesFolder } from "../../../host.ts";
import { everything, sampled } from "../../../sampled.ts";
import { freePort } from "../../../servers/free-port.ts";
import { masterOf, startOrigin } from "../../../servers/origin.ts";
import { type RedisServer, startRedis } from "../../../servers/redis.ts";
import type { Filled } from "./filler.ts";
import type { Found } from "./hammer.ts";

const folder = mkdtempSync(join(tmpdir(), "smalti-shared-"));
let program: Built;
let redis: RedisServer;

beforeAll(async () => {
  [program, redis] = await Promise.all([buildProgram(), startRedis()]);
});

afterAll(async () => {
  program?.remove();
  await redis?.close();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** One thread for images: stores are what is tested. */
const oneThread = "image: { max_concurrent: 1 }\n";

/** A configuration file over the test pictures. */
function configure(name: string, cache: string): string {
  const file = join(folder, `${name}.yaml`);
  const source = `{ name: fixtures, type: filesystem, root: ${JSON.stringify(fixturesFolder)} }`;
  writeFileSync(file, `sources: [${source}]\ncache: ${cache}\n${oneThread}`);
  return file;
}

const inFolder = (name: string, bytes: string) =>
  `{ backend: filesystem, path: ${JSON.stringify(join(folder, name))}, max_bytes: ${bytes}, ttl: 1h }`;
const inRedis = (bytes: string) =>
  `{ backend: redis, addr: "127.0.0.1:${redis.port}", timeout: 60s, max_memory: ${bytes}, ttl: 1h }`;

describe.each([
  ["folder", () => `{ render: ${inFolder("cache", "300KiB")}, info: ${inFolder("cache", "64KiB")} }`],
  ["Redis", () => `{ render: ${inRedis("300KiB")}, info: ${inRedis("64KiB")} }`],
])("two servers that share a %s too small for their derivatives", (name, cache) => {
  test("never return a torn derivative, even when one dies", async () => {
    const serve = () => program.serve(["-config", configure(name, cache())]);
    const [one, two] = await Promise.all([serve(), serve()]);
    for (const { url } of [one, two]) await expectHealthy(url);
    const paths = Array.from(
      { length: 24 },
      (_, n) => `/iiif/3/base.png/${n * 8},${n * 5},200,150/max/0/default.png`,
    );
    const expected = new Map<string, string>();
    for (const path of paths) expected.set(path, await digest(`${one.url}${path}`));
    const check = async ({ url }: { readonly url: string }, rounds: number) => {
      for (let n = 0; n < rounds; n++) {
        const path = paths[(n * 7) % paths.length] as string;
        expect(await digest(`${url}${path}`)).toBe(expected.get(path));
      }
    };
    await Promise.all([check(one, 12), check(one, 12), check(two, 12), check(two, 12)]);
    // One process is killed during its writes; the other continues, and a third finds a sound store.
    const busy = check(one, 40).catch(() => undefined);
    await check(two, 5);
    one.process.kill("SIGKILL");
    await Promise.all([busy, check(two, 12)]);
    await check(await serve(), 12);
  });
});

test.each([
  ["filesystem", () => join(folder, "hammered")],
  ["redis", () => `${redis.port}`],
])("two processes find no torn entry in thousands of reads of one %s store", async (backend, place) => {
  const reads = everything ? 5000 : 1000;
  const script = await bundled("hammer");
  const hammer = async (seed: number) => {
    const args = [script, backend, place(), `${reads}`, `${seed}`];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as Found;
  };
  for (const found of await Promise.all([hammer(1), hammer(2)])) {
    expect(found).toMatchObject({ reads, wrong: 0, torn: 0, errors: [] });
    expect(found.hits).toBeGreaterThan(reads / 5);
  }
});

test("two processes with six writers each keep a folder between four fifths and a sixteenth above its bound", async () => {
  const script = await bundled("filler");
  const fill = async (seed: number) => {
    const args = [script, join(folder, "filled"), `${2 ** 20}`, everything ? "150" : "75", `${seed}`];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    return JSON.parse(stdout) as Filled;
  };
  for (const { least, most } of await Promise.all([fill(1), fill(2)])) {
    expect(least).toBeGreaterThan(4 / 5);
    expect(most).toBeLessThanOrEqual(17 / 16);
  }
});

test("a server that may not write files as large as its derivatives still sends them", async () => {
  // A file may have 8 blocks of 512 bytes (bash: 4 of 1024); a response has more.
  const paths = [0, 1, 2, 3, 4, 5].map((n) => `/iiif/3/base.png/${n},0,200,150/max/0/default.png`);
  const whole = await program.serve(["-config", configure("none", "{ render: { backend: none } }")]);
  const expected = await Promise.all(paths.map((path) => digest(`${whole.url}${path}`)));
  const file = configure("limited", `{ render: ${inFolder("limited", "1MiB")}, origin: { backend: heap } }`);
  const limited = await program.serve(["-config", file], { fileBlocks: 4 });
  for (let round = 0; round < 3; round++)
    expect(await Promise.all(paths.map((path) => digest(`${limited.url}${path}`)))).toEqual(expected);
  // The entry of the check is small enough.
  await expectHealthy(limited.url);
  const lines = limited
    .status()
    .err.split("\n")
    .filter((line) => line.includes("goes on without"));
  expect(lines.length).toBe(1);
});

test("a server uses TLS with a Redis whose certificate it trusts, and with no other", async () => {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", ...subject];
  await promisify(execFile)("openssl", [...made, "-keyout", key, "-out", certificate]);
  const tlsPort = await freePort();
  const files = ["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-auth-clients", "no"];
  const behindTls = await startRedis({ args: ["--tls-port", `${tlsPort}`, ...files] });
  const store = `{ backend: redis, addr: "localhost:${tlsPort}", tls: true, timeout: 60s }`;
  const serve = (env: Record<string, string>) =>
    program.serve(["-config", configure("tls", `{ render: ${store} }`)], { env });
  const [trusting, other] = await Promise.all([serve({ NODE_EXTRA_CA_CERTS: certificate }), serve({})]);
  // On a busy machine a check may be late, and passes at another look.
  const seen = (url: string) => expect.poll(async () => (await cachesOf(url))[0]);
  await seen(trusting.url).toMatchObject({ name: "render", healthy: true });
  await seen(other.url).toMatchObject({
    healthy: false,
    error: "Redis cannot be used (DEPTH_ZERO_SELF_SIGNED_CERT). Its certificate is not trusted.",
  });
  await behindTls.close();
});

test("two servers over one web server share the cached blocks of its masters, and return its pixels", async () => {
  const side = 1536;
  const pixels = new Uint8Array(side * side * 3).map((_, i) => (i * 7) ^ (i >> 9));
  const raw = { width: side, height: side, channels: 3 } as const;
  const tiff = await sharp(pixels, { raw }).tiff({ tile: true, compression: "none" }).toBuffer();
  const origin = await startOrigin({ "a.tif": masterOf(tiff, { type: "image/tiff" }) });
  const off = "{ backend: none }";
  const file = join(folder, "remote.yaml");
  writeFileSync(
    file,
    `sources: [{ name: web, type: http, revalidate: 1h, url: "${origin.url}/{identifier}" }]
cache: { render: ${off}, info: ${off}, origin: ${inFolder("blocks", "64MiB")} }\n${oneThread}`,
  );
  const serve = () => program.serve(["-config", file]);
  const tiles = Array.from({ length: 36 }, (_, n) => ({ left: (n % 6) * 256, top: Math.floor(n / 6) * 256 }));
  const drawn = sampled("tiles of a shared master", tiles, 12);
  const wrongOf = async ({ url }: { readonly url: string }, order: readonly (typeof tiles)[number][]) => {
    let wrong = 0;
    await forEachConcurrently(order, 6, async ({ left, top }) => {
      const answer = await fetch(`${url}/iiif/3/a.tif/${left},${top},256,256/max/0/default.png`);
      const png = sharp(Buffer.from(await answer.arrayBuffer()));
      const part = sharp(pixels, { raw }).extract({ left, top, width: 256, height: 256 });
      if (!(await png.raw().toBuffer()).equals(await part.raw().toBuffer())) wrong++;
    });
    return wrong;
  };
  const [one, two] = await Promise.all([serve(), serve()]);
  expect(await Promise.all([wrongOf(one, drawn), wrongOf(two, drawn.toReversed())])).toEqual([0, 0]);
  // Pending writes complete before they end.
  for (const { process, ended } of [one, two]) {
    process.kill("SIGTERM");
    await ended;
  }
  const three = await serve();
  origin.since(); // the check at its start was one
  expect(await wrongOf(three, drawn)).toBe(0);
  expect(origin.since().requests).toBe(0);
  await origin.close();
});

/** A script of this folder as one file that Node runs. */
async function bundled(name: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "warning",
    // Bundled CommonJS code loads Node's modules with require.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  return outfile;
}

async function cachesOf(url: string): Promise<Readiness["caches"]> {
  return ((await (await fetch(`${url}/ready`)).json()) as Readiness).caches;
}

/** All slots can be used. On a busy machine a check may be late, and passes at another look. */
async function expectHealthy(url: string): Promise<void> {
  const healthy = async () => (await cachesOf(url)).map(({ healthy }) => healthy);
  await expect.poll(healthy).toEqual(slotNames.map(() => true));
}

async function digest(url: string): Promise<string> {
  const response = await fetch(url);
  const bytes = await response.arrayBuffer();
  return `${response.status} ${Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex")}`;
}
