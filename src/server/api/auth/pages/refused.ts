// Pages for readers whose login failed: what happened, and what to do.

import { loginAddress } from "../../../../iiif/index.ts";
import type { LoginAttempt } from "../ways/way.ts";
import { readerOf, type Words } from "./reader.ts";
import { say } from "./responses.ts";

interface RefusalPage {
  readonly status: 401 | 429 | 503;
  readonly says: keyof Words;
}

const refusals = {
  denied: { status: 401, says: "denied" },
  unconfirmed: { status: 401, says: "unconfirmed" },
  expired: { status: 401, says: "expired" },
  unavailable: { status: 503, says: "unavailable" },
  misconfigured: { status: 503, says: "misconfigured" },
  many: { status: 429, says: "manyFromHere" },
} as const satisfies Readonly<Record<string, RefusalPage>>;

export type RefusedLogin = keyof typeof refusals;

/**
 * Responds with the page and a link that begins the login again. `after`: seconds to wait first, if known.
 */
export function refuseLogin(
  attempt: LoginAttempt,
  why: RefusedLogin,
  returnTo: string,
  after = why === "unavailable" ? 5 : undefined,
): Promise<Response> {
  const { c, profile } = attempt;
  const { words, language } = readerOf(c);
  const { status, says } = refusals[why];
  const query = returnTo === "" ? "" : `?return_to=${encodeURIComponent(returnTo)}`;
  return say(
    c,
    {
      heading: { text: words.notSignedIn, language },
      texts: [{ text: words[says].replace("{after}", String(after)), language }],
      link: {
        text: words.again,
        address: loginAddress(new URL(c.get("base")).pathname.replace(/\/+$/, ""), profile.name, 2) + query,
      },
    },
    { status, ...(after !== undefined && { headers: { "Retry-After": String(after) } }) },
  );
}
