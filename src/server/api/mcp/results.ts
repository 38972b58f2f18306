// Results of tools that have no image to show, in words.

import { loginAddress } from "../../../iiif/index.ts";
import type { RefusedDecision } from "../../access/access.ts";
import { isKiosk } from "../../access/profiles/profile.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "../http/context.ts";
import { failure } from "./failure.ts";
import type { CallToolResult } from "./protocol.ts";

/** Returns the result for callers who may not have an image: why, and where to log in. */
export const denial = (...about: Parameters<typeof denialText>): CallToolResult =>
  failure(denialText(...about));

/** Returns the result for callers who may not look into a folder, whether there is one or not. */
export function folderDenial(
  c: RequestContext,
  service: Service,
  identifier: string,
  refused: RefusedDecision,
): CallToolResult {
  const required = refused.status === 401 ? service.auth?.requirementOf(identifier) : undefined;
  const reason = required?.folderReason ?? refused.reason;
  return denial(c, service, identifier, { ...refused, reason });
}

/** Returns why a caller may not have an image or a document, and where to log in. */
export function denialText(
  c: RequestContext,
  { auth }: Service,
  identifier: string,
  refused: RefusedDecision,
): string {
  if (refused.status === 303) return `${refused.reason} Address: ${refused.location}`;
  const { profiles = [] } = (refused.status === 401 && auth?.requirementOf(identifier)) || {};
  const logins = profiles
    .filter((profile) => profile.access_service.backend !== "header" && !isKiosk(profile))
    .map(({ name }) => loginAddress(c.get("base"), name, 2));
  if (logins.length === 0) return refused.reason;
  return `${refused.reason} A person can log in at ${logins.join(" or ")}. The client then sends a token as "Authorization: Bearer".`;
}
