// Content states in requests: parsed, and looked up if this service stores them. Nothing is ever fetched.

import { storedId } from "../../iiif/content-state/mounts.ts";
import { type ReadState, readState } from "../../iiif/content-state/read.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "./context.ts";
import { Refusal } from "./problem.ts";

/** A state with the text it was parsed from: the stored state, if the request named its address. */
export interface OpenedState extends ReadState {
  readonly contentState: unknown;
}

/**
 * Parses a state. Throws `bad-request` if it is none, and `not-found` for an address of this store without a
 * state.
 */
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
      detail: "There is no stored view at the address that the link names. Check the link.",
    });
  const contentState: unknown = JSON.parse(text);
  return { ...readState(contentState), form: "uri", contentState };
}
