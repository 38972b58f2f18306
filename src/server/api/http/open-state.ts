// Content states in requests: parsed, and looked up if this service stores them. Nothing is ever fetched.

import { decodeState, type ReadState, readOwnLink, readState } from "../../../iiif/index.ts";
import type { Service } from "../../service.ts";
import type { RequestContext } from "./context.ts";
import { ownAddresses } from "./own-addresses.ts";
import { Refusal } from "./problem.ts";

/** A state with the text it was parsed from: the stored state, if the request named its address. */
export interface OpenedState extends ReadState {
  readonly contentState: unknown;
}

/** Links to states within states that are followed. */
const maxLinks = 4;

/**
 * Parses a state. If its first target is a link of this service to another state, in its address or stored,
 * that is the state. Throws `bad-request` if it is none, and `not-found` for an address of this store without
 * a state.
 */
export async function openState(
  c: RequestContext,
  service: Service,
  state: unknown,
  left = maxLinks,
): Promise<OpenedState> {
  const read = readState(state);
  const bookmarks = service.contentStates?.bookmarks;
  const link = left > 0 ? readOwnLink(read.targets[0].id, ownAddresses(c, service)) : undefined;
  const form = read.form === "uri" ? { form: read.form } : {};
  if (link?.names === "state")
    return { ...(await openState(c, service, decodeState(link.value), left - 1)), ...form };
  if (link?.names !== "stored" || !bookmarks) return { ...read, contentState: state };
  const text = await bookmarks.find(link.id);
  if (text === undefined)
    throw new Refusal({
      status: 404,
      code: "content_state_not_found",
      detail: "There is no stored view at the address that the link names. Check the link.",
    });
  return { ...(await openState(c, service, JSON.parse(text), left - 1)), ...form };
}
