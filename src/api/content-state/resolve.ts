// What a content state points at, as JSON. No target is ever fetched; a stored state of this service is read from its store.

import { decodeState, maxStateLength } from "../../iiif/content-state/encode.ts";
import { stateParameter, storedId } from "../../iiif/content-state/mounts.ts";
import { type ReadState, readState, type StateTarget } from "../../iiif/content-state/read.ts";
import { regionText } from "../../iiif/content-state/region.ts";
import type { Service } from "../../service.ts";
import { readJson } from "../http/body.ts";
import { type RequestContext, sent } from "../http/context.ts";
import { Refusal } from "../http/problem.ts";

/** Answers with form, target, problems and the state itself. Throws a Refusal: 400 for what is no state, 413 for too long ones. */
export async function respondResolve(
  c: RequestContext,
  service: Service,
  method: "get" | "post",
): Promise<Response> {
  const state = method === "get" ? stateOfQuery(c) : await readJson(c, maxStateLength);
  const { form, targets, problems, contentState } = await openState(c, service, state);
  const [target] = targets;
  const body = {
    form,
    target: targetText(target),
    ...(targets.length > 1 && { targets: targets.map(targetText) }),
    problems,
    contentState,
  };
  return new Response(sent(c, JSON.stringify(body, null, 2)), {
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-cache",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

/** A state with what it was read from; where it is the address of one that is kept here, that one. */
export interface OpenedState extends ReadState {
  readonly contentState: unknown;
}

/** Reads a state. Throws `bad-request` where it is none, and `not-found` for an address of this store that holds none. */
export async function openState(c: RequestContext, service: Service, state: unknown): Promise<OpenedState> {
  const read = readState(state);
  const bookmarks = service.contentStates?.bookmarks;
  const id = read.form === "uri" ? storedId(c.get("base"), read.targets[0].id) : undefined;
  if (id === undefined || !bookmarks) return { ...read, contentState: state };
  const text = await bookmarks.find(id);
  if (text === undefined)
    throw new Refusal({
      status: 404,
      code: "content_state_not_found",
      detail: "This service keeps no view at the address that the link names. Check the link.",
    });
  const contentState: unknown = JSON.parse(text);
  return { ...readState(contentState), form: "uri", contentState };
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
