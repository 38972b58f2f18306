// Content states of views of this service (Content State API 1.0, section 2).

import { type Region, regionText } from "./region.ts";

/**
 * A view: a whole manifest, one of its canvases, or a region of that. Addresses are absolute and of the same
 * version.
 */
export interface View {
  readonly manifest: string;
  readonly canvas?: string;
  /** Region of that canvas, in its pixels. */
  readonly region?: Region;
}

const contexts = {
  3: "http://iiif.io/api/presentation/3/context.json",
  2: "http://iiif.io/api/presentation/2/context.json",
} as const;

/** Returns the state of a view in that version of the Presentation API, as the body of a target. */
export function stateOf({ manifest, canvas, region }: View, version: 2 | 3): Record<string, unknown> {
  const id = canvas === undefined ? manifest : canvas + (region ? `#xywh=${regionText(region)}` : "");
  const type = canvas === undefined ? "Manifest" : "Canvas";
  const context = { "@context": contexts[version] };
  if (version === 2)
    return {
      ...context,
      "@id": id,
      "@type": `sc:${type}`,
      ...(canvas !== undefined && { within: { "@id": manifest, "@type": "sc:Manifest" } }),
    };
  return {
    ...context,
    id,
    type,
    ...(canvas !== undefined && { partOf: [{ id: manifest, type: "Manifest" }] }),
  };
}
