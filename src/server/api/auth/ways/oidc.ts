// Login at an OpenID Connect provider: redirected there, and back with a code.

import { callbackAddress } from "../../../../iiif/index.ts";
import { OidcFault } from "../../../access/oidc/faults.ts";
import type { OidcLogin } from "../../../access/oidc/login.ts";
import { refuseLogin } from "../pages/refused.ts";
import { loginHeaders, returnToOf } from "../pages/responses.ts";
import { keepLogin, pendingLogins } from "../pending-cookies.ts";
import { logIn } from "./attempt.ts";
import type { LoginAttempt, Way } from "./way.ts";

const loginOf = ({ parts, profile }: LoginAttempt): OidcLogin => {
  const login = parts.auth.logins.oidcOf(profile.name);
  if (!login) throw new Error(`no login by OpenID Connect for ${profile.name}`);
  return login;
};

const callbackOf = ({ c, profile }: LoginAttempt) => callbackAddress(c.get("base"), profile.name);

async function leave(attempt: LoginAttempt): Promise<Response> {
  const { pending, begin } = loginOf(attempt);
  const returnTo = returnToOf(attempt.c);
  try {
    const { address, login } = await begin(callbackOf(attempt), returnTo);
    const cookie = await keepLogin(attempt, pending, login);
    return new Response(null, {
      status: 303,
      headers: { ...loginHeaders, Location: address, "Set-Cookie": cookie },
    });
  } catch (error) {
    return refuse(attempt, error, returnTo);
  }
}

/** Responds with the page for a failed login. Throws errors that are not faults of a login. */
function refuse(attempt: LoginAttempt, error: unknown, returnTo: string): Promise<Response> {
  if (!(error instanceof OidcFault)) throw error;
  const { why, message } = error;
  // An operator cannot change a reader's refusal.
  if (why !== "denied") attempt.parts.auth.logins.noteRefusal(attempt.profile.name, why, message);
  return refuseLogin(attempt, why, returnTo);
}

export const oidcWay: Way = {
  get: leave,
  post: leave,
  async callback(attempt) {
    const { c } = attempt;
    const { pending, finish } = loginOf(attempt);
    const query = new URLSearchParams(c.get("target").query);
    const [state, ...others] = query.getAll("state");
    const logins = state && others.length === 0 ? await pendingLogins(attempt, pending) : [];
    const pendingLogin = logins.find(({ login }) => login.state === state);
    if (!pendingLogin) return refuseLogin(attempt, "expired", "");
    // The code is valid for one request.
    if (c.req.method === "HEAD") return new Response(null, { headers: loginHeaders });
    const { login, ended } = pendingLogin;
    let response: Response;
    try {
      response = await logIn(attempt, await finish(callbackOf(attempt), query, login), login.returnTo);
    } catch (error) {
      response = await refuse(attempt, error, login.returnTo);
      // If the provider did not respond, the same address may be requested once more.
      if ((error as OidcFault).why === "unavailable") return response;
    }
    response.headers.append("Set-Cookie", ended);
    return response;
  },
};
