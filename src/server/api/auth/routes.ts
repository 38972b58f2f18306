// The authorization services over HTTP: probe, login with its callback, token and logout, for Authorization
// Flow 2.0 and Authentication 1.0.

import { authFolder, authPaths } from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import type { Route } from "../http/context.ts";
import type { Routes } from "../http/routes.ts";
import { respondCallback } from "./callback.ts";
import { respondLogin } from "./login.ts";
import { respondLogout } from "./logout.ts";
import { problemPage } from "./pages/problem-page.ts";
import { respondProbe } from "./probe.ts";
import { respondToken } from "./token.ts";

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
