// The probe service: checks if a request for an image would be granted, without contacting any source.

import { probeOutcome } from "../../access/probe.ts";
import { ServiceError } from "../../errors.ts";
import { type ProbeOutcome, probeResult } from "../../iiif/auth.ts";
import { authPaths } from "../../iiif/auth-mounts.ts";
import { identifierOf } from "../../iiif/image/path.ts";
import { foresee } from "../../images/open.ts";
import type { Service } from "../../service.ts";
import { callerOf } from "../http/client/caller.ts";
import { type RequestContext, recordSent } from "../http/context.ts";
import { noteFailure } from "../http/failure.ts";
import { setCaching } from "../http/representation/caching.ts";

/**
 * Responds to a probe: always with 200; the document contains the result (Authorization Flow 2.0, section
 * 5.2), even if it could not be determined.
 */
export async function respondProbe(c: RequestContext, service: Service): Promise<Response> {
  const identifier = identifierOf(c.get("target").path.slice(authPaths.probe.length));
  if (identifier === "")
    throw new ServiceError(
      "not-found",
      `The address names no image. It has the form ${authPaths.probe}{identifier}.`,
      { code: "image_not_found" },
    );
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "X-Content-Type-Options": "nosniff",
  };
  const outcome = await outcomeOf(c, service, identifier, headers);
  const document = probeResult(outcome, service.auth?.requirementOf(identifier)?.profiles);
  return new Response(recordSent(c, JSON.stringify(document)), { headers });
}

/** Returns the status that the image would have; sets in `headers` who may cache that. */
async function outcomeOf(
  c: RequestContext,
  service: Service,
  identifier: string,
  headers: Record<string, string>,
): Promise<ProbeOutcome> {
  try {
    const decision = await foresee(service.images, callerOf(c, identifier));
    setCaching(headers, c, decision, "no-cache");
    return probeOutcome(decision, c.get("base"), identifier);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== "busy") throw error;
    const { status, detail } = noteFailure(c, service.log, error);
    headers["Cache-Control"] = "no-store";
    return { status, note: { en: [detail] } };
  }
}
