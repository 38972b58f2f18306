// Measures what a tile costs more when the service says all that it can of itself: log lines, metrics that are scraped, Server-Timing,
// traces to a collector that answers or is dead, reports of errors. Instructions by perf, in alternating order.
//
//   npm run build && node bench/observing.mjs [--tiles 300] [--rounds 5] [--warm 1500] [--kept]      --kept: tiles that the render slot holds

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";

const { values } = parseArgs({
  options: {
    tiles: { type: "string", default: "300" },
    warm: { type: "string", default: "1500" },
    rounds: { type: "string", default: "5" },
    kept: { type: "boolean", default: false },
  },
});
const [tiles, rounds] = [Number(values.tiles), Number(values.rounds)];
const folder = mkdtempSync(join(tmpdir(), "smalti-observing-"));
mkdirSync(join(folder, "images"));
await sharp({
  create: {
    width: 6144,
    height: 4096,
    channels: 3,
    background: "gray",
    noise: { type: "gaussian", mean: 128, sigma: 20 },
  },
})
  .jpeg({ quality: 85 })
  .toFile(join(folder, "images", "noise.jpg"));

const collector = createServer((request, response) => {
  request.resume();
  request.on("end", () => response.writeHead(200, { "Content-Type": "application/json" }).end("{}"));
});
await new Promise((resolve) => collector.listen(0, "127.0.0.1", resolve));
const live = `http://127.0.0.1:${collector.address().port}`;
/** Takes connections and never answers. */
const hanging = createServer(() => {});
await new Promise((resolve) => hanging.listen(0, "127.0.0.1", resolve));
const dead = `http://127.0.0.1:${hanging.address().port}`;

const all = (otlp) => `log: { requests: true, format: json }
metrics: { enabled: true }
http: { server_timing: true }
errors: { report_url: "${otlp}/errors" }
tracing: { otlp_endpoint: "${otlp}" }
`;
const variants = {
  off: "log: { requests: false }\n",
  /** Shows how much two servers differ that do the same. */
  "off, once more": "log: { requests: false }\n",
  log: "log: { requests: true }\n",
  all: all(live),
  "all, dead collector": all(dead),
};

const servers = [];
let port = 18_000 + (process.pid % 1000);
for (const [name, config] of Object.entries(variants)) {
  port++;
  const slot = values.kept ? "{ backend: heap }" : "{ backend: none }";
  const file = join(folder, `${port}.yaml`);
  writeFileSync(
    file,
    `addr: "127.0.0.1:${port}"\nsources: [{ name: images, type: filesystem, root: ${join(folder, "images")} }]\ncache: { render: ${slot}, origin: { backend: heap } }\n${config}`,
  );
  const err = openSync(join(folder, `${port}.log`), "w");
  const child = spawn(process.execPath, ["--max-semi-space-size=4", "dist/main.js", "-config", file], {
    stdio: ["ignore", "ignore", err],
  });
  servers.push({ name, url: `http://127.0.0.1:${port}`, child, samples: [] });
}

const targets = Array.from({ length: 96 }, (_, i) => {
  const [x, y] = [(i % 12) * 512, Math.floor(i / 12) * 512];
  return `/iiif/3/noise.jpg/${x},${y},512,512/${i % 3 === 0 ? "256,256" : "512,512"}/0/default.jpg`;
});
async function ask({ url }, count) {
  for (let i = 0; i < count; i++) await (await fetch(url + targets[i % targets.length])).arrayBuffer();
}

for (const server of servers) {
  for (let tries = 0; ; tries++) {
    const up = await fetch(`${server.url}/health`).catch(() => undefined);
    if (up?.ok) break;
    if (tries > 200) throw new Error("a server does not start");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await ask(server, Number(values.warm));
}

/** Instructions of a process with its threads while `act` runs. */
async function instructions({ child }, act) {
  const perf = spawn("perf", ["stat", "-x,", "-e", "instructions:u", "-p", String(child.pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  perf.stderr.on("data", (part) => (text += part));
  await new Promise((resolve) => setTimeout(resolve, 300)); // until it counts
  await act();
  perf.kill("SIGINT");
  await new Promise((resolve) => perf.on("exit", resolve));
  return Number(text.split(",")[0]);
}

for (let round = 0; round < rounds; round++) {
  const order = round % 2 === 0 ? servers : servers.toReversed();
  for (const server of order) {
    const counted = await instructions(server, async () => {
      await ask(server, tiles / 2);
      if (server.name.startsWith("all")) await (await fetch(`${server.url}/metrics`)).text();
      await ask(server, tiles / 2);
    });
    server.samples.push(counted / tiles);
  }
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
const [off] = servers;
console.log(
  `instructions of a ${values.kept ? "kept" : "rendered"} tile, median of ${rounds} rounds of ${tiles} tiles`,
);
for (const { name, samples } of servers) {
  const ratio = median(samples.map((one, i) => one / off.samples[i]));
  console.log(
    `${name.padEnd(22)} ${(median(samples) / 1e6).toFixed(3)} M   ${((ratio - 1) * 100).toFixed(2)} % over off   (${samples.map((one) => (one / 1e6).toFixed(3)).join(" ")})`,
  );
}
for (const { child } of servers) child.kill("SIGKILL");
collector.closeAllConnections();
collector.close();
hanging.closeAllConnections();
hanging.close();
rmSync(folder, { recursive: true, maxRetries: 5 });
