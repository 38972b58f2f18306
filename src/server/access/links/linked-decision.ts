// What a signed link changes about an access decision.

import { parseSizeParameter } from "../../../iiif/index.ts";
import type { Decision } from "../access.ts";
import type { Link } from "./link-token.ts";

/**
 * Returns the decision for a caller with a link, or without one: a link stands for the login that an image
 * needs, and bounds its detail. An image that is withdrawn or elsewhere stays so.
 */
export function withLink(decision: Decision, link: Pick<Link, "maxSize"> | undefined): Decision {
  if (!link) return decision;
  if (!decision.allowed && decision.status !== 401 && decision.status !== 403) return decision;
  const { profile, vary } = decision;
  const isOpen = decision.allowed && decision.tier !== "substitute";
  const { maxSize } = link;
  return {
    allowed: true,
    tier: isOpen ? decision.tier : "full",
    cachedBy: isOpen ? decision.cachedBy : "caller",
    vary,
    ...(profile !== undefined && { profile }),
    ...(maxSize > 0 && { maxSize: parseSizeParameter(3, `!${maxSize},${maxSize}`) }),
  };
}
