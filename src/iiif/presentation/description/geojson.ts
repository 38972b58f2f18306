// Reads places in operators' descriptions: GeoJSON in WGS84 (RFC 7946; navPlace extension, section 2.2).

import { isThere, objectOf, present, textOf } from "../json.ts";
import type { Resource } from "../model.ts";
import { type FaultPath, fault, inside, noteUnexpected, type Reader, unknownWord } from "./faults.ts";
import { isAddress } from "./links.ts";

/** Longitude and latitude in degrees. */
export type Position = readonly [longitude: number, latitude: number, ...altitude: number[]];

/** Maximum number of positions of one value. */
const maxPositions = 50_000;
/** Maximum number of features of one value. */
const maxFeatures = 1000;
/** Maximum number of levels of geometries in geometries. */
const maxLevels = 4;

/** What is left of a bound while a value is read. */
interface Left {
  positions: number;
}

type GeometryReader = (value: unknown, at: FaultPath, left: Left) => unknown;

/** Reads longitude and latitude, and perhaps an altitude. */
export const position: Reader<Position> = (value, at) => {
  const [longitude, latitude, altitude] = Array.isArray(value) ? value : [];
  const isNumber = (each: unknown): each is number => typeof each === "number" && Number.isFinite(each);
  if (!isNumber(longitude) || !isNumber(latitude))
    return noteUnexpected(at, "longitude and latitude in degrees, such as [9.938, 51.533]", value);
  if (Math.abs(longitude) > 180 || Math.abs(latitude) > 90) {
    const isSwapped = Math.abs(longitude) <= 90 && Math.abs(latitude) <= 180;
    const hint = isSwapped ? "write longitude first" : "convert the coordinates to WGS84 (EPSG:4326)";
    return fault(
      at,
      `expected a longitude from -180 to 180 and a latitude from -90 to 90, received ${longitude}, ${latitude}; ${hint}`,
    );
  }
  return isNumber(altitude) ? [longitude, latitude, altitude] : [longitude, latitude];
};

const readCountedPosition: GeometryReader = (value, at, left) =>
  left.positions-- > 0 ? position(value, at) : undefined;

/** Reads a list of which each item has to be readable. */
function all(reader: GeometryReader, least: number, expected: string): GeometryReader {
  return (value, at, left) => {
    if (!Array.isArray(value) || value.length < least) return noteUnexpected(at, expected, value);
    const read: unknown[] = [];
    for (const [index, each] of value.entries()) {
      const item = left.positions > 0 ? reader(each, inside(at, index), left) : undefined;
      if (item === undefined) return undefined;
      read.push(item);
    }
    return read;
  };
}

const line = all(readCountedPosition, 2, "two positions at least");
const openRing = all(
  readCountedPosition,
  4,
  "a ring of four positions at least, of which the last is the first again",
);

const ring: GeometryReader = (value, at, left) => {
  const read = openRing(value, at, left) as readonly Position[] | undefined;
  const [first, last] = [read?.[0], read?.at(-1)];
  if (!first || !last || (first[0] === last[0] && first[1] === last[1])) return read;
  return fault(at, `expected a closed ring; repeat its first position, ${first.join(", ")}, at its end`);
};

const polygon = all(ring, 1, "a list of rings");

/** Readers of `coordinates`, by the type of a geometry. */
const geometries: Readonly<Record<string, GeometryReader>> = {
  Point: readCountedPosition,
  MultiPoint: all(readCountedPosition, 1, "a list of positions"),
  LineString: line,
  MultiLineString: all(line, 1, "a list of lines"),
  Polygon: polygon,
  MultiPolygon: all(polygon, 1, "a list of polygons"),
};

const collection = "GeometryCollection";

function geometry(value: unknown, at: FaultPath, left: Left, levels = maxLevels): Resource | undefined {
  const { type, coordinates, geometries: nested, bbox } = objectOf(value) ?? {};
  const name = textOf(type) ?? "";
  if (name === collection) {
    const inner = inside(at, "geometries");
    if (levels === 0) return fault(inner, `expected at most ${maxLevels} levels of geometries`);
    const read: GeometryReader = (each, path) => geometry(each, path, left, levels - 1);
    const list = all(read, 0, "a list of geometries")(nested, inner, left);
    return list === undefined ? undefined : { type: name, geometries: list };
  }
  const reader = Object.hasOwn(geometries, name) ? geometries[name] : undefined;
  if (!reader) return unknownWord(inside(at, "type"), "unknown type of geometry", name, geometryTypes);
  const read = reader(coordinates, inside(at, "coordinates"), left);
  return read === undefined ? undefined : present({ type: name, bbox: boundsOf(bbox), coordinates: read });
}

const geometryTypes = [...Object.keys(geometries), collection];

/** Returns a bounding box of two or three dimensions (RFC 7946, section 5); undefined for anything else. */
function boundsOf(bbox: unknown): unknown {
  const isBox = Array.isArray(bbox) && (bbox.length === 4 || bbox.length === 6);
  return isBox && bbox.every(Number.isFinite) ? bbox : undefined;
}

/** Reads a feature. One without a place has the geometry null; `properties` must be an object. */
function feature(value: unknown, at: FaultPath, left: Left): Resource | undefined {
  const { type, id, geometry: shape, properties = {}, bbox } = objectOf(value) ?? {};
  if (type !== "Feature") return noteUnexpected(inside(at, "type"), "Feature", type);
  const read = shape === null ? null : geometry(shape, inside(at, "geometry"), left);
  if (read === undefined) return undefined;
  const described = properties === null ? {} : objectOf(properties);
  if (!described) noteUnexpected(inside(at, "properties"), "keys and values", properties);
  return present({
    id: webId(id),
    type,
    bbox: boundsOf(bbox),
    properties: described ?? {},
    geometry: read,
  });
}

/** Ids must be addresses; the numbers that programs give are not. */
const webId = (id: unknown) => (/^https?:\/\//i.test(String(id)) ? id : undefined);

/**
 * Reads the value of `navPlace`: a collection of features, the address of one, or a single feature or
 * geometry. Features that are not sound are left out.
 */
export const navPlace: Reader<Resource> = (value, at) => {
  if (isAddress(value)) return { id: value, type: featureCollection };
  const given = objectOf(value);
  if (!given) return noteUnexpected(at, "a GeoJSON FeatureCollection, or its address", value);
  const { type, id, features, crs } = given;
  if (!isWgs84(crs)) return fault(inside(at, "crs"), otherSystem);
  if (type === featureCollection && features === undefined && isAddress(id)) return { id, type };
  const left: Left = { positions: maxPositions };
  const read = featuresIn(given, at, left);
  if (left.positions <= 0)
    return fault(at, `expected at most ${maxPositions} positions, received more; simplify the outlines`);
  if (read === undefined || read.length === 0) return undefined;
  return present({ id: webId(id), type: featureCollection, features: read });
};

const featureCollection = "FeatureCollection";

function featuresIn(given: Resource, at: FaultPath, left: Left): readonly Resource[] | undefined {
  if (given.type === "Feature") return [feature(given, at, left)].filter(isThere);
  if (given.type !== featureCollection) {
    const shape = geometry(given, at, left);
    return shape && [{ type: "Feature", properties: {}, geometry: shape }];
  }
  const list = inside(at, "features");
  if (!Array.isArray(given.features) || given.features.length === 0)
    return noteUnexpected(list, "a list of features", given.features);
  if (given.features.length > maxFeatures)
    return fault(list, `expected at most ${maxFeatures} features, received ${given.features.length}`);
  return given.features.map((each, index) => feature(each, inside(list, index), left)).filter(isThere);
}

/** What is wrong with places in another reference system. */
export const otherSystem = "expected WGS84 (EPSG:4326); export the places in it";

/** True without a reference system, and for the names of WGS84 that programs write. */
export const isWgs84 = (crs: unknown): boolean =>
  crs === undefined || crs === null || /CRS84|EPSG:+4326/.test(JSON.stringify(crs));
