// Finds the profile in the address of a login.

import type { Auth } from "../../access/auth.ts";
import type { Profile } from "../../access/profiles/profile.ts";
import type { RequestContext } from "../http/context.ts";

/** Returns the profile whose name follows `prefix` in the path of a request, or undefined. */
export function profileAt(c: RequestContext, auth: Auth, prefix: string): Profile | undefined {
  return auth.profileOf(decodeSegment(c.get("target").path.slice(prefix.length)));
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}
