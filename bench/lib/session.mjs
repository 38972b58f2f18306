// The requests of a viewer: a seeded session over one picture, and tiles of one scale factor spread over its
// grid. Regions and sizes are as in canonical URIs of the Image API 3 (section 4.7), with default.jpg.

/** Numbers in 0..1, the same for the same seed (xorshift, 32 bits). */
export function chances(seed) {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** A copy in an order that the seed decides. */
export function shuffled(list, seed = 1) {
  const out = [...list];
  const chance = chances(seed);
  for (let i = out.length - 1; i > 0; i--) {
    const j = Math.floor(chance() * (i + 1));
    [out[i], out[j]] = [out[j], out[i]];
  }
  return out;
}

/** 1, 2, 4 … up to the one that shows the whole picture in one tile. */
export function scaleFactors({ width, height }, tile) {
  const factors = [1];
  while (Math.max(width, height) / factors.at(-1) > tile) factors.push(factors.at(-1) * 2);
  return factors;
}

/** The request for one tile of the grid. */
export function tileRequest(size, tile, factor, column, row) {
  const x = column * tile * factor;
  const y = row * tile * factor;
  const w = Math.min(tile * factor, size.width - x);
  const h = Math.min(tile * factor, size.height - y);
  return {
    ...areaRequest(size, [x, y, w, h], Math.ceil(w / factor), Math.ceil(h / factor), factor),
    grid: true,
  };
}

/** Returns the request for a region `[x, y, w, h]` at any size; it is counted under `factor`. */
export function areaRequest(size, region, width, height, factor) {
  const whole = region[2] === size.width && region[3] === size.height;
  const wanted = whole && width === size.width && height === size.height ? "max" : `${width},${height}`;
  const larger = width > region[2] || height > region[3] ? "^" : "";
  const path = `${whole ? "full" : region.join(",")}/${larger}${wanted}/0/default.jpg`;
  return { kind: "tile", factor, path, width, height, region };
}

/**
 * Returns the request for a region at its own size, turned clockwise; libraries differ by a pixel in the
 * result's size.
 */
export function turnedRequest([x, y, w, h], degrees) {
  const angle = (degrees * Math.PI) / 180;
  const [sine, cosine] = [Math.abs(Math.sin(angle)), Math.abs(Math.cos(angle))];
  return {
    kind: "tile",
    factor: `${degrees}°`,
    path: `${x},${y},${w},${h}/${w},${h}/${degrees}/default.jpg`,
    width: Math.ceil(w * cosine + h * sine),
    height: Math.ceil(w * sine + h * cosine),
    tolerance: 2,
    region: [x, y, w, h],
    degrees,
  };
}

/**
 * Requests of a session as OpenSeadragon makes them: info.json, a thumbnail, the overview, four zoom steps to
 * a seeded point, then pans at full resolution. A coarser level comes before a finer one, the middle of the
 * window before its edge, and no tile twice. It ends after `tiles` tiles.
 */
export function session(size, { tile = 512, tiles = 120, view = [1600, 1000], seed = 1 } = {}) {
  const chance = chances(seed);
  const factors = scaleFactors(size, tile);
  const found = new Map();
  const add = (request) => found.size < tiles && !found.has(request.path) && found.set(request.path, request);

  const show = (x, y, scale, withCoarser) => {
    const fine = factors.findLast((factor) => factor <= scale * 1.0001) ?? 1;
    const levels = withCoarser && factors.includes(fine * 2) ? [fine * 2, fine] : [fine];
    for (const factor of levels)
      for (const [column, row] of inWindow(
        size,
        tile * factor,
        [x, y],
        view.map((side) => side * scale),
      ))
        add(tileRequest(size, tile, factor, column, row));
  };

  const fit = Math.max(size.width / view[0], size.height / view[1], 1);
  show(size.width / 2, size.height / 2, fit, true);
  let x = size.width * (0.25 + 0.5 * chance());
  let y = size.height * (0.25 + 0.5 * chance());
  for (let step = 1; step <= 4; step++) show(x, y, fit ** (1 - step / 4), true);
  for (let pans = 0; pans < 400 && found.size < tiles; pans++) {
    const angle = chance() * 2 * Math.PI;
    x += Math.cos(angle) * view[0] * 0.6;
    y += Math.sin(angle) * view[1] * 0.6;
    if (x < 0 || x > size.width) x = size.width * chance();
    if (y < 0 || y > size.height) y = size.height * chance();
    show(x, y, 1, false);
  }
  return [{ kind: "info", factor: "info", path: "info.json" }, thumbnail(size, 300), ...found.values()];
}

function thumbnail({ width, height }, side) {
  const scale = side / Math.max(width, height);
  return {
    kind: "tile",
    factor: "thumbnail",
    path: `full/!${side},${side}/0/default.jpg`,
    width: Math.round(width * scale),
    height: Math.round(height * scale),
    tolerance: 1,
  };
}

/** Columns and rows of the grid that a window around (x, y) shows, its middle first. */
function inWindow(size, side, [x, y], [width, height]) {
  const first = (from) => Math.max(0, Math.floor(from / side));
  const last = (to, whole) => Math.min(Math.ceil(whole / side), Math.ceil(to / side)) - 1;
  const cells = [];
  for (let row = first(y - height / 2); row <= last(y + height / 2, size.height); row++)
    for (let column = first(x - width / 2); column <= last(x + width / 2, size.width); column++)
      cells.push([column, row, Math.hypot((column + 0.5) * side - x, (row + 0.5) * side - y)]);
  return cells.sort((a, b) => a[2] - b[2]);
}

/**
 * `count` of the requests, evenly over the session, in a seeded order so that any beginning is a fair sample.
 */
export function sample(requests, count) {
  if (!(count < requests.length)) return requests;
  const step = (requests.length - 1) / Math.max(1, count - 1);
  return shuffled(Array.from({ length: count }, (_, i) => requests[Math.round(i * step)]));
}

/**
 * Returns at most `count` tiles of one scale factor from anywhere in the picture; only complete ones if there
 * are any.
 */
export function gridTiles(size, tile, factor, count) {
  const side = tile * factor;
  const columns = Math.floor(size.width / side) || 1;
  const rows = Math.floor(size.height / side) || 1;
  const cells = Array.from({ length: columns * rows }, (_, i) => [i % columns, Math.floor(i / columns)]);
  return shuffled(cells)
    .slice(0, count)
    .map(([column, row]) => tileRequest(size, tile, factor, column, row));
}
