// Stored content states: holders of the token may add some, anybody may read them.

import { sha256 } from "../../../base/index.ts";
import { maxStateLength, readState, statePaths, storedAddress } from "../../../iiif/index.ts";
import type { OneSecret } from "../../access/logins/one-secret.ts";
import type { Bookmarks } from "../../bookmarks/bookmarks.ts";
import { readJson } from "../http/body.ts";
import { type RequestContext, recordSent } from "../http/context.ts";
import { Refusal } from "../http/problem.ts";
import { sendText } from "../http/representation/send.ts";

/** A stored state never changes. */
const forever = "public, max-age=31536000, immutable";

/**
 * Stores the state in the body; responds with 201 and its address, also if it was already stored. Throws a
 * Refusal: 403 while no token is configured, 401 for a wrong or missing token, 429 if the network has sent
 * wrong ones too often, 413 if it is too long, 400 if it is no state.
 */
export async function respondKeep(
  c: RequestContext,
  bookmarks: Bookmarks,
  writing: Writing | undefined,
): Promise<Response> {
  if (writing === undefined)
    throw new Refusal({
      status: 403,
      code: "writing_disabled",
      detail: "This service accepts no content states: its operator has not set a token for writing.",
    });
  await requireToken(c, writing);
  const state = await readJson(c, maxStateLength, { code: "content_state_too_deep" });
  readState(state);
  const { id } = await bookmarks.keep(state);
  const uri = storedAddress(c.get("base"), id);
  return new Response(recordSent(c, JSON.stringify({ uri })), {
    status: 201,
    headers: { Location: uri, "Content-Type": "application/json", "Cache-Control": "no-store" },
  });
}

/** Responds with a stored state. */
export async function respondStored(c: RequestContext, bookmarks: Bookmarks): Promise<Response> {
  const id = c.get("target").path.slice(statePaths.stored.length);
  const text = await bookmarks.find(id);
  if (text === undefined)
    throw new Refusal({
      status: 404,
      code: "content_state_not_found",
      detail: "There is no stored view at this address. Check the link.",
    });
  return sendText(c, text, {
    type: 'application/ld+json;profile="http://iiif.io/api/presentation/3/context.json"',
    headers: { "Cache-Control": forever },
    validators: { etag: `"${id}"` },
  });
}

/** The token for writing, and who has sent wrong ones. */
export interface Writing {
  readonly token: string;
  readonly attempts: OneSecret;
}

/** Compares digests, so that timing does not reveal the length of a correct prefix. */
async function requireToken(c: RequestContext, { token, attempts }: Writing): Promise<void> {
  // The header has no surrounding white space, which a pattern would search repeatedly.
  const [, sentToken] = /^Bearer +(.+)$/i.exec(c.req.raw.headers.get("Authorization") ?? "") ?? [];
  if (sentToken === undefined) throw tokenRequired;
  const [expected, received] = await Promise.all([sha256(token), sha256(sentToken)]);
  const attempt = attempts.attempt(c.get("client"));
  if ("waitMs" in attempt) throw comeBack(Math.ceil(attempt.waitMs / 1000));
  // Nothing is awaited between the attempt and its success, so that concurrent requests of one program do not
  // count as failures of each other.
  if (!expected.every((byte, at) => byte === received[at])) throw tokenRequired;
  attempt.noteSuccess();
}

const tokenRequired = new Refusal({
  status: 401,
  code: "write_token_required",
  detail: "Expected the token for writing in the field Authorization, as Bearer; received another or none.",
  headers: { "WWW-Authenticate": 'Bearer realm="content states"' },
});

const comeBack = (seconds: number) =>
  new Refusal({
    status: 429,
    code: "write_token_wait",
    detail: `Too many wrong tokens for writing have come from this network. Try again in ${seconds} s.`,
    headers: { "Retry-After": String(seconds) },
  });
