// Measures what an overlay adds to a 512 px JPEG tile, including the shortcuts it rules out (lossless crops,
// planes).
//
//   npm run build && node bench/overlay.mjs [--rounds 15] [--picture static/sample/sample.jpg]
//
// Four servers without render cache over the same picture: without an overlay, once as usual and once without
// lossless crops; with a mark of 220 by 80 pixels in a corner; and with that mark tiled over the response.
// One client requests each tile from all of them in turn. Prints medians in milliseconds over tiles and
// rounds, the difference from the server without an overlay, and the ratio.

import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { ask, listening } from "./lib/http.mjs";
import { median, ratio, table } from "./lib/numbers.mjs";
import { nodeFlags } from "./lib/processes.mjs";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "15" },
    picture: { type: "string", default: "static/sample/sample.jpg" },
  },
});
const settings = {
  none: "",
  "none, no lossless crops": "image: { jpeg_passthrough: 'off' }",
  corner: "overlay: { image: mark.png }",
  tiled: "overlay: { image: mark.png, fit: tile }",
};
const side = 512;
const warmUp = 40;

const folder = mkdtempSync(join(tmpdir(), "overlay-"));
const mark = `<svg xmlns="http://www.w3.org/2000/svg" width="220" height="80"><text x="110" y="52" font-size="36"
  text-anchor="middle" font-family="sans-serif" fill="#fff" stroke="#000">Library</text></svg>`;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const servers = [];
try {
  await sharp(Buffer.from(mark)).png().toFile(join(folder, "mark.png"));
  copyFileSync(values.picture, join(folder, "picture.jpg"));
  for (const [at, [name, setting]] of Object.entries(settings).entries()) {
    const port = 19_200 + at;
    const config = join(folder, `${at}.yaml`);
    writeFileSync(
      config,
      `addr: 127.0.0.1:${port}\nsources: [{ name: a, type: filesystem, root: . }]\ncache: { render: { backend: none } }\nlog: { level: error }\n${setting}\n`,
    );
    const child = spawn(process.execPath, [...nodeFlags, "dist/main.js", "-config", config], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    servers.push({ name, base: `http://127.0.0.1:${port}/iiif/3/picture.jpg`, child, times: {} });
    if (!(await listening(`http://127.0.0.1:${port}/health`, () => child.exitCode === null)))
      throw new Error(`the server "${name}" did not start`);
  }
  const { width, height } = await sharp(values.picture).metadata();
  const levels = Object.fromEntries([1, 2, 4].map((factor) => [`1/${factor}`, tiles(width, height, factor)]));
  for (const server of servers)
    for (let i = 0; i < warmUp; i++)
      for (const list of Object.values(levels)) await answer(server, list[i % list.length]);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [level, list] of Object.entries(levels))
      for (let i = 0; i < 8; i++) {
        const tile = list[(round * 8 + i) % list.length];
        // another one first each time
        for (let s = 0; s < servers.length; s++) {
          const server = servers[(s + i) % servers.length];
          (server.times[level] ??= []).push(await answer(server, tile));
        }
      }
  const rows = Object.keys(levels).flatMap((level) => {
    const base = median(servers[0].times[level]);
    return servers.map(({ name, times }) => {
      const ms = median(times[level]);
      return [level, name, ms, ms - base, ratio(ms, base)];
    });
  });
  console.log(table(["tile", "overlay", "ms", "more", "ratio"], rows));
} finally {
  for (const { child } of servers) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

/** Requests for all whole tiles of a level. */
function tiles(width, height, factor) {
  const step = side * factor;
  const found = [];
  for (let y = 0; y + step <= height; y += step)
    for (let x = 0; x + step <= width; x += step)
      found.push(`${x},${y},${step},${step}/${side},${side}/0/default.jpg`);
  return found;
}

async function answer({ base }, tile) {
  const { status, ms } = await ask(`${base}/${tile}`, agent);
  if (status !== 200) throw new Error(`${base}/${tile}: ${status}`);
  return ms;
}
