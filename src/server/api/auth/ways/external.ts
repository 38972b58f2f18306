// Login on an operator's page: redirected there, and back with a signature.

import { callbackAddress } from "../../../../iiif/index.ts";
import type { ExternalLogin } from "../../../access/logins/external.ts";
import { refuseLogin } from "../pages/refused.ts";
import { loginHeaders, returnToOf } from "../pages/responses.ts";
import { keepLogin, pendingLogins } from "../pending-cookies.ts";
import { logIn } from "./attempt.ts";
import type { LoginAttempt, Way } from "./way.ts";

const loginOf = ({ parts, profile }: LoginAttempt): ExternalLogin => {
  const login = parts.auth.logins.externalOf(profile.name);
  if (!login) throw new Error(`no external login for ${profile.name}`);
  return login;
};

/** The callback identifies no login, so the last one of a profile counts. */
async function leave(attempt: LoginAttempt): Promise<Response> {
  const { c, profile } = attempt;
  const { pending, pageFor } = loginOf(attempt);
  const returnTo = returnToOf(c);
  const [before] = await pendingLogins(attempt, pending);
  return new Response(null, {
    status: 303,
    headers: {
      ...loginHeaders,
      Location: pageFor(callbackAddress(c.get("base"), profile.name), returnTo),
      "Set-Cookie": await keepLogin(attempt, pending, { returnTo }, before?.slot),
    },
  });
}

export const externalWay: Way = {
  get: leave,
  post: leave,
  async callback(attempt) {
    const { c, parts, profile } = attempt;
    const { pending, verify } = loginOf(attempt);
    const [pendingLogin] = await pendingLogins(attempt, pending);
    const returnTo = pendingLogin?.login.returnTo ?? "";
    const vouched = await verify(c.get("target").query, Date.now());
    if ("reason" in vouched) {
      parts.auth.logins.noteRefusal(profile.name, "unconfirmed", vouched.reason);
      return refuseLogin(attempt, "unconfirmed", returnTo);
    }
    const response = await logIn(attempt, vouched.user, returnTo);
    // A reader who has to wait may return by the same address.
    if (pendingLogin && c.req.method !== "HEAD" && response.status < 400)
      response.headers.append("Set-Cookie", pendingLogin.ended);
    return response;
  },
};
