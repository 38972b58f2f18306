// Canvases side by side, as viewers show spreads: each is moved and scaled to where it lies in the
// coordinates of the viewer.
//
// A place is where a canvas lies: { canvas: { id, width, height }, x, y, width, height }, in the viewer's
// coordinates.

import { within } from "./page.js";

/**
 * A region of a canvas, in its pixels, as a viewer that shows it at a place has it: [x, y, width, height].
 */
export function toViewer({ canvas, x, y, width, height }, [left, top, w, h]) {
  const across = width / canvas.width;
  const down = height / canvas.height;
  return [x + left * across, y + top * down, w * across, h * down];
}

/**
 * The page that bounds, in the coordinates of the viewer, show most of, and its region there in its own
 * pixels, absent if all of it is seen. The canvas that readers have turned to counts as long as all of it
 * is on screen.
 */
export function onScreen(places, bounds, canvasId) {
  const seen = places.map((place) => ({
    place,
    part: sharedArea(place, bounds) / (place.width * place.height),
  }));
  const areaOf = ({ place, part }) => part * place.width * place.height;
  const turnedTo = seen.find(({ place }) => place.canvas.id === canvasId) ?? seen[0];
  const most = seen.reduce((best, each) => (areaOf(each) > areaOf(best) ? each : best), turnedTo);
  const { place, part } = turnedTo.part > all ? turnedTo : most;
  const { canvas, x, y, width, height } = place;
  if (part > all) return { canvasId: canvas.id };
  const [left, top, w, h] = bounds;
  const across = canvas.width / width;
  const down = canvas.height / height;
  const region = within([(left - x) * across, (top - y) * down, w * across, h * down], canvas);
  return { canvasId: canvas.id, region };
}

/** Of a page, more than this part is all of it: viewers round where their middle is. */
const all = 0.998;

function sharedArea({ x, y, width, height }, [left, top, w, h]) {
  const across = Math.min(x + width, left + w) - Math.max(x, left);
  const down = Math.min(y + height, top + h) - Math.max(y, top);
  return Math.max(0, across) * Math.max(0, down);
}
