// The login routes: choose the profile and its way to log in.

import type { RequestContext } from "../http/context.ts";
import { noSuchPage, Refusal } from "../http/problem.ts";
import { profileAt } from "./profile-at.ts";
import type { LoginParts } from "./ways/way.ts";
import { wayOf } from "./ways/ways.ts";

/** Responds to a request for the login of the profile that follows `prefix` in its path. */
export function respondLogin(
  c: RequestContext,
  parts: LoginParts,
  prefix: string,
  method: "get" | "post",
): Promise<Response> {
  const profile = profileAt(c, parts.auth, prefix);
  const way = profile && wayOf(profile);
  if (!way)
    throw new Refusal({
      ...noSuchPage,
      detail: "There is no login at this address. Use the address that the image information names.",
    });
  return way[method]({ c, parts, profile });
}
