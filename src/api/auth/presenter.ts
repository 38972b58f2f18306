// What a request presents, as access looks at it.

import type { Presenter } from "../../access/rules/decide.ts";
import type { RequestContext } from "../http/context.ts";

/** The headers of a request. */
export function presenterOf(c: RequestContext): Presenter {
  const { headers } = c.req.raw;
  return { header: (name) => headers.get(name) ?? undefined };
}
