// What a visitor gets who has asked for too much: image information with a largest width, and a redirect from
// `max` to a smaller size. Both are for that visitor alone; a smaller picture never has the address of a
// larger one.

import { shownSize } from "../../../imaging/index.ts";
import type { GrantedMaster } from "../../images/describe.ts";
import type { Prepared, RenderParts } from "../../images/render.ts";
import { shapeOf } from "../../visitors/shape.ts";
import { limitedWidth } from "../../visitors/visitors.ts";

/** Cache-Control of such responses. */
export const forOneVisitor = "private, no-store";

/** Returns parts with a largest width and height of images, in pixels, within the limits of the service. */
export function withLimitedWidth(images: RenderParts, width: number = limitedWidth): RenderParts {
  const { limits } = images.sizes;
  const maxWidth = Math.min(limits.maxWidth || Number.POSITIVE_INFINITY, width);
  const maxHeight = limits.maxHeight && Math.min(limits.maxHeight, width);
  return { ...images, sizes: { ...images.sizes, limits: { ...limits, maxWidth, maxHeight } } };
}

/**
 * Records what a visitor asks for. Returns the parameters of a smaller derivative to redirect to, if the
 * request is for the largest one and the visitor may not have it now.
 */
export function noteAsked(
  { policy }: Pick<RenderParts, "policy">,
  { identifier, caller }: GrantedMaster,
  { header, request, geometry, canonical }: Prepared,
  isHead: boolean,
): string | undefined {
  const visitor = caller?.visitor;
  if (!visitor) return undefined;
  const { region, size } = geometry;
  const image = shownSize(header, policy);
  const shape = shapeOf(geometry, image);
  visitor.ask(
    identifier,
    shape,
    // A viewer asks for tiles to show them.
    shape === "tile" && !isHead ? { ...region, scale: region.width / size.width } : undefined,
  );
  if (request.size.kind !== "max" || Math.max(size.width, size.height) <= limitedWidth) return undefined;
  if (!visitor.isLimited((size.width * size.height) / 1e6)) return undefined;
  const [part, , ...others] = canonical.split("/");
  return [part, `!${limitedWidth},${limitedWidth}`, ...others].join("/");
}
