// Content states over HTTP: resolving their targets, and storing states for others (Content State API 1.0).

import {
  decodeState,
  maxStateLength,
  regionText,
  type StateTarget,
  stateParameter,
  statePaths,
} from "../../../iiif/index.ts";
import { createOneSecret } from "../../access/logins/one-secret.ts";
import type { Service } from "../../service.ts";
import { readJson } from "../http/body.ts";
import type { RequestContext } from "../http/context.ts";
import { openState } from "../http/open-state.ts";
import { Refusal } from "../http/problem.ts";
import { setVary } from "../http/representation/caching.ts";
import { sendText } from "../http/representation/send.ts";
import type { Routes } from "../http/routes.ts";
import { respondMint } from "./mint.ts";
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

/**
 * Responds with form, target, problems and the state itself. A target is never fetched; a stored state of
 * this service is read from its store. Throws a Refusal: 400 for anything but a state,
 * 413 for one that is too long.
 */
async function respondResolve(
  c: RequestContext,
  service: Service,
  method: "get" | "post",
): Promise<Response> {
  const state =
    method === "get"
      ? stateOfQuery(c)
      : await readJson(c, maxStateLength, { code: "content_state_too_deep" });
  const { form, targets, problems, contentState } = await openState(c, service, state);
  const [target] = targets;
  const body = {
    form,
    target: targetText(target),
    ...(targets.length > 1 && { targets: targets.map(targetText) }),
    problems,
    contentState,
  };
  const headers: Record<string, string> = { "Cache-Control": "no-cache" };
  // The public URL determines which addresses are those of stored states of this service.
  setVary(headers, c);
  // Without white space: indentation would make a nested state many times longer than it was sent.
  return sendText(c, JSON.stringify(body), { type: "application/json", headers });
}

function stateOfQuery(c: RequestContext): unknown {
  const value = new URLSearchParams(c.get("target").query).get(stateParameter);
  if (value === null || value === "")
    throw new Refusal({
      status: 400,
      code: "content_state_missing",
      detail: `Expected the parameter ${stateParameter} with a content state; received none. Add it, or send the state as JSON by POST.`,
    });
  return decodeState(value);
}

const targetText = ({ region, ...target }: StateTarget) => ({
  ...target,
  ...(region && { region: regionText(region) }),
});
