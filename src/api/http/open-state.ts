// Content states as requests name them: read, and looked up where this service keeps them. Nothing is ever fetched.

import { storedId } from "../../iiif/content-state/mounts.ts";
import { type ReadState, readState } from "../../iiif/content-state/read.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "./context.ts";
import { Refusal } from "./problem.ts";

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
