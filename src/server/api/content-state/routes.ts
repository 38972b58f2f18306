// Content states over HTTP: resolving their targets, and storing states for others (Content State API 1.0).

import { statePaths } from "../../../iiif/index.ts";
import { createOneSecret } from "../../access/logins/one-secret.ts";
import type { Service } from "../../service.ts";
import type { Routes } from "../http/routes.ts";
import { respondMint } from "./mint.ts";
import { respondResolve } from "./resolve.ts";
import { respondKeep, respondStored } from "./stored.ts";

/** Longest target, in characters: a state of 64 KiB has to fit. */
const maxTarget = 64 * 1024;

/** Mounts the routes if `content_state` is enabled, and those of stored states if its store is. */
export function mountContentState(routes: Routes, service: Service): void {
  const { contentStates } = service;
  if (!contentStates) return;
  routes.add({
    path: statePaths.resolve,
    cors: true,
    maxTarget,
    get: (c) => respondResolve(c, service, "get"),
    post: (c) => respondResolve(c, service, "post"),
  });
  const { manifests } = service;
  if (manifests)
    routes.add({ path: statePaths.mint, cors: true, get: (c) => respondMint(c, service, manifests) });
  const { bookmarks, writeToken } = contentStates;
  if (!bookmarks) return;
  const writing = writeToken === undefined ? undefined : { token: writeToken, attempts: createOneSecret() };
  routes.add({
    path: statePaths.store,
    cors: true,
    post: (c) => respondKeep(c, bookmarks, writing),
  });
  routes.add({ path: `${statePaths.stored}*`, cors: true, get: (c) => respondStored(c, bookmarks) });
}
