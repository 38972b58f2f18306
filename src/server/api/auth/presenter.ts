// The credentials and the address of a request, as access reads them.

import type { Presenter } from "../../access/rules/decide.ts";
import type { RequestContext } from "../http/context.ts";

/** Returns the credentials in a request's headers, and the address of its client. */
export function presenterOf(c: RequestContext): Presenter {
  const { headers } = c.req.raw;
  return { reader: c.get("reader"), header: (name) => headers.get(name) ?? undefined };
}
