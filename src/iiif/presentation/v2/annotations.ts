// Annotations and what they bring onto canvases, as Presentation API 2.1 has them (sections 5.4 to 5.6).

import { idOf, isThere, objectOf, objectsOf, oneOrMany, present, textOf, textsOf } from "../json.ts";
import type { Resource } from "../model.ts";
import { type Address2, image2, texts2 } from "./properties.ts";

/** The painting annotations of a canvas that show images; 2.1 knows no other ones in that place. */
export function paintings2(canvas: Resource, address: Address2): readonly Resource[] {
  return objectsOf(canvas.items)
    .flatMap(({ items }) => objectsOf(items))
    .filter((annotation) => textsOf(annotation.motivation).includes("painting"))
    .map((annotation) => annotation2(annotation, address))
    .filter(isThere);
}

/** An annotation; undefined where 2.1 cannot say what it brings, or where. */
export function annotation2(annotation: Resource, address: Address2): Resource | undefined {
  const motivations = textsOf(annotation.motivation);
  const painting = motivations.includes("painting");
  const bodies = objectsOf(annotation.body)
    .map((body) => body2(body, painting))
    .filter(isThere);
  const on = objectsOrTexts(annotation.target)
    .map((target) => target2(target, address))
    .filter(isThere);
  // An image that paints is one; several would be several annotations.
  if (bodies.length === 0 || on.length === 0) return undefined;
  const id = idOf(annotation);
  return present({
    "@id": id === undefined ? undefined : address(id),
    "@type": "oa:Annotation",
    motivation: oneOrMany(motivations.map((word) => `${word === "painting" ? "sc" : "oa"}:${word}`)),
    resource: painting ? bodies[0] : oneOrMany(bodies),
    on: oneOrMany(on),
  });
}

function body2(body: Resource, painting: boolean): Resource | undefined {
  switch (body.type) {
    case "Image":
      return present({ ...image2(body), label: texts2(body.label) });
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

/** A part of an image, or an image turned, through the Image API. */
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

/** A canvas, or a part of one as a fragment of its address; undefined for parts that no fragment names. */
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
