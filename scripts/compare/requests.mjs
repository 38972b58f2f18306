// The requests of a comparison: drawn from a seed, over all masters, regions, sizes, rotations, qualities and
// formats.

import { chances } from "../../bench/lib/session.mjs";

/** Maximum pixels of a response, so that the whole run takes minutes. */
const mostPixels = 600_000;

/**
 * Paths of `count` requests for one server, below its root. Each is over one of `few` masters of the list, so
 * that masters recur: the first request of each finds a server that does not know it. Half of them are large,
 * since servers keep parts of those alone.
 */
export function drawRequests(masters, count, seed) {
  const chance = chances(seed);
  for (let i = 0; i < 8; i++) chance(); // numbers of neighbouring seeds lie close together at first
  const pick = (list) => list[Math.floor(chance() * list.length)];
  const large = masters.filter(({ width, height }) => width * height > 1e6);
  const few = Array.from({ length: Math.max(4, Math.ceil(count / 8)) }, () =>
    pick(chance() < 0.5 ? large : masters),
  );
  return Array.from({ length: count }, () => requestOf(pick(few), pick, chance));
}

const kinds = ["tile", "tile", "tile", "tile", "any", "pct", "square", "full"];

function requestOf({ name, width, height }, pick, chance) {
  const version = pick([3, 3, 3, 2]);
  const at = `/iiif/${version}/${encodeURIComponent(name)}`;
  if (chance() < 0.03) return `${at}/info.json`;
  // The most common requests of viewers.
  const plain = chance() < 0.4;
  const { region, shown } = regionOf(width, height, plain ? ["tile"] : kinds, pick, chance);
  const size = sizeOf(shown, version, pick, chance);
  if (plain) return `${at}/${region}/${size}/0/default.jpg`;
  const rotation = pick(["0", "0", "0", "0", "90", "180", "270", "!0", "!90", "!180", "33", "!200.5"]);
  const quality = pick(["default", "default", "default", "default", "color", "gray", "bitonal"]);
  const format = pick(["jpg", "jpg", "jpg", "jpg", "png", "webp", "tif", "jp2"]);
  return `${at}/${region}/${size}/${rotation}/${quality}.${format}`;
}

/**
 * A region and how many pixels it shows: a tile of the grid at a scale (most), any rectangle, a share, a
 * square, or all.
 */
function regionOf(width, height, kinds, pick, chance) {
  const kind = pick(kinds);
  if (kind === "full") return { region: "full", shown: { width, height } };
  const side = Math.min(width, height);
  if (kind === "square") return { region: "square", shown: { width: side, height: side } };
  if (kind === "pct") {
    const [x, y, w, h] = [60, 60, 40, 40].map((most) => Math.floor(chance() * most * 10) / 10 + 0.5);
    return {
      region: `pct:${x},${y},${w},${h}`,
      shown: { width: (width * w) / 100, height: (height * h) / 100 },
    };
  }
  if (kind === "any") {
    const w = 1 + Math.floor(chance() * width * 0.8);
    const h = 1 + Math.floor(chance() * height * 0.8);
    const x = Math.floor(chance() * (width - w));
    const y = Math.floor(chance() * (height - h));
    return { region: `${x},${y},${w},${h}`, shown: { width: w, height: h } };
  }
  const factor = pick([1, 1, 2, 2, 4, 4, 8, 8, 16, 32]);
  const tile = pick([512, 512, 512, 256, 128]) * factor;
  const x = Math.floor(chance() * Math.ceil(width / tile)) * tile;
  const y = Math.floor(chance() * Math.ceil(height / tile)) * tile;
  const w = Math.min(tile, width - x);
  const h = Math.min(tile, height - y);
  return { region: `${x},${y},${w},${h}`, shown: { width: w, height: h, factor } };
}

/**
 * A size for a region: that of its tile, else a width, a height, both, or a bound, of at most that many
 * pixels.
 */
function sizeOf({ width, height, factor }, version, pick, chance) {
  if (factor && chance() < 0.85) {
    const across = Math.max(1, Math.ceil(width / factor));
    return version === 2 ? `${across},` : `${across},${Math.max(1, Math.ceil(height / factor))}`;
  }
  const most = Math.min(1, Math.sqrt(mostPixels / (width * height)));
  if (most === 1 && chance() < 0.2) return "max";
  const share = pick([1, 0.5, 0.25, 0.125, 0.3, 0.77, 0.06]) * most;
  const [w, h] = [width, height].map((length) => Math.max(1, Math.round(length * share)));
  return pick([
    `${w},`,
    `,${h}`,
    `!${w},${h}`,
    `${w},${Math.max(1, Math.round(h * (0.6 + chance() * 0.4)))}`,
  ]);
}
