// The status of a decision in a probe service response.

import type { ProbeOutcome } from "../iiif/auth.ts";
import { imageAddress, mainPrefix } from "../iiif/image/mounts.ts";
import type { Decision } from "./access.ts";

/**
 * Returns the probe result of a decision on an identifier. The substitute is at the address of the image
 * itself; its status is 401, since clients look for a substitute only then (Authorization Flow 2.0, section
 * 7.1). `base`: public URL of the service, without a trailing /.
 */
export function probeOutcome(decision: Decision, base: string, identifier: string): ProbeOutcome {
  if (!decision.allowed && decision.status === 303) return { status: 303, location: decision.location };
  if (decision.allowed && decision.tier !== "substitute") return { status: 200 };
  const note = decision.note === undefined ? {} : { note: decision.note };
  if (!decision.allowed) return { status: decision.status, ...note };
  const substitute = `${imageAddress(base + mainPrefix[3], identifier)}/full/max/0/default.jpg`;
  return { status: 401, substitute, ...note };
}
