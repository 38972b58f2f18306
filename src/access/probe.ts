// What a probe says of a decision.

import type { ProbeOutcome } from "../iiif/auth.ts";
import { imageAddress, mainPrefix } from "../iiif/image/mounts.ts";
import type { Decision } from "./access.ts";

/**
 * The outcome of a decision on an identifier: every refusal is 401, since clients know no other; a redirect is 302. The substitute is
 * at the address of the image itself. `base`: public URL of the service, without a / at its end.
 */
export function probeOutcome(decision: Decision, base: string, identifier: string): ProbeOutcome {
  if (!decision.allowed)
    return decision.status === 303 ? { status: 302, location: decision.location } : { status: 401 };
  if (decision.tier !== "substitute") return { status: 200 };
  return {
    status: 401,
    substitute: `${imageAddress(base + mainPrefix[3], identifier)}/full/max/0/default.jpg`,
  };
}
