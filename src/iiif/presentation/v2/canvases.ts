// Canvases in the form of Presentation API 2.1 (section 5.3): each has a width and a height, and shows only
// images. Sound and film become links to files, replaced with the image that 3.0 shows next to or before
// them.

import { isOfMaps } from "../extensions.ts";
import { idOf, isThere, objectOf, objectsOf, oneOrMany, present, textsOf } from "../json.ts";
import type { Resource } from "../model.ts";
import { annotation2 } from "./annotations.ts";
import { type Address2, fallbackTitle, toLink2, toTexts2, writeHead, writeId } from "./properties.ts";

/** Sides of canvases with only sound, which have no size. */
const plainSize = { width: 1000, height: 1000 } as const;

/** Members of a canvas with substitute images, those that are shown longer first. */
const standIns = ["accompanyingCanvas", "placeholderCanvas"] as const;

/** Converts a canvas to 2.1. All canvases keep their indexes, which ranges and links rely on. */
export function canvas2(canvas: Resource, address: Address2): Resource {
  const { rendering, ...described } = writeHead(canvas, "Canvas", address);
  const own = paintings2(canvas, canvas, address);
  const standIn = own.length > 0 ? undefined : standInOf(canvas, address);
  const { width, height } = sizeOf(canvas) ?? standIn?.size ?? plainSize;
  return {
    ...described,
    ...present({
      rendering: oneOrMany([...objectsOf(rendering), ...paintersOf(canvas).flatMap(filesOf)]),
    }),
    height,
    width,
    images: standIn?.images ?? own,
    ...present({
      otherContent: objectsOf(canvas.annotations)
        .filter(hasForm2)
        .map((page) => present({ ...writeId(page, "AnnotationList", address), label: toTexts2(page.label) })),
    }),
  };
}

/** 2.1 has no maps on Earth. */
const hasForm2 = (page: Resource) => !isOfMaps(page);

function sizeOf({ width, height }: Resource) {
  return typeof width === "number" && typeof height === "number" ? { width, height } : undefined;
}

/** Returns the first replacement canvas with an image, painted on this canvas. */
function standInOf(canvas: Resource, address: Address2) {
  for (const key of standIns) {
    const other = objectOf(canvas[key]);
    const size = other && sizeOf(other);
    const images = other ? paintings2(other, canvas, address) : [];
    if (size && images.length > 0) return { size, images };
  }
  return undefined;
}

/**
 * Returns the painting annotations of `canvas` that show images, the only ones in 2.1. `on`: their target.
 */
function paintings2(canvas: Resource, on: Resource, address: Address2): readonly Resource[] {
  return paintersOf(canvas)
    .map((annotation) => (canvas === on ? annotation : { ...annotation, target: idOf(on) }))
    .map((annotation) => annotation2(annotation, address))
    .filter(isThere);
}

const paintersOf = (canvas: Resource) =>
  objectsOf(canvas.items)
    .flatMap(({ items }) => objectsOf(items))
    .filter(({ motivation }) => textsOf(motivation).includes("painting"));

/** Returns the sound and film files of an annotation as links, which need labels in 2.1. */
function filesOf({ body }: Resource): readonly Resource[] {
  return objectsOf(body)
    .flatMap((each) => (each.type === "Choice" ? objectsOf(each.items) : [each]))
    .map((each) => (each.type === "SpecificResource" ? (objectOf(each.source) ?? each) : each))
    .filter(({ type }) => type === "Sound" || type === "Audio" || type === "Video")
    .map((file) => ({ label: fallbackTitle(file), ...toLink2(file) }));
}
