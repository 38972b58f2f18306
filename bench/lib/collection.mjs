// What a server of this project spends on tiles of a collection and on responses that need no render.

import { spawn } from "node:child_process";
import { linkSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import sharp from "sharp";
import { exactUsage, nodeFlags, nodeVariables, spentExactly, usage } from "./processes.mjs";
import { freePort } from "./servers.mjs";
import { chances } from "./session.mjs";

const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });

const get = (url, headers = {}, status = 200) =>
  new Promise((resolve, reject) => {
    http
      .get(url, { agent, headers }, (response) => {
        response.resume();
        response.on("end", () =>
          response.statusCode === status
            ? resolve(response)
            : reject(new Error(`${response.statusCode} ${url}`)),
        );
      })
      .on("error", reject);
  });

/** Sends requests, two at a time. */
async function send(paths) {
  const queue = [...paths];
  const one = async () => {
    for (let path = queue.pop(); path; path = queue.pop()) await get(path);
  };
  await Promise.all([one(), one()]);
}

/**
 * Calls `act` with the address and the process of a server over `count` links to a picture, so that only
 * their number differs. `cache`: the section of its configuration.
 */
async function withServer({ master, program, count, cache }, act) {
  const place = mkdtempSync(join("node_modules/.cache", "collection-"));
  for (let i = 0; i < count; i++) linkSync(master, join(place, `${i}.jpg`));
  const port = await freePort();
  const config = join(place, "smalti.yaml");
  const settings = {
    addr: `127.0.0.1:${port}`,
    log: { level: "error" },
    sources: [{ name: "files", type: "filesystem", root: "." }],
    cache,
  };
  writeFileSync(config, JSON.stringify(settings));
  const server = spawn(process.execPath, [...nodeFlags, program, "-config", config], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...nodeVariables, XDG_CACHE_HOME: join(place, "cache") },
  });
  try {
    const base = `http://127.0.0.1:${port}`;
    for (let ready = false; !ready; await new Promise((resolve) => setTimeout(resolve, 50)))
      ready = await get(`${base}/ready`).then(
        () => true,
        () => false,
      );
    return await act(`${base}/iiif/3`, server.pid);
  } finally {
    server.kill("SIGKILL");
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns a function from a number to the address of a tile at 1/scale of one of the pictures, at random. */
async function tilesOf(base, { master, scale, count }) {
  const { width, height } = await sharp(master, { limitInputPixels: false }).metadata();
  const random = chances(41);
  const below = (most) => Math.floor(random() * most);
  const side = 512 * scale;
  return (i) => {
    const [x, y] = [below(Math.floor(width / side)) * side, below(Math.floor(height / side)) * side];
    return `${base}/${i % count}.jpg/${x},${y},${side},${side}/512,/0/default.jpg`;
  };
}

/**
 * Resolves when a server has used nearly no CPU time for half a second: sidecars are built after responses.
 */
async function whenIdle(pid) {
  for (let last = usage(pid).cpu; ; ) {
    await new Promise((resolve) => setTimeout(resolve, 500));
    const now = usage(pid).cpu;
    if (now - last <= 20) return;
    last = now;
  }
}

/**
 * Returns the milliseconds of CPU time of a tile at 1/scale of `count` pictures in turn, and the most
 * megabytes of the process. Derivatives are not cached.
 */
export function measureCollection({ master, program, count, requests, scale }) {
  const cache = { render: { backend: "none" } };
  return withServer({ master, program, count, cache }, async (base, pid) => {
    const tile = await tilesOf(base, { master, scale, count });
    // The sidecars first, twice, since the first tile of a picture only begins one.
    await send(Array.from({ length: Math.max(2 * count, 400) }, (_, i) => tile(i)));
    await whenIdle(pid);
    // Workers that were idle meanwhile have ended: new ones have to know all pictures.
    await send(Array.from({ length: Math.max(4 * count, 400) }, (_, i) => tile(i)));
    const before = usage(pid).cpu;
    const sent = Math.max(requests, count);
    await send(Array.from({ length: sent }, (_, i) => tile(i)));
    const after = usage(pid);
    return { ms: (after.cpu - before) / sent, mb: after.peak / 2 ** 20 };
  });
}

/**
 * Returns the microseconds of CPU time of responses that need no render: a cached tile, one that is unchanged
 * (304) and image information.
 */
export function measureCheap({ master, program, requests = 2000 }) {
  return withServer({ master, program, count: 1, cache: {} }, async (base, pid) => {
    const tile = await tilesOf(base, { master, scale: 1, count: 1 });
    const [url, info] = [tile(0), `${base}/0.jpg/info.json`];
    const { headers } = await get(url);
    const kinds = {
      cached: () => get(url),
      unchanged: () => get(url, { "If-None-Match": headers.etag }, 304),
      info: () => get(info),
    };
    const costs = {};
    const askAll = async (ask) => {
      const one = async () => {
        for (let n = 0; n < requests / 2; n++) await ask();
      };
      await Promise.all([one(), one()]);
    };
    for (const [kind, ask] of Object.entries(kinds)) {
      await askAll(ask);
      await whenIdle(pid);
      const before = exactUsage(pid);
      await askAll(ask);
      costs[kind] = (1000 * spentExactly(before, exactUsage(pid))) / requests;
    }
    return costs;
  });
}
