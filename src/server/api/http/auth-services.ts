// The authorization services that image information lists for a gated image.

import { authServices } from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "./context.ts";

/**
 * Returns the authorization services of a gated image for a version of image information; none for all
 * others.
 */
export function servicesOf(
  c: RequestContext,
  { auth, manifests }: Service,
  version: 2 | 3,
  identifier: string,
): readonly object[] {
  const required = auth?.requirementOf(identifier);
  if (!auth || !required) return [];
  const { options, institution } = auth;
  return authServices(required.profiles, {
    base: c.get("base"),
    identifier,
    version,
    strict: options.strict_profiles,
    institution,
    hasViewer: manifests !== undefined,
  });
}
