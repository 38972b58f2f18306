// Windows of a picture, and how far the pixels of one are from the components that they are made of.

import { chances } from "../lib/session.mjs";

/** Windows that begin at multiples of the factor; every other one reaches the right and bottom edge. */
export function randomWindows({ width, height }, factor, count, seed) {
  const chance = chances(seed + factor);
  const axis = (length, toEdge) => {
    const steps = Math.ceil(length / factor);
    const first = Math.floor(chance() * steps);
    const last = toEdge ? steps : first + 1 + Math.floor(chance() * Math.min(steps - first, 300));
    return [first * factor, Math.min(length, last * factor) - first * factor];
  };
  return Array.from({ length: count }, (_, i) => {
    const [x, w] = axis(width, i % 2 === 1);
    const [y, h] = axis(height, i % 2 === 1);
    return { x, y, width: w, height: h };
  });
}

/**
 * Returns the largest difference in steps of the file's own depth. A sample of a subsampled component counts
 * for the pixels up to the next one, the first also for those before it.
 */
export function distance({ data, width, height, bands }, { planes, facts, depth }, region, factor) {
  const full = 2 ** depth - 1;
  let most = 0;
  planes.forEach((plane, band) => {
    const { dx, dy } = facts.components.length === planes.length ? facts.components[band] : { dx: 1, dy: 1 };
    const reduced = (start, step) => Math.ceil(Math.ceil(start / step) / factor);
    const place = (start, offset, step, length, i) => {
      const at = Math.floor((reduced(start, 1) + offset / factor + i) / step) - reduced(start, step);
      return Math.min(length - 1, Math.max(0, at));
    };
    const columns = Int32Array.from({ length: width }, (_, i) =>
      place(facts.left, region.x, dx, plane.width, i),
    );
    const top = 2 ** plane.bits - 1;
    const zero = plane.signed ? 2 ** (plane.bits - 1) : 0;
    for (let y = 0; y < height; y++) {
      const row = place(facts.top, region.y, dy, plane.height, y) * plane.width;
      for (let x = 0; x < width; x++) {
        const got = Math.round((data[(y * width + x) * bands + band] * top) / full);
        most = Math.max(most, Math.abs(got - zero - plane.samples[row + columns[x]]));
      }
    }
  });
  return most;
}
