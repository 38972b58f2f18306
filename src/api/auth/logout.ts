// The logout services: they end the session with all its tokens, whatever the session store holds of it.

import type { Auth } from "../../access/auth.ts";
import { cookieValues } from "../../access/credentials.ts";
import { readForm } from "../http/body.ts";
import type { RequestContext } from "../http/context.ts";
import { cookiePlace, endedCookie } from "./cookie.ts";
import { leadBack, returnToOf, say } from "./pages/answers.ts";
import { readerOf } from "./pages/reader.ts";
import { presenterOf } from "./presenter.ts";
import { returnTarget } from "./return-to.ts";

const mostFormBytes = 16 * 1024;

/** Answers a request to log out. HEAD ends nothing. */
export async function respondLogout(
  c: RequestContext,
  { options, sessions }: Auth,
  method: "get" | "post",
): Promise<Response> {
  const returnTo = method === "post" ? await sentReturnTo(c) : returnToOf(c);
  const headers: Record<string, string> = {};
  if (c.req.method !== "HEAD") {
    const ids = cookieValues(presenterOf(c).header("cookie"), options.cookie.name);
    await Promise.all(ids.map((id) => sessions.logOut(id)));
    headers["Set-Cookie"] = endedCookie(cookiePlace(options.cookie, c.get("base")));
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

/** A POST without a body logs out as well. */
async function sentReturnTo(c: RequestContext): Promise<string> {
  if (!c.req.raw.headers.has("Content-Type")) return returnToOf(c);
  return (await readForm(c, mostFormBytes)).get("return_to") ?? returnToOf(c);
}
