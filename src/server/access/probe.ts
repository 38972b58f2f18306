// The status of a decision in a probe service response.

import type { ProbeOutcome } from "../../iiif/index.ts";
import type { Decision } from "./access.ts";

/**
 * Returns the probe result of a decision. `image`: address of the image, if there is one; it is also that of
 * the substitute, whose status is 401, since clients look for a substitute only then (Authorization Flow 2.0,
 * section 7.1).
 */
export function probeOutcome(decision: Decision, image?: string): ProbeOutcome {
  if (!decision.allowed && decision.status === 303) return { status: 303, location: decision.location };
  if (decision.allowed && decision.tier !== "substitute") return { status: 200 };
  const note = decision.note === undefined ? {} : { note: decision.note };
  if (!decision.allowed) return { status: decision.status, ...note };
  return { status: 401, ...(image !== undefined && { substitute: image }), ...note };
}
