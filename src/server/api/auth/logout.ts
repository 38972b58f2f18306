// The logout services: they end the session with all its tokens, in whatever state it is.

import type { Log } from "../../../base/index.ts";
import type { Auth } from "../../access/auth.ts";
import { cookieValues } from "../../access/credentials.ts";
import { readForm } from "../http/body.ts";
import type { RequestContext } from "../http/context.ts";
import { noteFailure } from "../http/failure.ts";
import { Refusal } from "../http/problem.ts";
import { cookieScope, endedCookie } from "./cookie.ts";
import { readerOf } from "./pages/reader.ts";
import { leadBack, returnToOf, say } from "./pages/responses.ts";
import { presenterOf } from "./presenter.ts";
import { returnTarget } from "./return-to.ts";

const maxFormBytes = 16 * 1024;

/**
 * Responds to a request to log out. HEAD ends nothing. Throws a Refusal (403) for a GET that is not a
 * navigation of a window, so that an image or frame of another page cannot log readers out; and 503, removing
 * the cookie, while the store does not respond.
 */
export async function respondLogout(
  c: RequestContext,
  { options, sessions }: Auth,
  method: "get" | "post",
  log: Pick<Log, "error">,
): Promise<Response> {
  if (method === "get") refuseEmbedded(c);
  const returnTo = method === "post" ? await sentReturnTo(c) : returnToOf(c);
  const headers: Record<string, string> = {};
  if (c.req.method !== "HEAD") {
    const ids = cookieValues(presenterOf(c).header("cookie"), options.cookie.name);
    headers["Set-Cookie"] = endedCookie(cookieScope(options.cookie, c.get("base")));
    try {
      await Promise.all(ids.map((id) => sessions.logOut(id)));
    } catch (error) {
      const problem = noteFailure(c, log, error);
      throw new Refusal({ ...problem, headers: { ...problem.headers, ...headers } });
    }
  }
  const target = returnTarget(returnTo, c.get("base"), options.cors.token_origins);
  if (target) return leadBack(target, headers);
  const { words, language } = readerOf(c);
  return say(
    c,
    { heading: { text: words.loggedOut, language }, texts: [{ text: words.mayClose, language }] },
    { headers },
  );
}

/**
 * Uses what browsers send about a request (Fetch Metadata Request Headers, section 2.1); other clients send
 * nothing.
 */
function refuseEmbedded(c: RequestContext): void {
  const destination = c.req.raw.headers.get("Sec-Fetch-Dest");
  if (destination === null || destination === "document") return;
  throw new Refusal({
    status: 403,
    code: "embedded_logout",
    detail:
      "Expected a logout that is opened in a window; received one that is part of another page. Open it in a window, or send it as a POST from a page of this service.",
  });
}

/** A POST without a body logs out too. */
async function sentReturnTo(c: RequestContext): Promise<string> {
  if (!c.req.raw.headers.has("Content-Type")) return returnToOf(c);
  return (await readForm(c, maxFormBytes)).get("return_to") ?? returnToOf(c);
}
