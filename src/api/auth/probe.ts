// The probe service: whether a request for an image would be granted, without asking any source for it.

import { probeOutcome } from "../../access/probe.ts";
import { ServiceError } from "../../errors.ts";
import { probeResult } from "../../iiif/auth.ts";
import { authPaths } from "../../iiif/auth-mounts.ts";
import { identifierOf } from "../../iiif/image/path.ts";
import { foresee } from "../../images/open.ts";
import type { Service } from "../../service.ts";
import { callerOf } from "../http/client/caller.ts";
import { type RequestContext, sent } from "../http/context.ts";
import { setCaching } from "../http/representation/caching.ts";

/** Answers a probe: always 200, what came of it stands in the document (Authorization Flow 2.0, section 3.2.2). */
export async function respondProbe(c: RequestContext, service: Service): Promise<Response> {
  const identifier = identifierOf(c.get("target").path.slice(authPaths.probe.length));
  if (identifier === "")
    throw new ServiceError(
      "not-found",
      `The address names no image. It has the form ${authPaths.probe}{identifier}.`,
      { code: "image_not_found" },
    );
  const decision = await foresee(service.images, callerOf(c, identifier));
  const document = probeResult(
    probeOutcome(decision, c.get("base"), identifier),
    service.auth?.profileFor(identifier),
  );
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    "X-Content-Type-Options": "nosniff",
  };
  setCaching(headers, c, decision, "no-cache");
  return new Response(sent(c, JSON.stringify(document)), { headers });
}
