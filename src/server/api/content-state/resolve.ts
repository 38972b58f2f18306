// The target of a content state as JSON. Targets are never fetched; a stored state of this service is read
// from its store.

import {
  decodeState,
  maxStateLength,
  regionText,
  type StateTarget,
  stateParameter,
} from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import { readJson } from "../http/body.ts";
import type { RequestContext } from "../http/context.ts";
import { openState } from "../http/open-state.ts";
import { Refusal } from "../http/problem.ts";
import { setVary } from "../http/representation/caching.ts";
import { sendText } from "../http/representation/send.ts";

/**
 * Responds with form, target, problems and the state itself. Throws a Refusal: 400 for anything but a state,
 * 413 for one that is too long.
 */
export async function respondResolve(
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
