// Logins on an operator's own page, which signs the user's name: HMAC-SHA256 over `user|expires`.

import { type Env, fromBase64Url, secretOf } from "../../../base/index.ts";
import type { ProfileOptions } from "../profiles/options.ts";
import { createPendingLogins, type PendingLogins } from "./pending.ts";
import { isUserName } from "./user-name.ts";

export type ExternalOptions = Extract<ProfileOptions["access_service"], { readonly backend: "external" }>;

/** The user who was vouched for, or why nobody was; `reason` is for the operator. */
export type Vouched = { readonly user: string } | { readonly reason: string };

export interface ExternalLogin {
  readonly pending: PendingLogins;
  /** Values that vouch for its users; a change of any ends their logins. */
  readonly restsOn: readonly string[];
  /**
   * Returns the address of the operator's page for a login. `returnTo`: as sent by the reader, "" for none.
   */
  pageFor(callback: string, returnTo: string): string;
  /** Verifies the query of a callback. `now`: milliseconds since 1970. */
  verify(query: string, now: number): Promise<Vouched>;
}

/** Creates the login of a profile. Throws an Error that names a missing variable. */
export function createExternalLogin(
  profile: string,
  { url, callback_secret_env }: ExternalOptions,
  env: Env,
): ExternalLogin {
  const secret = secretOf(callback_secret_env, env);
  return {
    pending: createPendingLogins(secret, profile),
    restsOn: [url, secret],
    pageFor(callback, returnTo) {
      const page = new URL(url);
      const own = [`callback=${encodeURIComponent(callback)}`];
      if (returnTo !== "") own.push(`return_to=${encodeURIComponent(returnTo)}`);
      page.search = [...(page.search === "" ? [] : [page.search.slice(1)]), ...own].join("&");
      return page.href;
    },
    verify: (query, now) => verify(query, secret, now),
  };
}

async function verify(query: string, secret: string, now: number): Promise<Vouched> {
  const fields = fieldsOf(query);
  if (!fields) return { reason: "expected user, expires and signature once each, in percent-encoded UTF-8" };
  const { user, expires, signature } = fields;
  if (!isUserName(user))
    return { reason: "expected a user of 1 to 256 characters without control characters" };
  // More digits would be milliseconds, and valid for thousands of years.
  if (!/^\d{1,11}$/.test(expires)) return { reason: "expected expires in seconds since 1970" };
  const bytes = signatureBytes(signature);
  if (!bytes) return { reason: "expected a signature of 32 bytes, as hexadecimal digits or base64url" };
  if (!(await isSigned(`${user}|${expires}`, bytes, secret)))
    return { reason: "the signature does not fit; compare the secrets of both sides" };
  if (Number(expires) * 1000 <= now)
    return { reason: "the signature has expired; compare the clocks of both sides" };
  return { user };
}

/** Returns the three fields, or undefined if one is missing, repeated or not text. */
function fieldsOf(query: string) {
  try {
    // URLSearchParams accepts broken percent-encoding as text.
    for (const part of query.split(/[&=]/)) decodeURIComponent(part);
  } catch {
    return undefined;
  }
  const all = new URLSearchParams(query);
  const onlyValueOf = (name: string) => {
    const [value, ...others] = all.getAll(name);
    return others.length === 0 ? value : undefined;
  };
  const [user, expires, signature] = [onlyValueOf("user"), onlyValueOf("expires"), onlyValueOf("signature")];
  if (user === undefined || expires === undefined || signature === undefined) return undefined;
  return { user, expires, signature };
}

function signatureBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (/^[0-9a-f]{64}$/i.test(text))
    return Uint8Array.from(text.match(/../g) as string[], (pair) => Number.parseInt(pair, 16));
  if (!/^[A-Za-z0-9_-]{43}=?$/.test(text)) return undefined;
  return fromBase64Url(text) as Uint8Array<ArrayBuffer> | undefined;
}

/** Compares in constant time, as Web Crypto does. */
async function isSigned(text: string, signature: Uint8Array<ArrayBuffer>, secret: string): Promise<boolean> {
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["verify"]);
  return crypto.subtle.verify("HMAC", key, signature, encoder.encode(text));
}
