// The probe service: says what a request for an image would lead to.

import { ServiceError } from "../../../base/index.ts";
import {
  authPaths,
  encodeIdentifier,
  identifierOf,
  imageAddress,
  mainPrefix,
  noImage,
  type ProbeOutcome,
  presentationPaths,
  probeResult,
} from "../../../iiif/index.ts";
import { probeOutcome } from "../../access/probe.ts";
import { foresee } from "../../images/foresee.ts";
import type { Service } from "../../service.ts";
import { callerOf, type RequestContext, recordSent } from "../http/context.ts";
import { documentContext } from "../http/document-context.ts";
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
    const { decision, failure } = await foresee(service.images, callerOf(c, identifier));
    setCaching(headers, c, decision, "no-cache");
    if (failure?.kind === "not-found")
      return (await namesDocument(c, service, identifier)) ? probeOutcome(decision) : noImage;
    if (failure) throw failure;
    return probeOutcome(decision, imageAddress(c.get("base") + mainPrefix[3], identifier) + wholeImage);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind === "cancelled") throw error;
    const { status, detail } = noteFailure(c, service.log, error);
    headers["Cache-Control"] = "no-store";
    return { status, note: { en: [detail] } };
  }
}

const wholeImage = "/full/max/0/default.jpg";

/**
 * True if a rule gates an identifier that names a manifest or collection: a document that a reader may not
 * read names the probe of its own identifier, which has no image.
 */
async function namesDocument(c: RequestContext, service: Service, identifier: string): Promise<boolean> {
  const { auth, manifests } = service;
  if (!manifests || !auth?.requirementOf(identifier)) return false;
  try {
    const readings = presentationPaths(identifier.split("/").map(encodeIdentifier).join("/"));
    await manifests.present(readings, callerOf(c, identifier), documentContext(c, service), "partly");
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.kind === "not-found") return false;
    throw error;
  }
}
