// The token services: a page in a hidden frame that posts a token to the embedding viewer, or plain JSON.

import { ServiceError } from "../../../base/index.ts";
import {
  imageChallenge,
  isWebOrigin,
  scriptJson,
  type TokenOutcome,
  tokenDocument,
  tokenFaults,
  viewAddress,
} from "../../../iiif/index.ts";
import type { TokenReach } from "../../access/auth.ts";
import { cookieValues } from "../../access/credentials.ts";
import type { Issued, Session } from "../../access/session.ts";
import { noteRefusal, type RequestContext, recordSent } from "../http/context.ts";
import { noteFailure } from "../http/failure.ts";
import { Refusal } from "../http/problem.ts";
import { readerOf } from "./pages/reader.ts";
import { presenterOf } from "./presenter.ts";
import type { LoginParts } from "./ways/way.ts";

/** Responds to a token request of a version. */
export async function respondToken(c: RequestContext, parts: LoginParts, version: 1 | 2): Promise<Response> {
  const { auth } = parts;
  const query = new URLSearchParams(c.get("target").query);
  const [messageId, ...otherIds] = query.getAll("messageId");
  const [origin, ...otherOrigins] = query.getAll("origin");
  const isPlain = version === 1 && !messageId;
  if (isPlain && origin === undefined) return plainResponse(c, parts);
  if (origin === undefined || otherOrigins.length > 0 || !isWebOrigin(origin)) throw noTarget();
  const isSound = messageId !== undefined && messageId !== "" && otherIds.length === 0;
  const reach = auth.tokensFor(origin, ownOrigin(c));
  const outcome: TokenOutcome = !reach
    ? { fault: "origin" }
    : isSound || isPlain
      ? await issue(c, parts, reach)
      : { fault: "request" };
  if (isPlain) return json(c, parts, outcome);
  const { token_origins, clickthrough_origins } = auth.options.cors;
  return frame(c, tokenDocument(version, outcome, { messageId, ...messageFactsOf(c, parts) }), origin, [
    ownOrigin(c),
    ...token_origins,
    ...(reach === "all" ? [] : clickthrough_origins),
  ]);
}

/** The language of the reader, and the viewer that the reader may use instead of the one that asks. */
const messageFactsOf = (c: RequestContext, { service }: LoginParts) => ({
  language: readerOf(c).language,
  view: service.manifests ? viewAddress(c.get("base"), "") : undefined,
});

const ownOrigin = (c: RequestContext) => new URL(c.get("base")).origin;

/** Issues a token for the session of the cookie. HEAD gets none, since nobody would read it. */
async function issue(
  c: RequestContext,
  { auth, service }: LoginParts,
  reach: TokenReach,
): Promise<TokenOutcome> {
  const presenter = presenterOf(c);
  const profiles = reach === "all" ? undefined : reach;
  try {
    const found = await auth.findSession(presenter);
    const grants = found?.session.grants.filter(({ profile }) => profiles?.includes(profile) ?? true);
    // Logins of other kinds do not count for these viewers.
    if (found && found.session.grants.length > 0 && grants?.length === 0) return { fault: "missing" };
    if (found?.isAway && grants?.length === 0) return { fault: "away" };
    if (found && grants && grants.length > 0) {
      if (c.req.method === "HEAD") return { token: "", expiresIn: 0 };
      const ttlMs = auth.tokenTtlMs({ ...found.session, grants });
      const issued = await auth.sessions.issueToken(found.id, ttlMs, profiles);
      const expiresIn = issued ? secondsLeft(issued, found.session) : 0;
      if (issued && expiresIn > 0) return { token: issued.id, expiresIn };
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== "busy") throw error;
    noteFailure(c, service.log, error);
    return { fault: "unavailable" };
  }
  const ids = cookieValues(presenter.header("cookie"), auth.options.cookie.name);
  if (ids.length === 0) return { fault: "missing" };
  return { fault: ids.some((id) => /^[\w-]{43}$/.test(id)) ? "expired" : "invalid" };
}

/**
 * Returns whole seconds: the token's lifetime while it is fresh, but no more than its session has left
 * (Authorization Flow 2.0, section 4.4: a positive integer).
 */
function secondsLeft(token: Pick<Issued, "expiresAt">, session: Pick<Session, "expiresAt">): number {
  const time = Date.now();
  return Math.min(Math.ceil((token.expiresAt - time) / 1000), Math.floor((session.expiresAt - time) / 1000));
}

/**
 * For clients other than pages; a page of another origin cannot read the response unless it may request
 * tokens.
 */
async function plainResponse(c: RequestContext, parts: LoginParts): Promise<Response> {
  const origin = c.req.raw.headers.get("Origin");
  const reach = origin === null ? "all" : parts.auth.tokensFor(origin, ownOrigin(c));
  if (!reach) return json(c, parts, { fault: "origin" });
  const response = json(c, parts, await issue(c, parts, reach));
  if (origin !== null) {
    response.headers.set("Access-Control-Allow-Origin", origin);
    response.headers.set("Access-Control-Allow-Credentials", "true");
  }
  return response;
}

function json(c: RequestContext, parts: LoginParts, outcome: TokenOutcome): Response {
  const status = "fault" in outcome ? tokenFaults[outcome.fault].status : 200;
  if ("fault" in outcome) noteRefusal(c, "token", outcome.fault);
  return new Response(recordSent(c, JSON.stringify(tokenDocument(1, outcome, messageFactsOf(c, parts)))), {
    status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      Vary: "Origin",
      "X-Content-Type-Options": "nosniff",
      ...(status === 503 && { "Retry-After": "1" }),
      // RFC 9110, section 15.5.2.
      ...(status === 401 && { "WWW-Authenticate": imageChallenge }),
    },
  });
}

/**
 * Sends a page that posts a document to the embedding page, if that has the origin. Browsers check all
 * ancestors of a frame against its policy, so `others` are those that may embed a viewer.
 */
function frame(c: RequestContext, document: object, origin: string, others: readonly string[]): Response {
  const ancestors = [...new Set([origin, ...others])].join(" ");
  const nonce = crypto.randomUUID();
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Token</title></head>
<body><script nonce="${nonce}">
window.parent.postMessage(${scriptJson(document)}, ${scriptJson(origin)});
</script></body>
</html>
`;
  return new Response(recordSent(c, html), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy": `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors ${ancestors}`,
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

const noTarget = () =>
  new Refusal({
    status: 400,
    code: "invalid_origin",
    detail:
      "Expected one parameter origin with the origin of the page that asks, such as https://viewer.example.org; received something else, so there is nobody to send a message to.",
  });
