// Converts a request to the caller that access rules and hooks see.

import { StageClock } from "../../../../base/index.ts";
import type { Caller } from "../../../access/access.ts";
import type { RequestContext } from "../context.ts";

/** Returns the caller of a request for one image, which records the stages of its work. */
export function imageCallerOf(c: RequestContext, identifier: string): Caller {
  const stages = new StageClock(c.get("began"));
  c.set("stages", stages);
  return callerOf(c, identifier, stages);
}

/**
 * Returns the caller of a request for an image by its decoded identifier; `stages` if it is the only image of
 * the request.
 */
export function callerOf(c: RequestContext, identifier: string, stages?: StageClock): Caller {
  const { headers, signal } = c.req.raw;
  return {
    identifier,
    path: c.get("target").path,
    client: c.get("client"),
    reader: c.get("reader"),
    peer: c.get("peer"),
    signal,
    stages,
    trace: c.get("trace"),
    outcome: c.get("outcome"),
    header: (name) => headers.get(name) ?? undefined,
  };
}
