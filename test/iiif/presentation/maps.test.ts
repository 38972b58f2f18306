// Places and maps in operators' descriptions: navPlace and georeference annotations, checked and written in
// documents, by the examples of the two extensions.

import { readFileSync } from "node:fs";
import { normalize } from "@iiif/parser";
import { describe, expect, test } from "vitest";
import { manifestHead, manifestOf } from "../../../src/iiif/presentation/derive.ts";
import { readDescription } from "../../../src/iiif/presentation/description/description.ts";
import {
  describeCollection,
  describeHead,
  describeManifest,
} from "../../../src/iiif/presentation/description/merge.ts";
import { mapsOfImage } from "../../../src/iiif/presentation/georeference.ts";
import { pieceAt } from "../../../src/iiif/presentation/pieces.ts";
import { version2 } from "../../../src/iiif/presentation/v2/document.ts";
import fc from "../../properties.ts";
import type { Read } from "./checked.ts";
import { base, context, image } from "./facts.ts";

const examples: Readonly<Record<string, readonly Read[]>> = JSON.parse(
  readFileSync(new URL("../../vectors/iiif-examples.json", import.meta.url), "utf8"),
);

const canvases = [image("maps/1.jpg", 5965, 2514), image("maps/2.jpg", 1000, 1000)];
const derived = manifestOf({ id: "maps", label: "maps", canvases }, context);

/** The manifest of a folder of two images with a description, and all faults. */
function described(description: unknown): { readonly document: Read; readonly faults: readonly string[] } {
  const { description: read, faults } = readDescription(description, "manifest");
  const merged = describeManifest(derived, read, canvases, base);
  const all = [...faults, ...merged.faults].map(({ path, message }) => `${path.join(".")}: ${message}`);
  return { document: JSON.parse(JSON.stringify(merged.document)), faults: all };
}

const navPlaceContext = "http://iiif.io/api/extension/navplace/context.json";
const georefContext = "http://iiif.io/api/extension/georef/1/context.json";
const presentation = "http://iiif.io/api/presentation/3/context.json";

describe("navPlace", () => {
  const point = { type: "Point", coordinates: [9.938, 51.533] };
  const feature = { type: "Feature", properties: {}, geometry: point };

  test.each(examples.navplace?.flatMap(({ navPlace }) => (navPlace ? [[navPlace.id, navPlace]] : [])) ?? [])(
    "of the example %s is used as written",
    (_, navPlace) => {
      const { document, faults } = described({ navPlace });
      expect(faults).toEqual([]);
      expect(document.navPlace).toEqual(navPlace);
      expect(document["@context"]).toEqual([navPlaceContext, presentation]);
    },
  );

  test.each([
    ["a manifest", { navPlace: feature }],
    ["a canvas", { canvases: { 1: { navPlace: feature } } }],
    ["a range", { structures: [{ label: "a", items: [{ label: "b", items: [1], navPlace: feature }] }] }],
  ])("of %s adds its context before that of 3.0", (_, description) => {
    const { document, faults } = described(description);
    expect(faults).toEqual([]);
    expect(document["@context"]).toEqual([navPlaceContext, presentation]);
    expect(JSON.stringify(document)).toContain('"navPlace":{"type":"FeatureCollection"');
    const { entities }: Read = normalize(structuredClone(document));
    expect(entities.Manifest[document.id].items).toHaveLength(2);
    expect(JSON.stringify(version2(document, base))).not.toContain("navPlace");
  });

  test("of a manifest without its canvases and of a collection adds its context too", () => {
    const read = (kind: "manifest" | "collection") =>
      readDescription({ navPlace: feature }, kind).description;
    const head = manifestHead({ id: "maps", label: "maps", gated: false, services: [] }, context);
    expect(describeHead(head, read("manifest"), base)?.["@context"]).toEqual([navPlaceContext, presentation]);
    const collection = { id: `${base}/iiif/presentation/3/maps`, type: "Collection", items: [] };
    const { document } = describeCollection(collection, read("collection"), base);
    expect(document["@context"]).toEqual([navPlaceContext, presentation]);
  });

  test("is not in the context of documents without it", () => {
    expect(described({}).document["@context"]).toBe(presentation);
  });

  test("may be a geometry, a feature, a collection or the address of one", () => {
    const collection = { type: "FeatureCollection", features: [feature] };
    for (const navPlace of [point, feature, collection])
      expect(described({ navPlace }).document.navPlace).toEqual(collection);
    const id = "https://example.org/places.json";
    for (const navPlace of [id, { id, type: "FeatureCollection" }])
      expect(described({ navPlace }).document.navPlace).toEqual({ id, type: "FeatureCollection" });
  });

  test("keeps the properties of features, and repairs what programs write", () => {
    const properties = { label: { en: ["Göttingen"] }, source: "survey", id: "7" };
    const navPlace = {
      type: "FeatureCollection",
      crs: { type: "name", properties: { name: "urn:ogc:def:crs:OGC:1.3:CRS84" } },
      features: [
        { type: "Feature", id: 5, properties, geometry: point, bbox: [9, 51, 10, 52] },
        { type: "Feature", properties: null, geometry: null },
      ],
    };
    const { document, faults } = described({ navPlace });
    expect(faults).toEqual([]);
    expect(document.navPlace).toEqual({
      type: "FeatureCollection",
      features: [
        { type: "Feature", bbox: [9, 51, 10, 52], properties, geometry: point },
        { type: "Feature", properties: {}, geometry: null },
      ],
    });
  });

  const square = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ];
  test.each([
    ["MultiPoint", [[1, 2]]],
    [
      "LineString",
      [
        [1, 2],
        [3, 4, 100],
      ],
    ],
    [
      "MultiLineString",
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
    ["Polygon", [square]],
    ["MultiPolygon", [[square, square]]],
  ])("may be a %s", (type, coordinates) => {
    const geometry = { type, coordinates };
    const nested = { type: "GeometryCollection", geometries: [geometry, point] };
    for (const navPlace of [geometry, nested]) {
      const { document, faults } = described({ navPlace });
      expect(faults).toEqual([]);
      expect(document.navPlace.features[0].geometry).toEqual(navPlace);
    }
  });

  test.each([
    [
      { type: "Point", coordinates: [51.533, 189] },
      "navPlace.coordinates: expected a longitude from -180 to 180 and a latitude from -90 to 90, received 51.533, 189; convert the coordinates to WGS84 (EPSG:4326)",
    ],
    [{ type: "Point", coordinates: [51.5, 99.9] }, "received 51.5, 99.9; write longitude first"],
    [{ type: "Point", coordinates: ["9", 51] }, "expected longitude and latitude in degrees"],
    [{ type: "Point", coordinates: [Number.NaN, 51] }, "expected longitude and latitude in degrees"],
    [
      { type: "point", coordinates: [9, 51] },
      'navPlace.type: unknown type of geometry; did you mean "Point"?',
    ],
    [
      { type: "Polygon", coordinates: [square.slice(0, 3)] },
      "navPlace.coordinates.0: expected a ring of four",
    ],
    [
      { type: "Polygon", coordinates: [[...square, [5, 5]]] },
      "navPlace.coordinates.0: expected a closed ring; repeat its first position, 0, 0, at its end",
    ],
    [{ type: "LineString", coordinates: [[1, 2]] }, "expected two positions at least"],
    [{ type: "FeatureCollection", features: [] }, "navPlace.features: expected a list of features"],
    [
      { type: "FeatureCollection", features: [{ type: "Place" }] },
      "navPlace.features.0.type: expected Feature",
    ],
    [{ type: "Feature", geometry: point, crs: "EPSG:3857" }, "navPlace.crs: expected WGS84"],
    [7, "navPlace: expected a GeoJSON FeatureCollection, or its address, received 7"],
  ])("%j is left out, and a fault says why", (navPlace, expected) => {
    const { document, faults } = described({ navPlace });
    expect(document).not.toHaveProperty("navPlace");
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(expected);
  });

  test("has bounds on its positions, features and levels", () => {
    const line = Array.from({ length: 60_000 }, () => [1, 2]);
    expect(described({ navPlace: { type: "MultiPoint", coordinates: line } }).faults).toEqual([
      "navPlace: expected at most 50000 positions, received more; simplify the outlines",
    ]);
    const features = Array.from({ length: 1001 }, () => feature);
    expect(described({ navPlace: { type: "FeatureCollection", features } }).faults).toEqual([
      "navPlace.features: expected at most 1000 features, received 1001",
    ]);
    const nested = (levels: number): Read =>
      levels === 0 ? point : { type: "GeometryCollection", geometries: [nested(levels - 1)] };
    expect(described({ navPlace: nested(4) }).faults).toEqual([]);
    expect(described({ navPlace: nested(5) }).faults[0]).toContain("at most 4 levels");
  });

  test("of any value is a collection of sound features, or a fault", () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 4 }), (navPlace) => {
        const { document, faults } = described({ navPlace });
        expect(document.navPlace !== undefined || faults.length > 0 || navPlace === undefined).toBe(true);
      }),
    );
  });
});

/** The pattern of Allmaps for the outline of a map. */
const allmapsOutline =
  /^<svg\s+width="\d+"\s+height="\d+"\s*>\s*<polygon\s+points="\s*(-?\d+(\.\d+)?,-?\d+(\.\d+)?\s+){2,}-?\d+(\.\d+)?,-?\d+(\.\d+)?\s*"\s*\/>\s*<\/svg>$/;

describe("georeference", () => {
  const body = examples.georef?.flatMap(({ body }) => (body ? [body] : []))[0] as Read;
  const canvas = `${derived.id}/canvas/1`;
  const points = [
    [5085, 782, 4.4885839, 51.9101828],
    [5467, 1338, 4.5011785, 51.901595],
    [2006, 374, 4.405981, 51.9091596],
  ];
  const { features } = body;
  const transformation = { type: "polynomial", options: { order: 1 } };
  const map = (georeference: unknown) => described({ canvases: { 1: { georeference } } });

  test.each([
    ["short points", { points, transformation }],
    ["the example of the specification", body],
    ["an annotation", { type: "Annotation", body }],
    ["a page of annotations", { type: "AnnotationPage", items: [{ type: "Annotation", body }] }],
    ["a list", [{ points, transformation }]],
  ])("is embedded in its canvas, from %s", (_, georeference) => {
    const { document, faults } = map(georeference);
    expect(faults).toEqual([]);
    expect(document["@context"]).toEqual([georefContext, presentation]);
    const [{ annotations }] = document.items;
    expect(annotations).toEqual([
      {
        id: `${canvas}/georeference`,
        type: "AnnotationPage",
        items: [
          {
            id: `${canvas}/georeference#1`,
            type: "Annotation",
            motivation: "georeferencing",
            target: {
              type: "SpecificResource",
              source: { id: canvas, type: "Canvas", width: 5965, height: 2514 },
              selector: {
                type: "SvgSelector",
                value:
                  '<svg width="5965" height="2514"><polygon points="0,0 5965,0 5965,2514 0,2514" /></svg>',
              },
            },
            body: { type: "FeatureCollection", transformation, features },
          },
        ],
      },
    ]);
    expect(document.items[1]).not.toHaveProperty("annotations");
    expect(pieceAt(document, `${canvas}/georeference`)).toMatchObject({
      "@context": [georefContext, presentation],
      type: "AnnotationPage",
    });
  });

  test("has a page about the image at the address that its canvas links to, for Allmaps", () => {
    const { document } = map({
      points,
      mask: [
        [0, 0.5],
        [5000, 0],
        [5000, 2000],
        [0, 0.5],
      ],
    });
    const [first] = document.items;
    const [link] = first.seeAlso;
    expect(link).toMatchObject({ type: "Dataset", format: "application/ld+json", profile: georefContext });
    const page: Read = mapsOfImage(first, link.id);
    expect(page).toMatchObject({
      "@context": [georefContext, presentation],
      id: `${canvas}/map`,
      type: "AnnotationPage",
    });
    const [{ target, id }] = page.items;
    expect(id).toBe(`${canvas}/map#1`);
    expect(target.source).toEqual({
      id: `${base}/iiif/3/maps%2F1.jpg`,
      type: "ImageService3",
      width: 5965,
      height: 2514,
    });
    expect(target.selector.value).toBe(
      '<svg width="5965" height="2514"><polygon points="0,0.5 5000,0 5000,2000" /></svg>',
    );
    expect(target.selector.value).toMatch(allmapsOutline);
    expect(mapsOfImage(document.items[1], link.id)).toBeUndefined();
  });

  test("keeps the outline of an annotation, and several maps on an image", () => {
    const value = '<svg><polygon points="59,84 44,2329 5932,2353 5920,103 " /></svg>';
    const target = { type: "SpecificResource", selector: { type: "SvgSelector", value } };
    const items = [
      { type: "Annotation", body, target },
      { type: "Annotation", body },
    ];
    const { document, faults } = map({ type: "AnnotationPage", items });
    expect(faults).toEqual([]);
    const written = document.items[0].annotations[0].items;
    expect(written).toHaveLength(2);
    expect(written[0].target.selector.value).toBe(
      '<svg width="5965" height="2514"><polygon points="59,84 44,2329 5932,2353 5920,103" /></svg>',
    );
    for (const { target } of written) expect(target.selector.value).toMatch(allmapsOutline);
  });

  test("is left out of 2.1, which has no maps", () => {
    const { document } = map({ points });
    const written: Read = version2(document, base);
    expect(written.sequences[0].canvases[0]).not.toHaveProperty("otherContent");
  });

  test.each([
    [{ points: points.slice(0, 2) }, "expected 3 points at least for a map, received 2"],
    [{ points: [] }, "expected 3 points at least for a map, received 0"],
    [{}, "expected points: of a map"],
    [
      { ...body, crs: { type: "name", properties: { name: "EPSG:3857" } } },
      "crs: expected WGS84 (EPSG:4326)",
    ],
    [
      { points, transformation: { type: "polynomial", options: { order: 2 } } },
      "6 points at least for polynomial",
    ],
    [{ points, transformation: { type: "polynomial", options: { order: 4 } } }, "order: expected 1, 2 or 3"],
    [{ points, transformation: "polynomal" }, 'unknown transformation; did you mean "polynomial"?'],
    [
      { points: [...points, [6000, 10, 4, 51]] },
      "expected positions on an image of 5965 × 2514 pixels, received 6000, 10",
    ],
    [{ points: [...points, [10, 10, 51, 104]] }, "points.3: expected a longitude"],
    [{ points: [...points, [10, 10]] }, "points.3: expected x and y on the image, longitude and latitude"],
    [{ points, mask: [[0, 0]] }, "mask: expected three positions at least"],
    [{ points, colour: "red" }, "colour: unknown key"],
    [
      { type: "FeatureCollection", features: [{ geometry: { type: "Polygon" } }] },
      "geometry.type: expected Point",
    ],
    [
      { type: "Annotation", body, target: { selector: { value: "<svg><circle /></svg>" } } },
      "an svg with one polygon",
    ],
    ["text", "expected points of a map"],
  ])("%j is left out, and a fault says why", (georeference, expected) => {
    const { document, faults } = map(georeference);
    expect(document.items[0].annotations?.[0]?.items?.[0]?.target?.selector?.value ?? "").not.toContain(
      "6000",
    );
    expect(faults.join("\n")).toContain(expected);
  });

  test("of any value is sound, or a fault says why not", () => {
    fc.assert(
      fc.property(fc.anything({ maxDepth: 4 }), (georeference) => {
        const { document, faults } = map(georeference);
        expect(document.items[0].annotations !== undefined || faults.length > 0 || !georeference).toBe(true);
      }),
    );
  });

  test("of a hostile outline is read in time that is proportional to its length", () => {
    const value = `<svg>${"<polygon points=".repeat(20_000)}`;
    const target = { selector: { type: "SvgSelector", value } };
    expect(map({ type: "Annotation", body, target }).faults).toHaveLength(1);
  });
});
