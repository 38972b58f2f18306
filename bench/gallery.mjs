// Measures how soon forty thumbnails of images that nobody has opened are there, in Chromium with an empty
// cache, and with `--zoom` while another reader asks for tiles of other unseen images.
//
//   npm run build && node bench/gallery.mjs [--pictures 24mp-baseline.jpg] [--count 40] [--rounds 3] [--zoom]
//     [--servers smalti,before,sharp] [--before OTHER/dist/main.js]
//
// Prints medians of the rounds: seconds until half of the thumbnails and until all of them are there, and the
// CPU seconds of the server until then. Each round shows other copies; the servers take turns.

import { mkdtempSync, rmSync } from "node:fs";
import http from "node:http";
import { join } from "node:path";
import { chromium } from "./lib/chromium.mjs";
import { ask } from "./lib/http.mjs";
import { median, table } from "./lib/numbers.mjs";
import { chosenPictures, machine, pictureSize, readOptions } from "./lib/options.mjs";
import { exactUsage, spentExactly } from "./lib/processes.mjs";
import { turn } from "./lib/replay.mjs";
import { start } from "./lib/servers.mjs";
import { tileRequest } from "./lib/session.mjs";
import { copy } from "./lib/unseen.mjs";

const options = readOptions({ count: "40", rounds: "3", before: "", zoom: false }, "smalti,sharp");
const count = Number(options.count);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
});
// The page is of another origin than the thumbnails, so the servers only serve images.
const pages = http.createServer((request, response) => {
  if (!request.url.startsWith("/?")) return response.writeHead(404).end();
  const addresses = JSON.parse(decodeURIComponent(request.url.slice(2)));
  response.setHeader("content-type", "text/html");
  response.end(addresses.map((address) => `<img src="${address}" width="100">`).join(""));
});
await new Promise((done) => pages.listen(0, "127.0.0.1", done));

/** Returns milliseconds until half of the thumbnails and until all of them were there. */
async function show(addresses) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const times = [];
  page.on("requestfinished", (request) => {
    if (request.resourceType() === "image") times.push(performance.now());
  });
  const query = encodeURIComponent(JSON.stringify(addresses));
  const began = performance.now();
  await page.goto(`http://127.0.0.1:${pages.address().port}/?${query}`, { waitUntil: "load" });
  const all = performance.now() - began;
  await context.close();
  if (times.length !== addresses.length) throw new Error(`${times.length} of ${addresses.length} arrived`);
  return { half: times[Math.floor(times.length / 2)] - began, all };
}

/** Asks for tiles of images until it is stopped. */
function zoomInto(server, names, size) {
  let stopped = false;
  const zoom = async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
    for (let n = 0; !stopped; n++) {
      const tile = tileRequest(size, 512, 2 ** (n % 3), n % 3, Math.floor(n / 3) % 3);
      await ask(server.url(names[Math.floor(n / 20) % names.length], tile.path), agent);
    }
    agent.destroy();
  };
  const over = zoom();
  return async () => {
    stopped = true;
    await over;
  };
}

const rows = [];
for (const picture of chosenPictures(options)) {
  const size = await pictureSize(options, picture);
  const folder = mkdtempSync(join(options.sources, "unseen-"));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", clean);
  let copies = 0;
  const fresh = (many) =>
    Array.from({ length: many }, () => copy(options.sources, picture, folder, copies++));
  const started = [];
  for (const name of options.servers)
    started.push({ name, seen: [], server: await start(name, { ...options, sources: folder }) });
  for (let round = 0; round <= Number(options.rounds); round++)
    for (const { server, seen } of turn(started, round)) {
      const addresses = fresh(count).map((name) => server.url(name, "full/!300,300/0/default.jpg"));
      const stop = options.zoom ? zoomInto(server, fresh(4), size) : async () => {};
      const before = exactUsage(server.pid);
      const shown = await show(addresses);
      if (round > 0) seen.push({ ...shown, cpu: spentExactly(before, exactUsage(server.pid)) });
      await stop();
    }
  for (const { name, server, seen } of started) {
    await server.stop();
    rows.push([
      picture,
      name,
      ...["half", "all", "cpu"].map((each) => median(seen.map((s) => s[each])) / 1000),
    ]);
  }
  clean();
}
await browser.close();
pages.close();
console.log(machine());
console.log(table(["picture", "server", "half, s", "all, s", "CPU, s"], rows));
