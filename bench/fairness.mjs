// Measures how clients of one image affect clients of another: stalled and slow origins, and heavy requests
// next to cheap ones.
//
//   npm run build && node bench/fairness.mjs [--side 6000] [--seconds 8] [--places 0] [--runtime node|deno|bun]
//     [--parts stalled,latency,heavy] [--program dist/main.js]
//
// Makes its pictures (--side wide, two thirds as high), starts dist/main.js with the render cache off, and
// requests tiles in a seeded order. Prints the p95 of tiles of a folder alone and next to an origin that
// stalls, tiles per second from an origin with a latency of 100 ms and from a fast one, and the p95 of cheap
// tiles and of /health with and without heavy clients.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { installPackages } from "../scripts/packages.mjs";
import { nodeFlags, usage } from "./lib/processes.mjs";

const { values: options } = parseArgs({
  options: {
    side: { type: "string", default: "6000" },
    seconds: { type: "string", default: "8" },
    places: { type: "string", default: "0" },
    runtime: { type: "string", default: "node" },
    program: { type: "string" },
    parts: { type: "string", default: "stalled,latency,heavy" },
  },
});
const width = Number(options.side);
const height = Math.round((width * 2) / 3);
const seconds = Number(options.seconds);
const places = Number(options.places);
const parts = options.parts.split(",");
const main = options.program ?? fileURLToPath(new URL("../dist/main.js", import.meta.url));
const binary = (name) =>
  fileURLToPath(new URL(`../test/runtimes/node_modules/.bin/${name}`, import.meta.url));

const folder = mkdtempSync(join(tmpdir(), "smalti-fairness-"));
const runtimes = {
  node: [process.execPath, ...nodeFlags],
  deno: [
    binary("deno"),
    ...[
      "run",
      "--quiet",
      "--allow-net",
      "--allow-read",
      `--allow-write=${folder}`,
      "--allow-env",
      "--allow-sys",
    ],
  ],
  bun: [binary("bun"), "run"],
};
if (options.runtime !== "node") installPackages("test/runtimes");
if (!runtimes[options.runtime])
  throw new Error(`expected a runtime of ${Object.keys(runtimes).join(", ")}, received "${options.runtime}"`);
let seed = 1;
const random = () => ((seed = (seed * 48_271) % 2_147_483_647) - 1) / 2_147_483_646;

/** Makes clouds with grain: about 2 bits per pixel as JPEG, like photographs. */
async function makePictures() {
  const raw = (w, h, level) => {
    const data = Buffer.alloc(w * h * 3);
    for (let i = 0; i < data.length; i++) data[i] = 128 + (random() - 0.5) * level;
    return sharp(data, { raw: { width: w, height: h, channels: 3 } });
  };
  const clouds = await raw(60, 40, 250)
    .resize(width, height, { kernel: "cubic", fit: "fill" })
    .raw()
    .toBuffer();
  const tile = await raw(500, 500, 24).png().toBuffer();
  const picture = sharp(clouds, { raw: { width, height, channels: 3 } }).composite([
    { input: tile, tile: true, blend: "soft-light" },
  ]);
  const flat = await picture.raw().toBuffer();
  const of = () => sharp(flat, { raw: { width, height, channels: 3 } });
  await of().jpeg({ quality: 90 }).toFile(join(folder, "a.jpg"));
  await of()
    .tiff({ compression: "jpeg", quality: 90, tile: true, tileWidth: 256, tileHeight: 256, pyramid: true })
    .toFile(join(folder, "a.tif"));
  await of().png({ compressionLevel: 1 }).toFile(join(folder, "a.png"));
  await of().webp({ quality: 80, effort: 0 }).toFile(join(folder, "a.webp"));
}

/**
 * Starts an origin: pyramids under /slow/ with a latency and under /quick/ without, and JPEGs under /stalled/
 * that stop after their beginning.
 */
function startOrigin() {
  const files = ["a.tif", "a.jpg"].map((name) => readFileSync(join(folder, name)));
  const server = createServer((request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
    const file = files[request.url.startsWith("/stalled/") ? 1 : 0];
    const [first, end] = [Number(from), Math.min(file.length, Number(to) + 1)];
    if (request.url.startsWith("/stalled/") && first > 0) return;
    const answer = () => {
      response.writeHead(206, {
        "content-type": "application/octet-stream",
        etag: '"1"',
        "content-length": end - first,
        "content-range": `bytes ${first}-${end - 1}/${file.length}`,
      });
      response.end(file.subarray(first, end));
    };
    setTimeout(answer, request.url.startsWith("/slow/") ? 100 : 0);
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

async function startService(origin) {
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const at = `http://127.0.0.1:${origin.address().port}`;
  // Without an origin slot 32 MiB of blocks stay in memory, a small part of all masters, so that most tiles
  // ask the origin.
  writeFileSync(
    join(folder, "config.yaml"),
    `addr: "127.0.0.1:${port}"
sources:
  - { name: files, type: filesystem, root: ${JSON.stringify(folder)} }
${["slow", "quick", "stalled"].map((name) => `  - { name: ${name}, type: http, prefix: ${name}/, url: "${at}/${name}/{identifier}" }`).join("\n")}
cache: { render: { backend: none }, origin: { backend: none } }
image: { max_concurrent: ${places} }
log: { level: warn }
`,
  );
  const [command, ...args] = [
    ...runtimes[options.runtime],

    main,
    "-config",
    join(folder, "config.yaml"),
  ];
  const server = spawn(command, args, { stdio: "inherit" });
  const base = `http://127.0.0.1:${port}`;
  for (;;) {
    if (
      await fetch(`${base}/health`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return { server, base };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const tileOf = (name) => {
  const side = 512 * 2 ** Math.floor(random() * 3);
  const x = Math.floor(random() * Math.floor(width / side)) * side;
  const y = Math.floor(random() * Math.floor(height / side)) * side;
  return `/iiif/3/${name}/${x},${y},${side},${side}/512,512/0/default.jpg`;
};

/**
 * Runs clients that send one request after another until `signal` aborts. Returns the milliseconds of all
 * correct responses.
 */
function clients(base, count, target, signal) {
  const times = [];
  const client = async () => {
    while (!signal.aborted) {
      const began = performance.now();
      try {
        const answer = await fetch(base + target(), { signal });
        await answer.arrayBuffer();
        if (answer.ok) times.push(performance.now() - began);
        else console.error(answer.status, answer.url);
      } catch {
        // the measurement is over
      }
    }
  };
  const all = Promise.all(Array.from({ length: count }, client));
  return { times, all };
}

const quantile = (values, q) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * q)] ?? Number.NaN;
const p = (values) =>
  `p50 ${quantile(values, 0.5).toFixed(0)} ms, p95 ${quantile(values, 0.95).toFixed(0)} ms`;

/** Runs groups of clients at the same time: name to [count, target]. */
async function during(base, groups) {
  const stopping = new AbortController();
  const running = Object.entries(groups).map(([name, [count, target]]) => [
    name,
    clients(base, count, target, stopping.signal),
  ]);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  stopping.abort();
  await Promise.all(running.map(([, { all }]) => all));
  return Object.fromEntries(running.map(([name, { times }]) => [name, times]));
}

await makePictures();
const origin = await startOrigin();
const { server, base } = await startService(origin);
try {
  const local = () => tileOf("a.jpg");
  const load = () => `load ${loadavg()[0].toFixed(1)}`;
  console.log(
    `${cpus()[0].model}, ${cpus().length} processors, server on ${options.runtime}, clients on Node ${process.versions.node}, ${load()}`,
  );
  for (let n = 0; n < 300; n++) await fetch(base + local()).then((answer) => answer.arrayBuffer());

  if (parts.includes("stalled")) {
    const alone = await during(base, { cheap: [6, local] });
    console.log(`6 clients of a folder, alone:               ${p(alone.cheap)}  (${load()})`);

    let nth = 0;
    const beside = await during(base, {
      cheap: [6, local],
      stalled: [8, () => tileOf(`stalled%2F${nth++ % 4}.jpg`)],
    });
    console.log(`beside 8 of an origin that stalls:          ${p(beside.cheap)}  (${load()})`);
  }

  if (parts.includes("latency")) {
    for (const name of ["slow", "quick"]) {
      const masters = () => tileOf(`${name}%2F${Math.floor(random() * 16)}.tif`);
      await during(base, { first: [40, masters] });
      const before = usage(server.pid);
      const { tiles } = await during(base, { tiles: [40, masters] });
      const cpu = ((usage(server.pid).cpu - before.cpu) / tiles.length).toFixed(1);
      const rate = (tiles.length / seconds).toFixed(0);
      console.log(
        `40 clients of ${name === "slow" ? "an origin 100 ms away" : "a quick origin"}: ${rate} tiles/s, ${p(tiles)}, ${cpu} ms of CPU per tile  (${load()})`,
      );
    }
  }

  if (parts.includes("heavy")) {
    const again = await during(base, { cheap: [6, local], health: [1, () => "/health"] });
    console.log(
      `6 clients of a folder, alone again:         ${p(again.cheap)}; /health ${p(again.health)}  (${load()})`,
    );
    for (const [what, heavy] of [
      ["tiles of PNG and WebP", () => tileOf(random() < 0.5 ? "a.png" : "a.webp")],
      [
        "nearly full sizes",
        () => `/iiif/3/a.jpg/full/${width - 1 - Math.floor(random() * 500)},/0/default.jpg`,
      ],
    ]) {
      const both = await during(base, { cheap: [6, local], heavy: [8, heavy], health: [1, () => "/health"] });
      console.log(
        `beside 8 with ${what}: ${p(both.cheap)}; /health ${p(both.health)}; heavy ${both.heavy.length} in ${seconds} s, ${p(both.heavy)}  (${load()})`,
      );
    }
  }
} finally {
  server.kill();
  await new Promise((resolve) => server.once("exit", resolve));
  origin.close();
  origin.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
}
