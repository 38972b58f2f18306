// Annotations and their bodies in the form of Presentation API 2.1 (sections 5.4 to 5.6).

import { idOf, isThere, objectOf, objectsOf, oneOrMany, present, textOf, textsOf } from "../json.ts";
import type { Resource } from "../model.ts";
import { type Address2, toImage2, toTexts2 } from "./properties.ts";

/** Returns an annotation; undefined if 2.1 cannot express its body or its target. */
export function annotation2(annotation: Resource, address: Address2): Resource | undefined {
  const motivations = textsOf(annotation.motivation);
  const painting = motivations.includes("painting");
  const bodies = objectsOf(annotation.body)
    .map((body) => body2(body, painting))
    .filter(isThere);
  const on = objectsOrTexts(annotation.target)
    .map((target) => on2(target, address))
    .filter(isThere);
  // A painting annotation has one body; several would be several annotations.
  if (bodies.length === 0 || on.length === 0) return undefined;
  const id = idOf(annotation);
  return present({
    "@id": id === undefined ? undefined : address(id),
    "@type": "oa:Annotation",
    motivation: oneOrMany(motivations.map((word) => motivation2(word, bodies))),
    resource: painting ? bodies[0] : oneOrMany(bodies),
    on: oneOrMany(on),
  });
}

/**
 * Returns a motivation with its prefix. 2.1 has no word for the text of a canvas: that "paints" it in a list
 * of annotations, as version 3 reads it (section 5.5).
 */
function motivation2(word: string, bodies: readonly Resource[]): string {
  const isText = bodies.every((body) => body["@type"] === "cnt:ContentAsText");
  const paints = word === "painting" || (word === "supplementing" && isText);
  return paints ? "sc:painting" : `oa:${word}`;
}

function body2(body: Resource, painting: boolean): Resource | undefined {
  switch (body.type) {
    case "Image":
      return present({ ...toImage2(body), label: toTexts2(body.label) });
    case "Choice": {
      const [first, ...others] = objectsOf(body.items)
        .map((item) => body2(item, painting))
        .filter(isThere);
      return first && present({ "@type": "oa:Choice", default: first, item: others });
    }
    case "SpecificResource":
      return specific2(body, painting);
    case "TextualBody":
      if (painting) return undefined;
      return present({
        "@type": "cnt:ContentAsText",
        chars: textOf(body.value) ?? "",
        format: body.format ?? "text/plain",
        language: textsOf(body.language)[0],
      });
    default:
      return undefined;
  }
}

/** Returns a part of an image, or a rotated image, through the Image API. */
function specific2(body: Resource, painting: boolean): Resource | undefined {
  const full = objectsOf(body.source)
    .map((source) => body2(source, painting))
    .filter(isThere)[0];
  const [selector] = objectsOf(body.selector);
  if (full === undefined || selector?.type !== "ImageApiSelector") return undefined;
  const { region, size, rotation, quality, format } = selector;
  return {
    "@type": "oa:SpecificResource",
    full,
    selector: present({
      "@context": "http://iiif.io/api/annex/openannotation/context.json",
      "@type": "iiif:ImageApiSelector",
      region,
      size,
      rotation,
      quality,
      format,
    }),
  };
}

/** Returns the target of an annotation; undefined for parts that 2.1 cannot express, such as times. */
function on2(target: unknown, address: Address2): string | Resource | undefined {
  const fragment = target2(target, address);
  const { source, selector } = objectOf(target) ?? {};
  const full = idOf(source);
  if (fragment !== undefined || full === undefined) return fragment;
  const [point, outline] = ["PointSelector", "SvgSelector"].map((type) =>
    objectsOf(selector).find((each) => each.type === type),
  );
  if (outline)
    return {
      "@type": "oa:SpecificResource",
      full: address(full),
      selector: { "@type": ["oa:SvgSelector", "cnt:ContentAsText"], chars: textOf(outline.value) ?? "" },
    };
  if (typeof point?.x !== "number" || typeof point.y !== "number") return undefined;
  // 2.1 has no points, so the pixel is used.
  return address(`${full}#xywh=${Math.round(point.x)},${Math.round(point.y)},1,1`);
}

/**
 * Returns a canvas, or a part of one as a fragment of its address; undefined for parts without a fragment.
 */
export function target2(target: unknown, address: Address2): string | undefined {
  const resource = objectOf(target);
  if (resource?.type !== "SpecificResource") {
    const id = idOf(target);
    return id === undefined ? undefined : address(id);
  }
  const source = idOf(resource.source);
  const [selector] = objectsOf(resource.selector);
  const fragment = selector?.type === "FragmentSelector" ? textOf(selector.value) : undefined;
  if (source === undefined || (selector !== undefined && fragment === undefined)) return undefined;
  return address(fragment === undefined ? source : `${source}#${fragment}`);
}

const objectsOrTexts = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
