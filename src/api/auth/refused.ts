// The pages for readers who come back from a login elsewhere without one: what happened, and what to do.

import { loginAddress } from "../../iiif/auth-mounts.ts";
import { say } from "./answers.ts";
import type { LoginAttempt } from "./attempt.ts";
import { readerOf } from "./reader.ts";
import type { Words } from "./words.ts";

interface Refused {
  readonly status: 401 | 503;
  readonly says: keyof Words;
}

const refusals = {
  denied: { status: 401, says: "denied" },
  unconfirmed: { status: 401, says: "unconfirmed" },
  expired: { status: 401, says: "expired" },
  unavailable: { status: 503, says: "unavailable" },
  misconfigured: { status: 503, says: "misconfigured" },
} as const satisfies Readonly<Record<string, Refused>>;

export type RefusedLogin = keyof typeof refusals;

/** The page, with a link that begins the login again. */
export function refuseLogin(attempt: LoginAttempt, why: RefusedLogin, returnTo: string): Promise<Response> {
  const { c, profile } = attempt;
  const { words, language } = readerOf(c);
  const { status, says } = refusals[why];
  const query = returnTo === "" ? "" : `?return_to=${encodeURIComponent(returnTo)}`;
  return say(
    c,
    {
      heading: { text: words.notSignedIn, language },
      texts: [{ text: words[says], language }],
      link: {
        text: words.again,
        address: loginAddress(new URL(c.get("base")).pathname.replace(/\/+$/, ""), profile.name, 2) + query,
      },
    },
    { status, ...(why === "unavailable" && { headers: { "Retry-After": "5" } }) },
  );
}
