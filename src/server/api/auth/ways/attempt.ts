// What all ways to log in share: from the form to the session, and back to the viewer.

import type { Issued, LoginGrant } from "../../../access/session.ts";
import { readForm } from "../../http/body.ts";
import { noteRefusal, type RequestContext } from "../../http/context.ts";
import { documentResponse, escapeHtml, pageResponse } from "../../http/page.ts";
import { cookieScope, sessionCookie } from "../cookie.ts";
import { type LoginForm, loginFields, loginPage, logoOrigin } from "../pages/login-page.ts";
import { readerOf } from "../pages/reader.ts";
import { refuseLogin } from "../pages/refused.ts";
import { leadBack, loginHeaders, returnToOf, say } from "../pages/responses.ts";
import { presenterOf } from "../presenter.ts";
import { returnTarget } from "../return-to.ts";
import type { LoginAttempt, LoginParts } from "./way.ts";

/** Maximum bytes of a login form: a name, a password and an address. */
const maxFormBytes = 16 * 1024;

export interface SentForm {
  readonly username: string;
  readonly password: string;
  /** Taken from the query if the form does not have it. */
  readonly returnTo: string;
}

/** Returns the fields of a login form; "" for missing ones. */
export async function readLoginForm(c: RequestContext): Promise<SentForm> {
  const form = await readForm(c, maxFormBytes);
  return {
    username: form.get("username") ?? "",
    password: form.get("password") ?? "",
    returnTo: form.get("return_to") ?? returnToOf(c),
  };
}

/** Returns the path of the public URL, without a trailing /. */
const folderOf = (c: RequestContext) => new URL(c.get("base")).pathname.replace(/\/+$/, "");

/** Sends the login page of a profile: the operator's own, or the built-in one. */
export function showLogin(
  { c, parts: { auth }, profile }: LoginAttempt,
  form: LoginForm,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  if (status >= 400) noteRefusal(c, "login", form.error ?? "");
  const target = returnTarget(form.returnTo, c.get("base"), auth.options.cors.token_origins);
  const formOrigins = [new URL(c.get("base")).origin, ...(target ? [target.origin] : [])];
  const shared = { forms: true, formOrigins: [...new Set(formOrigins)] };
  const init = { status, headers: { ...loginHeaders, ...headers } };
  const template = auth.logins.templateOf(profile.name);
  if (!template)
    return pageResponse(c, { ...loginPage(profile, form, readerOf(c), folderOf(c)), ...shared }, init);
  // An operator's page may show it as a link.
  const safe = target ? form : { ...form, returnTo: "" };
  const html = template(loginFields(profile, safe, folderOf(c)), escapeHtml);
  return documentResponse(c, html, { ...shared, ...logoOrigin(profile) }, init);
}

/**
 * Begins the session of a reader and redirects them, if their target is allowed, or responds with a page that
 * closes its window. The session replaces the first one that the request presents; all others that it
 * presents end. If it presents none and the client's network has begun as many sessions as it may, a page
 * says when to retry (429). HEAD begins no session. `hash`: of the user's password, if the login used one.
 */
export async function logIn(
  attempt: LoginAttempt,
  user: string,
  returnTo: string,
  hash?: string,
): Promise<Response> {
  const { c, parts, profile } = attempt;
  const { auth } = parts;
  const headers: Record<string, string> = {};
  if (c.req.method !== "HEAD") {
    const [before, ...others] = await auth.findSessions(presenterOf(c));
    // A browser sends several cookies if their paths differ, and somebody else may have set one of them.
    // These sessions end first, so that none is left if the store fails halfway.
    await Promise.all(others.map(({ id }) => auth.sessions.logOut(id)));
    const grantedAt = Date.now();
    const expiresAt = grantedAt + auth.sessionTtlMs;
    const { name } = profile;
    // Without a fingerprint nothing vouches for the user any more, and the grant is void.
    const fingerprint = (await auth.fingerprints.of(name, user, hash)) ?? "";
    const grant = { profile: name, user, fingerprint, grantedAt, expiresAt };
    const issued =
      (before && (await auth.sessions.replace(grant, before.id))) ?? (await begin(parts, c, grant));
    if ("waitMs" in issued) return refuseLogin(attempt, "many", returnTo, Math.ceil(issued.waitMs / 1000));
    const scope = cookieScope(auth.options.cookie, c.get("base"));
    headers["Set-Cookie"] = sessionCookie(scope, issued.id, issued.expiresAt);
  }
  const target = returnTarget(returnTo, c.get("base"), auth.options.cors.token_origins);
  if (target) return leadBack(target, headers);
  const { words, language } = readerOf(c);
  return say(
    c,
    { heading: { text: words.signedIn, language }, texts: [{ text: words.mayClose, language }] },
    { headers, scripts: ["auth/close.js"] },
  );
}

/** Begins a session, or returns how long the client's network has to wait. */
async function begin(
  parts: LoginParts,
  c: RequestContext,
  grant: LoginGrant,
): Promise<Issued | { readonly waitMs: number }> {
  const { newSessions, sessions } = parts.auth;
  const counted = newSessions.begin(c.get("reader"));
  if ("waitMs" in counted) return counted;
  try {
    return await sessions.logIn(grant);
  } catch (error) {
    counted.takeBack();
    throw error;
  }
}
