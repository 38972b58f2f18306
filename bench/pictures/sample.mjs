// Draws the bundled sample picture: a vault of glass tiles, blue with golden stars. Our own work; the same
// every time.
//
//   node bench/pictures/sample.mjs [FILE]        default: static/sample/sample.jpg

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import sharp from "sharp";

const target = process.argv[2] ?? "static/sample/sample.jpg";
const width = 4096;
const height = 2732;
const oversampling = 2;

/** A number in 0..1 from whole numbers, always the same for the same ones. */
function chance(a, b, c = 0) {
  let h = (Math.imul(a | 0, 0x9e3779b1) ^ Math.imul(b | 0, 0x85ebca77) ^ Math.imul(c | 0, 0xc2b2ae3d)) >>> 0;
  h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
  h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
  return ((h ^ (h >>> 15)) >>> 0) / 4294967296;
}

/** Smooth noise in 0..1. */
function noise(x, y, seed) {
  const x0 = Math.floor(x);
  const y0 = Math.floor(y);
  const fx = x - x0;
  const fy = y - y0;
  const sx = fx * fx * (3 - 2 * fx);
  const sy = fy * fy * (3 - 2 * fy);
  const top = chance(x0, y0, seed) * (1 - sx) + chance(x0 + 1, y0, seed) * sx;
  const low = chance(x0, y0 + 1, seed) * (1 - sx) + chance(x0 + 1, y0 + 1, seed) * sx;
  return top * (1 - sy) + low * sy;
}

const palettes = {
  night: [
    [18, 38, 92],
    [22, 52, 120],
    [12, 28, 72],
    [30, 66, 140],
    [16, 44, 84],
    [38, 58, 130],
  ],
  deep: [
    [10, 22, 58],
    [14, 30, 74],
    [8, 18, 46],
  ],
  gold: [
    [214, 160, 52],
    [232, 186, 84],
    [190, 132, 38],
    [246, 212, 120],
    [204, 150, 60],
    [170, 116, 40],
  ],
  pale: [
    [240, 226, 190],
    [228, 210, 164],
    [246, 238, 214],
  ],
  red: [
    [150, 34, 30],
    [176, 48, 38],
    [122, 24, 26],
  ],
  sea: [
    [34, 120, 128],
    [52, 150, 148],
    [26, 96, 112],
    [86, 176, 164],
  ],
  green: [
    [58, 110, 58],
    [84, 138, 70],
    [40, 84, 50],
  ],
  white: [
    [236, 232, 222],
    [222, 218, 208],
    [246, 244, 238],
  ],
};

const centre = { x: width / 2, y: height / 2 };
const field = Math.min(width, height) / 2 - 250;
const pitch = 19; // side of a tile in pixels

/** Stars on rings around the middle, each half a step off its neighbours' ring. */
const stars = [];
for (let ring = 0; ring < 9; ring++) {
  const radius = 560 + ring * 205;
  const count = 10 + ring * 4;
  for (let i = 0; i < count; i++) {
    const angle = ((i + (ring % 2) / 2) / count) * 2 * Math.PI + ring * 0.11;
    const x = centre.x + radius * Math.cos(angle);
    const y = centre.y + radius * Math.sin(angle);
    const inside = Math.abs(x - centre.x) < width / 2 - 300 && Math.abs(y - centre.y) < field - 60;
    if (inside)
      stars.push({
        x,
        y,
        size: 52 + 14 * chance(ring, i, 5),
        turn: angle,
        kind: chance(ring, i, 6) < 0.22 ? 1 : 0,
      });
  }
}
const cell = 256;
const starGrid = new Map();
for (const star of stars)
  for (let dx = -1; dx <= 1; dx++)
    for (let dy = -1; dy <= 1; dy++) {
      const key = (Math.floor(star.x / cell) + dx) * 1000 + Math.floor(star.y / cell) + dy;
      starGrid.set(key, [...(starGrid.get(key) ?? []), star]);
    }

/**
 * Returns the tile at a position, for tiles laid in rings about a point, and the position within it (0..1
 * both ways).
 */
function ringTile(x, y, middle, seed, side = pitch) {
  const dx = x - middle.x;
  const dy = y - middle.y;
  const radius = Math.hypot(dx, dy) / side;
  const ring = Math.floor(radius);
  const count = Math.max(3, Math.round(2 * Math.PI * (ring + 0.5) * (0.94 + 0.1 * chance(ring, seed, 1))));
  const turns = (Math.atan2(dy, dx) / (2 * Math.PI) + 1 + chance(ring, seed, 2)) % 1;
  const along = turns * count;
  const id = Math.floor(along);
  return {
    a: ring * 7919 + seed,
    b: id,
    u: along - id,
    v: radius - ring,
    across: (2 * Math.PI * (ring + 0.5)) / count,
  };
}

/** Tiles laid in straight courses. */
function rowTile(s, t, seed, side = pitch) {
  const row = Math.floor(t / side);
  const along = s / (side * (0.95 + 0.1 * chance(row, seed, 1))) + chance(row, seed, 2);
  const id = Math.floor(along);
  return { a: row * 104729 + seed, b: id, u: along - id, v: t / side - row, across: 1 };
}

function starAt(x, y) {
  for (const star of starGrid.get(Math.floor(x / cell) * 1000 + Math.floor(y / cell)) ?? []) {
    const dx = x - star.x;
    const dy = y - star.y;
    const r = Math.hypot(dx, dy) / star.size;
    if (r > 1.75) continue;
    const angle = Math.atan2(dy, dx) - star.turn;
    const petals = star.kind ? 6 : 8;
    const reach = 0.62 + 0.62 * Math.abs(Math.cos((angle * petals) / 2)) ** 2.2;
    if (r < reach) return { star, r, heart: r < 0.3, edge: reach - r < 0.16 };
  }
}

/** Returns the set of colours at a position, and the course of tiles that covers it. */
function scene(x, y) {
  const fromEdge = Math.min(x, y, width - x, height - y);
  if (fromEdge < 240) return border(x, y, fromEdge);
  const dx = x - centre.x;
  const dy = y - centre.y;
  const r = Math.hypot(dx, dy);
  const angle = Math.atan2(dy, dx);
  if (r < 420) return sun(x, y, r, angle);
  const star = starAt(x, y);
  if (star) {
    const seed = Math.floor(star.star.x * 13 + star.star.y);
    const colours = star.heart ? (star.star.kind ? "pale" : "red") : star.edge ? "pale" : "gold";
    return { colours, tile: ringTile(x, y, star.star, seed, 14), metal: colours === "gold" };
  }
  const wave = 0.5 + 0.5 * Math.sin(r / 102.5 + 1.2);
  return {
    colours: wave > 0.86 ? "deep" : "night",
    tile: ringTile(x, y, centre, 17),
    metal: false,
  };
}

function sun(x, y, r, angle) {
  const bands = [
    [70, "red"],
    [86, "pale"],
    [150, "gold"],
    [166, "white"],
    [300, Math.abs(Math.sin(angle * 8)) > 0.45 !== r > 232 ? "gold" : "sea"],
    [318, "white"],
    [376, Math.floor((angle / Math.PI) * 24 + 48) % 2 === 0 ? "red" : "green"],
    [396, "gold"],
    [420, "white"],
  ];
  const colours = bands.find(([limit]) => r < limit)[1];
  return {
    colours,
    tile: ringTile(x, y, centre, 91, r < 166 ? 13 : 16),
    metal: colours === "gold",
  };
}

function border(x, y, d) {
  const horizontal = Math.min(y, height - y) < Math.min(x, width - x);
  const s = horizontal ? x : y;
  const tile = rowTile(s, d, horizontal ? 5 : 6, d > 60 && d < 180 ? 15 : pitch);
  if (d < 28 || d >= 212) return { colours: "gold", tile, metal: true };
  if (d < 58 || d >= 182) return { colours: d < 58 ? "red" : "white", tile, metal: false };
  // A running wave of three strands.
  const phase = (s / 150) * Math.PI;
  const middle = (d - 120) / 62;
  const strands = [0, 1, 2].map((k) => Math.abs(middle - 0.62 * Math.sin(phase + (k * 2 * Math.PI) / 3)));
  const nearest = strands.indexOf(Math.min(...strands));
  if (strands[nearest] < 0.24) return { colours: ["sea", "green", "pale"][nearest], tile, metal: false };
  return { colours: strands[nearest] < 0.34 ? "white" : "deep", tile, metal: false };
}

/** Colour of one position, three numbers of 0..255. */
function colourAt(x, y, out) {
  const { colours, tile, metal } = scene(x, y);
  const { a, b, u, v } = tile;
  // Joints of uneven width: the tile's outline wanders a little.
  const wander = 0.05 * (noise(x / 9, y / 9, 3) - 0.5);
  const ju = Math.min(u, 1 - u) * tile.across + wander;
  const jv = Math.min(v, 1 - v) + wander;
  const joint = 0.055 + 0.035 * chance(a, b, 9);
  const rim = Math.min(ju, jv) - joint;
  if (rim < 0) {
    const mortar = 0.75 + 0.5 * noise(x / 3, y / 3, 4) + 0.2 * noise(x, y, 8);
    out[0] = 104 * mortar;
    out[1] = 97 * mortar;
    out[2] = 88 * mortar;
    return;
  }
  const set = palettes[colours];
  const base = set[Math.floor(chance(a, b, 11) * set.length)];
  const tilt = chance(a, b, 12) * 2 * Math.PI;
  const slope = 0.12 + 0.3 * chance(a, b, 13);
  let light =
    0.86 + 0.26 * chance(a, b, 14) + slope * ((u - 0.5) * Math.cos(tilt) + (v - 0.5) * Math.sin(tilt));
  // The light comes from the upper left: bright and dark bevels, a glint on some tiles.
  if (rim < 0.07) light += (0.07 - rim) * (u + v < 1 ? 2.6 : -3.4);
  const glint = Math.hypot(u - 0.3 - 0.3 * chance(a, b, 15), v - 0.3 - 0.3 * chance(a, b, 16));
  const shine =
    chance(a, b, 17) < (metal ? 0.5 : 0.16) && glint < 0.24 ? (1 - glint / 0.24) * (metal ? 70 : 46) : 0;
  const streak = noise((x + 3 * y) / 7, (y - x) / 26, 20 + (b & 7)) - 0.5;
  const grain = noise(x / 1.7, y / 1.7, 7) - 0.5;
  const bubble = noise(x / 2.6, y / 2.6, 30 + (a & 3)) > 0.93 ? 14 : 0;
  const leaf = metal ? 34 * (noise(x / 5, y / 5, 40) - 0.5) : 0;
  for (let k = 0; k < 3; k++)
    out[k] = base[k] * (light + 0.14 * streak + 0.1 * grain) + shine + bubble + leaf;
}

const pixels = Buffer.alloc(width * height * 3);
const sample = [0, 0, 0];
for (let y = 0; y < height; y++) {
  for (let x = 0; x < width; x++) {
    let r = 0;
    let g = 0;
    let b = 0;
    for (let j = 0; j < oversampling; j++)
      for (let i = 0; i < oversampling; i++) {
        colourAt(x + (i + 0.5) / oversampling, y + (j + 0.5) / oversampling, sample);
        r += Math.min(255, Math.max(0, sample[0]));
        g += Math.min(255, Math.max(0, sample[1]));
        b += Math.min(255, Math.max(0, sample[2]));
      }
    const n = oversampling * oversampling;
    const vignette = 1.04 - 0.16 * ((x / width - 0.5) ** 2 + (y / height - 0.5) ** 2) * 2;
    const at = (y * width + x) * 3;
    pixels[at] = Math.min(255, (r / n) * vignette);
    pixels[at + 1] = Math.min(255, (g / n) * vignette);
    pixels[at + 2] = Math.min(255, (b / n) * vignette);
  }
}

mkdirSync(dirname(target), { recursive: true });
const { size } = await sharp(pixels, { raw: { width, height, channels: 3 } })
  .withDensity(300)
  .jpeg({ quality: 80, chromaSubsampling: "4:2:0", trellisQuantisation: true })
  .toFile(target);
console.log(`${target}: ${width} x ${height}, ${(size / 1e6).toFixed(1)} MB`);
