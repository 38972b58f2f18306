// The callback route, to which readers return from a login elsewhere.

import { authPaths } from "../../../iiif/index.ts";
import type { RequestContext } from "../http/context.ts";
import { noSuchPage, Refusal } from "../http/problem.ts";
import { profileAt } from "./profile-at.ts";
import type { LoginParts } from "./ways/way.ts";
import { wayOf } from "./ways/ways.ts";

/** Handles a callback by the way of its profile. */
export function respondCallback(c: RequestContext, parts: LoginParts): Promise<Response> {
  const profile = profileAt(c, parts.auth, authPaths.callback);
  const callback = profile && wayOf(profile)?.callback;
  if (!callback)
    throw new Refusal({
      ...noSuchPage,
      detail: "No login returns to this address. Begin at the login that the image information names.",
    });
  return callback({ c, parts, profile });
}
