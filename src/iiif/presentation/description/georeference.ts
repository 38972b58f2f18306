// Reads control points of maps in operators' descriptions: in a short form, as GeoJSON, or as annotations of
// Allmaps (georeference extension, sections 3.3 to 3.6).

import { isThere, objectOf, objectsOf, textOf } from "../json.ts";
import type { Resource } from "../model.ts";
import { type FaultPath, fault, inside, noteUnexpected, type Reader, unknownWord } from "./faults.ts";
import { isWgs84, otherSystem, position } from "./geojson.ts";
import { keys } from "./links.ts";

/** A position on an image, from its left and top. */
export type Pixel = readonly [x: number, y: number];

/** A position on an image, and where that is on Earth. */
export interface ControlPoint {
  readonly pixel: Pixel;
  /** Degrees in WGS84. */
  readonly coordinates: readonly [longitude: number, latitude: number];
}

/** A map on an image. */
export interface GeoreferencedMap {
  readonly points: readonly ControlPoint[];
  readonly transformation?: Resource;
  /** Outline of the map, without its first position again; absent for the whole image. */
  readonly mask?: readonly Pixel[];
  /** Path within the description. */
  readonly path: FaultPath["path"];
}

/** Maximum number of maps on an image. */
const maxMaps = 200;
/** Maximum number of positions of a map. */
const maxPoints = 5000;

/** Points that a transformation needs, by its name; those of `polynomial` depend on its order. */
const fewestPoints: Readonly<Record<string, number>> = {
  polynomial: 3,
  thinPlateSpline: 3,
  projective: 4,
  helmert: 3,
};
const fewestOfOrder: Readonly<Record<number, number>> = { 1: 3, 2: 6, 3: 10 };

/** Reads one map or a list of them. */
export const georeferencedMaps: Reader<readonly GeoreferencedMap[]> = (value, at) => {
  if (Array.isArray(value) && value.length === 0) return noteUnexpected(at, "points of a map", value);
  const maps = Array.isArray(value)
    ? value.slice(0, maxMaps + 1).flatMap((each, index) => mapsIn(each, inside(at, index)))
    : mapsIn(value, at);
  if (maps.length > maxMaps)
    return fault(at, `expected at most ${maxMaps} maps on an image, received ${maps.length}`);
  return maps.length === 0 ? undefined : maps;
};

function mapsIn(value: unknown, at: FaultPath): readonly GeoreferencedMap[] {
  const given = objectOf(value);
  if (given?.type === "AnnotationPage") {
    const path = inside(at, "items");
    const annotations = objectsOf(given.items).slice(0, maxMaps + 1);
    if (annotations.length === 0) noteUnexpected(path, "annotations with points of maps", given.items);
    return annotations.flatMap((each, index) => readAnnotatedMap(each, inside(path, index)) ?? []);
  }
  if (!given) {
    noteUnexpected(at, "points of a map", value);
    return [];
  }
  const map = given.type === "Annotation" ? readAnnotatedMap(given, at) : readMap(given, at);
  return [map].filter(isThere);
}

/** Reads an annotation, such as those that Allmaps exports; its target is this image, whatever it says. */
function readAnnotatedMap({ body, target }: Resource, at: FaultPath): GeoreferencedMap | undefined {
  const map = readMap(objectOf(body) ?? {}, inside(at, "body"));
  const [selector] = objectsOf(objectOf(target)?.selector);
  if (!map || selector === undefined) return map;
  const path = inside(inside(inside(at, "target"), "selector"), "value");
  const outline = outlineOf(textOf(selector.value) ?? "");
  if (!outline)
    return noteUnexpected(path, "an svg with one polygon, in the form of Allmaps", selector.value);
  return { ...map, mask: outline };
}

/** Returns the positions of the first polygon; undefined for any other outline. */
function outlineOf(svg: string): readonly Pixel[] | undefined {
  const start = svg.indexOf("<polygon");
  if (start < 0 || svg.length > 100 * maxPoints) return undefined;
  const [, points] = /\spoints="([^"]*)"/.exec(svg.slice(start, svg.indexOf(">", start))) ?? [];
  const numbers =
    points
      ?.trim()
      .split(/[\s,]+/)
      .map(Number) ?? [];
  const pixels = Array.from(
    { length: numbers.length >> 1 },
    (_, at): Pixel => [numbers[2 * at] as number, numbers[2 * at + 1] as number],
  );
  const isWhole = numbers.length % 2 === 0 && numbers.every(Number.isFinite);
  return isWhole ? openOutline(pixels) : undefined;
}

/** Returns an outline without its first position at its end; undefined for fewer than three. */
function openOutline(pixels: readonly Pixel[]): readonly Pixel[] | undefined {
  const [first, last] = [pixels[0], pixels.at(-1)];
  const isClosed = pixels.length > 1 && first?.[0] === last?.[0] && first?.[1] === last?.[1];
  const open = isClosed ? pixels.slice(0, -1) : pixels;
  return open.length >= 3 ? open : undefined;
}

function readMap(given: Resource, at: FaultPath): GeoreferencedMap | undefined {
  const isGeoJson = given.type === "FeatureCollection";
  if (isGeoJson && !isWgs84(given.crs)) return fault(inside(at, "crs"), otherSystem);
  const read = isGeoJson
    ? {
        points: features(given.features, inside(at, "features")),
        transformation:
          given.transformation && transformation(given.transformation, inside(at, "transformation")),
        mask: given.mask && mask(given.mask, inside(at, "mask")),
      }
    : keys({ points: rows, transformation, mask }, given, at);
  if (read === undefined) return undefined;
  const { points, transformation: how, mask: outline } = read;
  if (points === undefined)
    return isGeoJson || given.points !== undefined ? undefined : fault(at, "expected points: of a map");
  const method = objectOf(how);
  const list = points as readonly ControlPoint[];
  const least = pointsFor(method);
  if (list.length < least)
    return fault(
      at,
      `expected ${least} points at least for ${textOf(method?.type) ?? "a map"}, received ${list.length}; add points, or choose another transformation`,
    );
  return {
    points: list,
    ...(method && { transformation: method }),
    ...(outline !== undefined && { mask: outline as readonly Pixel[] }),
    path: at.path,
  };
}

function pointsFor(method: Resource | undefined): number {
  const order = objectOf(method?.options)?.order;
  return (
    (typeof order === "number" ? fewestOfOrder[order] : undefined) ??
    fewestPoints[textOf(method?.type) ?? "polynomial"] ??
    3
  );
}

const pixelForm = "a position on the image in pixels, such as [1024, 768]";

const pixel: Reader<Pixel> = (value, at) => {
  const isPixel = Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
  return isPixel ? [value[0], value[1]] : noteUnexpected(at, pixelForm, value);
};

/** Reads a list of which each item has to be readable. */
function all<T>(reader: Reader<T>, expected: string): Reader<readonly T[]> {
  return (value, at) => {
    if (!Array.isArray(value)) return noteUnexpected(at, expected, value);
    if (value.length > maxPoints)
      return fault(at, `expected at most ${maxPoints} points, received ${value.length}`);
    const read = value.map((each, index) => reader(each, inside(at, index))).filter(isThere);
    return read.length === value.length ? read : undefined;
  };
}

/** Points in the short form: x and y on the image, longitude and latitude. */
const rows = all<ControlPoint>((value, at) => {
  if (!Array.isArray(value) || value.length !== 4)
    return noteUnexpected(at, "x and y on the image, longitude and latitude: [10, 20, 9.938, 51.533]", value);
  const [at1, at2] = [pixel(value.slice(0, 2), at), position(value.slice(2), at)];
  return at1 && at2 && { pixel: at1, coordinates: [at2[0], at2[1]] };
}, "a list of points");

/** Points as features (sections 3.4 and 3.5). */
const features = all<ControlPoint>((value, at) => {
  const { geometry, properties } = objectOf(value) ?? {};
  const { type, coordinates } = objectOf(geometry) ?? {};
  if (type !== "Point") return noteUnexpected(inside(inside(at, "geometry"), "type"), "Point", type);
  const { resourceCoords } = objectOf(properties) ?? {};
  const at1 = pixel(resourceCoords, inside(inside(at, "properties"), "resourceCoords"));
  const at2 = position(coordinates, inside(inside(at, "geometry"), "coordinates"));
  return at1 && at2 && { pixel: at1, coordinates: [at2[0], at2[1]] };
}, "a list of features");

const mask: Reader<readonly Pixel[]> = (value, at) => {
  const read = all(pixel, "a list of positions on the image")(value, at);
  return read && (openOutline(read) ?? noteUnexpected(at, "three positions at least", value));
};

/** A transformation by its name, or with options (section 3.6). */
const transformation: Reader<Resource> = (value, at) => {
  const { type = value, options } = objectOf(value) ?? {};
  const name = textOf(type) ?? "";
  if (!Object.hasOwn(fewestPoints, name))
    return unknownWord(at, "unknown transformation", name, Object.keys(fewestPoints));
  if (name !== "polynomial" || options === undefined) return { type: name };
  const { order } = objectOf(options) ?? {};
  if (typeof order !== "number" || !Object.hasOwn(fewestOfOrder, order))
    return noteUnexpected(inside(inside(at, "options"), "order"), "1, 2 or 3", order);
  return { type: name, options: { order } };
};
