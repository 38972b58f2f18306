// The authorization services over HTTP: probe, login with its callback, token and logout, for Authorization
// Flow 2.0 and Authentication 1.0.

import { authFolder, authPaths } from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import type { RequestContext, Route } from "../http/context.ts";
import { noSuchPage, Refusal } from "../http/problem.ts";
import type { Routes } from "../http/routes.ts";
import { respondLogout } from "./logout.ts";
import { problemPage } from "./pages/problem-page.ts";
import { respondProbe } from "./probe.ts";
import { profileAt } from "./profile-at.ts";
import { respondToken } from "./token.ts";
import type { LoginParts } from "./ways/way.ts";
import { wayOf } from "./ways/ways.ts";

/** Mounts the routes if there is a section `auth`. */
export function mountAuth(routes: Routes, service: Service): void {
  const { auth } = service;
  if (!auth) return;
  const { probe_origins } = auth.options.cors;
  const add = (route: Route) => routes.add({ ...route, problemPage, compressed: false });
  // Not-found responses are readable for viewers of other origins too.
  add({ path: `${authFolder}*`, cors: true });
  add({
    path: `${authPaths.probe}*`,
    cors: probe_origins.includes("*") ? true : probe_origins,
    get: (c) => respondProbe(c, service),
  });
  for (const prefix of [authPaths.login, authPaths.login1])
    add({
      path: `${prefix}*`,
      get: (c) => respondLogin(c, { service, auth }, prefix, "get"),
      post: (c) => respondLogin(c, { service, auth }, prefix, "post"),
    });
  add({ path: `${authPaths.callback}*`, get: (c) => respondCallback(c, { service, auth }) });
  add({ path: authPaths.token, get: (c) => respondToken(c, { service, auth }, 2) });
  add({ path: authPaths.token1, get: (c) => respondToken(c, { service, auth }, 1) });
  for (const path of [authPaths.logout, authPaths.logout1])
    add({
      path,
      get: (c) => respondLogout(c, auth, "get", service.log),
      post: (c) => respondLogout(c, auth, "post", service.log),
    });
}

/** Handles a callback by the way of its profile. */
function respondCallback(c: RequestContext, parts: LoginParts): Promise<Response> {
  const profile = profileAt(c, parts.auth, authPaths.callback);
  const callback = profile && wayOf(profile)?.callback;
  if (!callback)
    throw new Refusal({
      ...noSuchPage,
      detail: "No login returns to this address. Begin at the login that the image information names.",
    });
  return callback({ c, parts, profile });
}

/** Responds to a request for the login of the profile that follows `prefix` in its path. */
function respondLogin(
  c: RequestContext,
  parts: LoginParts,
  prefix: string,
  method: "get" | "post",
): Promise<Response> {
  const profile = profileAt(c, parts.auth, prefix);
  const way = profile && wayOf(profile);
  if (!way)
    throw new Refusal({
      ...noSuchPage,
      detail: "There is no login at this address. Use the address that the image information names.",
    });
  return way[method]({ c, parts, profile });
}
