// Result of a form, passed to the next page in a cookie, so that a reload does not submit again.

import {
  type Credentials,
  cookieValues,
  createSeals,
  lengthOf,
  type RequestContext,
} from "../server/index.ts";
import { href, type Outcome, type Outcomes } from "./admin.ts";

const name = "smalti_outcome";

/** Seconds until the page has to load. */
const lasts = 60;

/** Maximum bytes of the details; browsers drop cookies above 4 KB. */
const maxDetails = 1500;

/** Creates outcomes signed with the operator's password, so that all servers at one address can read them. */
export function createOutcomes({ password }: Credentials): Outcomes {
  const seals = createSeals<Outcome>(password, "smalti outcome of a form", lasts);
  const cookie = (c: RequestContext, value: string, seconds: number) =>
    `${name}=${value}; Path=${href(c, "/admin")}; Max-Age=${seconds}; HttpOnly; SameSite=Strict`;
  return {
    async redirect(c, path, outcome) {
      if (outcome.state === "failed") c.set("act", { ...c.get("act"), result: "failed" });
      return new Response(null, {
        status: 303,
        headers: {
          Location: href(c, path),
          "Cache-Control": "no-store",
          "Set-Cookie": `${cookie(c, await seals.seal(shorten(outcome)), lasts)}${isSecure(c) ? "; Secure" : ""}`,
        },
      });
    },
    async read(c) {
      for (const value of cookieValues(c.req.raw.headers.get("Cookie") ?? undefined, name)) {
        const outcome = await seals.open(value);
        // Without Secure, which browsers do not accept over http; over https the cookie is removed as well.
        if (outcome) return { outcome, forget: cookie(c, "", 0) };
      }
      return undefined;
    },
  };
}

/**
 * True if the browser submits forms over https: an operator may use the service directly over http, not only
 * at its public URL.
 */
const isSecure = (c: RequestContext) =>
  (c.req.raw.headers.get("Origin") ?? c.get("base")).startsWith("https:");

function shorten(outcome: Outcome): Outcome {
  const { state, text, details = [] } = outcome;
  const unchanged: string[] = [];
  let room = maxDetails;
  for (const line of details) {
    room -= lengthOf(line);
    if (room < 0) break;
    unchanged.push(line);
  }
  const left = details.length - unchanged.length;
  if (left > 0) unchanged.push(`and ${left} more`);
  return { state, text: text.slice(0, 500), ...(unchanged.length > 0 && { details: unchanged }) };
}
