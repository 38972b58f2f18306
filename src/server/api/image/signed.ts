// Images by signed links.

import type { Problem } from "../../../base/index.ts";
import type { RenderParts } from "../../images/render.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { noSuchPage, Refusal } from "../http/problem.ts";
import { withLimitedWidth } from "./limited.ts";

/** One text for all reasons, so that nobody learns which image or key exists. */
const refused: Problem = {
  status: 403,
  code: "signed_link",
  detail:
    "Expected a signed link that is valid now, for this image; received one that is over, revoked, changed or for something else. Ask whoever gave you the link for another one.",
  headers: { "Cache-Control": "no-store" },
};

/**
 * Verifies the token of a request for an identifier, and records the link. Does nothing without a token, and
 * for a query of a service without keys. Throws a Refusal: 403 for a token that does not open the identifier,
 * 404 for a path of a service without keys.
 */
export async function useLink(c: RequestContext, { links }: Service, identifier: string): Promise<void> {
  const signed = c.get("signed");
  if (!signed) return;
  const signer = links();
  if (!signer) {
    if (signed.path === undefined) return;
    throw new Refusal(noSuchPage);
  }
  const link = await signer.verify(signed.token, identifier);
  if (!link) throw new Refusal(refused);
  c.set("link", link);
  c.get("visitor")?.welcome();
}

/** Returns the parts with the bounds of a request's link. */
export function withinLink(c: RequestContext, images: RenderParts): RenderParts {
  const { maxSize = 0 } = c.get("link") ?? {};
  return maxSize > 0 ? withLimitedWidth(images, maxSize) : images;
}
