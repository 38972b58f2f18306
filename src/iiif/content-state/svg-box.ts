// The bounding box of an SVG's shapes, as annotations outline parts of a canvas (Web Annotation Data Model,
// section 4.2.8). Only the attributes of shapes are read: no style, no document, no reference.

import { type Point, pathPoints } from "./svg-path.ts";

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Returns a shape's attribute as a number of pixels, or 0. */
type Numbers = (name: string) => number;

/** The points of the supported shapes; their bounding box contains the shape. */
const shapes: Readonly<Record<string, (text: (name: string) => string, number: Numbers) => Iterable<Point>>> =
  {
    path: (text) => pathPoints(text("d")),
    polygon: (text) => pairs(text("points")),
    polyline: (text) => pairs(text("points")),
    line: (_, number) => [
      [number("x1"), number("y1")],
      [number("x2"), number("y2")],
    ],
    rect: (_, number) => corners(number("x"), number("y"), number("width"), number("height")),
    circle: (_, number) => cornersAround(number("cx"), number("cy"), number("r"), number("r")),
    ellipse: (_, number) => cornersAround(number("cx"), number("cy"), number("rx"), number("ry")),
  };

/** Maximum number of shapes of an SVG. */
const maxShapes = 1000;

/**
 * Returns the bounding box of all shapes, in canvas coordinates; undefined if there are none, if they are
 * transformed, or if lengths are in percent or in units other than pixels. `svg`: a text no longer than a
 * content state.
 */
export function boxOf(svg: string): Box | undefined {
  const text = withoutComments(svg);
  if (/\stransform\s*=/i.test(text)) return undefined;
  let box: Box | undefined;
  let count = 0;
  let hasUnits = false;
  for (const [, name = "", attributes = ""] of text.matchAll(/<(?:svg:)?([a-z]+)\b([^<>]*)/gi)) {
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (shape === undefined || ++count > maxShapes) continue;
    const textOf = (key: string) => attribute(attributes, key);
    const numberOf = (key: string) => {
      const length = textOf(key).trim();
      hasUnits ||= endsInUnit(length);
      return Number.parseFloat(length) || 0;
    };
    for (const [x, y] of shape(textOf, numberOf)) {
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      box = {
        left: Math.min(box?.left ?? x, x),
        top: Math.min(box?.top ?? y, y),
        right: Math.max(box?.right ?? x, x),
        bottom: Math.max(box?.bottom ?? y, y),
      };
    }
  }
  return hasUnits ? undefined : box;
}

/** True if a length has a unit whose pixels depend on the page or the canvas. */
const endsInUnit = (length: string) => /[%a-z]$/i.test(length) && !/px$/i.test(length);

/** Removes comments, which are not drawn. */
function withoutComments(text: string): string {
  const [first = "", ...rest] = text.split("<!--");
  return first + rest.map((part) => part.split("-->").slice(1).join("-->")).join("");
}

/** Returns the value of an attribute, or nothing. */
function attribute(attributes: string, name: string): string {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found?.[1] ?? found?.[2] ?? "";
}

function* pairs(text: string): Generator<Point> {
  const numbers = (text.match(/[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?/gi) ?? []).map(Number);
  for (let n = 0; n + 1 < numbers.length; n += 2) yield [numbers[n] ?? 0, numbers[n + 1] ?? 0];
}

const corners = (x: number, y: number, width: number, height: number): readonly Point[] =>
  width > 0 && height > 0
    ? [
        [x, y],
        [x + width, y + height],
      ]
    : [];

const cornersAround = (x: number, y: number, rx: number, ry: number) =>
  corners(x - rx, y - ry, 2 * rx, 2 * ry);
