// The credentials of a request, as access reads them.

import type { Presenter } from "../../access/rules/decide.ts";
import type { RequestContext } from "../http/context.ts";

/** Returns the credentials in a request's headers. */
export function presenterOf(c: RequestContext): Presenter {
  const { headers } = c.req.raw;
  return { header: (name) => headers.get(name) ?? undefined };
}
