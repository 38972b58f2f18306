// Protects the pages of the operator: HTTP Basic (RFC 7617) with the credentials of the environment.

import { isSameSecret } from "../base/index.ts";
import { type Credentials, createOneSecret, Refusal, type RouteHandler } from "../server/index.ts";

/**
 * Restricts an act to callers who send the credentials. Throws a Refusal: 401 without them, 429 if a network
 * has sent wrong ones too often, 403 for a request that a page of another site embeds or fetches.
 */
export function createGate({ user, password }: Credentials): (act: RouteHandler) => RouteHandler {
  const secret = createOneSecret();
  const expected = utf8.encode(`${user}:${password}`);
  return (act) => (c) => {
    if (isEmbeddedElsewhere(c.req.raw.headers)) throw embedded;
    const sent = sentCredentials(c.req.raw.headers.get("Authorization"));
    if (!sent) throw loginRequired;
    const attempt = secret.attempt(c.get("client"), sentUser(sent));
    if ("waitMs" in attempt) throw comeBack(Math.ceil(attempt.waitMs / 1000));
    // Nothing is awaited between the attempt and its success, so that concurrent requests of one page do not
    // count as failures of each other.
    if (!isSameSecret(sent, expected)) throw loginRequired;
    attempt.noteSuccess();
    return act(c);
  };
}

const utf8 = new TextEncoder();

/**
 * True if a page of another site requests something to use it there (Fetch Metadata Request Headers, section
 * 2). Browsers attach a stored password to such requests too, and whether and how fast they load would reveal
 * which images exist. Links, which open a document of their own, are allowed.
 */
function isEmbeddedElsewhere(headers: Headers): boolean {
  const site = headers.get("Sec-Fetch-Site");
  return (site === "cross-site" || site === "same-site") && headers.get("Sec-Fetch-Dest") !== "document";
}

/** Returns the bytes of `user:password`, or undefined if the field is absent or has another scheme. */
function sentCredentials(field: string | null): Uint8Array | undefined {
  const [, token] = /^Basic +([A-Za-z0-9+/=_-]+)$/i.exec(field ?? "") ?? [];
  if (token === undefined) return undefined;
  try {
    return Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function sentUser(sent: Uint8Array): string {
  const colon = sent.indexOf(0x3a);
  return new TextDecoder().decode(colon < 0 ? sent : sent.subarray(0, colon));
}

const loginRequired = new Refusal({
  status: 401,
  code: "admin_login_required",
  detail: "Expected the operator's name and password, by HTTP Basic; received others or none.",
  headers: { "WWW-Authenticate": 'Basic realm="smalti admin", charset="UTF-8"' },
});

const embedded = new Refusal({
  status: 403,
  code: "cross_site_use",
  detail:
    "Expected a request from a page of this service, or a link; received one that a page of another site embeds or fetches. Open the address by itself.",
});

const comeBack = (seconds: number) =>
  new Refusal({
    status: 429,
    code: "admin_login_wait",
    detail: `Too many wrong names or passwords have come from this network. Try again in ${seconds} s.`,
    headers: { "Retry-After": String(seconds) },
  });
