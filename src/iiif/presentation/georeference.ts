// Annotations that put maps on their places on Earth (georeference extension, section 3): embedded in the
// canvas of an image, and as a page of their own about the image service, which Allmaps opens.

import { addContexts } from "./context.ts";
import type { GeoreferencedMap, Pixel } from "./description/georeference.ts";
import { extensionContext, georeferencing, isOfMaps } from "./extensions.ts";
import { idOf, objectOf, objectsOf, textOf } from "./json.ts";
import type { Resource } from "./model.ts";

/** An image or canvas as the source of a target: its size is required by those who draw the map. */
export interface MapSource {
  readonly id: string;
  readonly type: string;
  readonly width: number;
  readonly height: number;
}

/** Returns the page of the maps on a canvas, at an address, as the canvas embeds it. */
export function mapsPage(maps: readonly GeoreferencedMap[], canvas: MapSource, address: string): Resource {
  const { id, type, width, height } = canvas;
  const source = { id, type, width, height };
  return {
    id: address,
    type: "AnnotationPage",
    items: maps.map((map, at) => ({
      id: `${address}#${at + 1}`,
      type: "Annotation",
      motivation: georeferencing,
      target: {
        type: "SpecificResource",
        source,
        selector: { type: "SvgSelector", value: outline(map.mask, canvas) },
      },
      body: {
        type: "FeatureCollection",
        ...(map.transformation && { transformation: map.transformation }),
        features: map.points.map(({ pixel, coordinates }) => ({
          type: "Feature",
          properties: { resourceCoords: pixel },
          geometry: { type: "Point", coordinates },
        })),
      },
    })),
  };
}

/** Returns a polygon as Allmaps recognises it: no space within a position, and no other attributes. */
function outline(mask: readonly Pixel[] | undefined, { width, height }: MapSource): string {
  const corners: readonly Pixel[] = [
    [0, 0],
    [width, 0],
    [width, height],
    [0, height],
  ];
  const points = (mask ?? corners).map(([x, y]) => `${decimal(x)},${decimal(y)}`).join(" ");
  return `<svg width="${width}" height="${height}"><polygon points="${points}" /></svg>`;
}

/** Returns a number without an exponent, which the pattern of Allmaps has no place for. */
const decimal = (value: number) => String(Number(value.toFixed(3)));

/** Returns what is wrong with the positions of a map on an image of a size; undefined if nothing is. */
export function outsideImage(
  { points, mask = [] }: GeoreferencedMap,
  { width, height }: { readonly width: number; readonly height: number },
): string | undefined {
  const isOutside = ([x, y]: Pixel) => x < 0 || y < 0 || x > width || y > height;
  const outside = [...points.map(({ pixel }) => pixel), ...mask].find(isOutside);
  return outside
    ? `expected positions on an image of ${width} × ${height} pixels, received ${outside.join(", ")}; use the pixels of the whole image`
    : undefined;
}

/** Returns a link of a canvas to the maps of its image, see {@link mapsOfImage}. */
export const mapLink = (address: string): Resource => ({
  id: address,
  type: "Dataset",
  label: { en: ["Georeference annotations for Allmaps"] },
  format: "application/ld+json",
  profile: extensionContext.georeference,
});

/**
 * Returns a document about the image on a canvas of 3.0, with the maps that the canvas embeds, at an address.
 * Undefined for a canvas without maps, or whose image has no image service or another size.
 */
export function mapsOfImage(canvas: Resource, address: string): Resource | undefined {
  const pages = objectsOf(canvas.annotations).filter(isOfMaps);
  const image = imageOf(canvas);
  if (pages.length === 0 || !image) return undefined;
  const items = pages
    .flatMap((page) => objectsOf(page.items))
    .map((annotation, at) => {
      const target = objectOf(annotation.target) ?? {};
      const selector = target.selector ?? { type: "SvgSelector", value: outline(undefined, image) };
      return {
        ...annotation,
        id: `${address}#${at + 1}`,
        target: { type: "SpecificResource", source: image, selector },
      };
    });
  return addContexts({ id: address, type: "AnnotationPage", items }, extensionContext.georeference);
}

/** Returns the image service of the first image on a canvas, of the newest version. */
function imageOf({ items, width, height }: Resource): MapSource | undefined {
  const [page] = objectsOf(items);
  const body = objectOf(objectsOf(page?.items)[0]?.body);
  const services = objectsOf(body?.service);
  const typeOf = (service: Resource) => textOf(service.type) ?? textOf(service["@type"]);
  for (const type of ["ImageService3", "ImageService2"]) {
    const id = idOf(services.find((service) => typeOf(service) === type));
    if (id === undefined || typeof width !== "number" || typeof height !== "number") continue;
    if (body?.width === width && body.height === height) return { id, type, width, height };
  }
  return undefined;
}
