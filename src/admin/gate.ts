// Protects the pages of the operators: HTTP Basic (RFC 7617), and a role for what has an effect.

import { isSameSecret } from "../base/index.ts";
import {
  type Credentials,
  type Operator,
  type Operators,
  Refusal,
  type RouteHandler,
} from "../server/index.ts";
import type { Audit } from "./audit/audit.ts";
import { mayChange, refuseLookers } from "./posts.ts";

/**
 * Restricts an act to operators with a role, whom it records in the request. Throws a Refusal: 401 without
 * credentials or with wrong ones, 429 if a network has sent wrong ones too often, 403 for another role, and
 * for a request that a page of another site embeds or fetches.
 */
export function createGate(
  { user, password }: Credentials,
  operators: Operators,
  changers: () => readonly string[],
  audit: Pick<Audit, "note" | "noteLogin">,
): (act: RouteHandler, needed: Operator["role"], action?: string) => RouteHandler {
  const expected = utf8.encode(`${user}:${password}`);
  return (act, needed, action) => async (c) => {
    if (isEmbeddedElsewhere(c.req.raw.headers)) throw embedded;
    const sent = sentCredentials(c.req.raw.headers.get("Authorization"));
    if (!sent) throw loginRequired;
    const isOwner = isSameSecret(sent, expected);
    const client = c.get("client");
    const found = await operators.identify({ ...partsOf(sent), client, isOwner });
    if (found === undefined) {
      audit.note(c, "authn_login_fail");
      throw loginRequired;
    }
    if (typeof found === "object") throw comeBack(Math.ceil(found.waitMs / 1000));
    c.set("operator", { name: found, role: isOwner || changers().includes(found) ? "change" : "look" });
    audit.noteLogin(c);
    if (needed === "change" && !mayChange(c)) {
      audit.note(c, "authz_fail", { ...(action && { action }) });
      refuseLookers(c);
    }
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

/** Returns both parts as text; the first colon ends the name (RFC 7617, section 2). */
function partsOf(sent: Uint8Array): { readonly user: string; readonly password: string } {
  const text = new TextDecoder().decode(sent);
  const colon = text.indexOf(":");
  return colon < 0
    ? { user: text, password: "" }
    : { user: text.slice(0, colon), password: text.slice(colon + 1) };
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
