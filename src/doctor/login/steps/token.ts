// The token page in a hidden frame of the viewer's, and the access that the token gives.

import { authFolder, authPaths } from "../../../iiif/index.ts";
import { type Fault, StepFault, shorten } from "../finding.ts";
import { cachingFaults } from "../responses/headers.ts";
import { unexpectedFault } from "../responses/responses.ts";
import type { VisitorResponse } from "../visitor.ts";
import { isForeign, type LoginWalk, type Outcome, oneOfEach } from "../walk.ts";
import { letsIn, probedStatus, probeOf } from "./probe.ts";

/** Repetitions of each request: several servers behind one address take turns. */
const times = 4;

/** The message of a token page. */
type TokenMessage = { readonly token: string } | { readonly error: string };

/** Requests tokens with the cookie of a login, or without any. The value is a token. */
export async function askForToken(
  walk: LoginWalk,
  cookie: string | undefined,
): Promise<Outcome<string | undefined>> {
  const responses: VisitorResponse[] = [];
  for (let n = 0; n < (cookie ? times : 2); n++)
    responses.push(await open(walk, cookie, n % 2 === 0 ? 2 : 1, n));
  const said = responses.map((response, n) => read(response, n));
  const tokens = said.flatMap((each) => ("token" in each ? [each.token] : []));
  const errors = said.flatMap((each) => ("error" in each ? [each.error] : []));
  const faults = [
    ...responses.flatMap((response) => pageFaults(walk, response)),
    ...(cookie ? sessionFaults(walk, tokens, errors) : closedFaults(walk, tokens, errors)),
  ];
  const text = cookie
    ? "the page posts a token to the viewer, with 2.0 and with 1.0"
    : "the page sends its message to the viewer, with 2.0 and with 1.0; a token needs a login first";
  return { text, faults: oneOfEach(faults), value: tokens.at(-1) };
}

function open({ base, origin, visitor }: LoginWalk, cookie: string | undefined, version: 1 | 2, n: number) {
  const path = version === 2 ? authPaths.token : authPaths.token1;
  const query = `messageId=doctor-${n}&origin=${encodeURIComponent(origin)}`;
  return visitor.ask(`${base}${path}?${query}`, { headers: cookie ? { Cookie: cookie } : {} });
}

/** Reads the message that the script of the page posts. */
function read(response: VisitorResponse, n: number): TokenMessage {
  const message = postedDocumentOf(response.text);
  if (response.status !== 200 || message?.messageId !== `doctor-${n}`)
    throw new StepFault(
      unexpectedFault(
        response,
        "the token page",
        "status 200 with a page that posts a message to this viewer",
      ),
    );
  const { accessToken, profile, error } = message;
  return typeof accessToken === "string" ? { token: accessToken } : { error: String(profile ?? error) };
}

/** Returns the document before the origin in `postMessage({…}, "origin")`. */
function postedDocumentOf(html: string): Record<string, unknown> | undefined {
  const call = "postMessage(";
  const start = html.indexOf(call);
  const end = html.lastIndexOf('}, "');
  if (start < 0 || end < start) return undefined;
  try {
    return JSON.parse(html.slice(start + call.length, end + 1)) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Converts errors of the token page, by their names in 2.0 and 1.0, to faults after a login. */
function sessionFaults(
  walk: LoginWalk,
  tokens: readonly string[],
  errors: readonly string[],
): (Fault | undefined)[] {
  const expected = "a token for the session that has just started";
  const count = `${errors.length} of ${tokens.length + errors.length} times`;
  const has = (...names: string[]) => errors.some((error) => names.includes(error));
  const { backend } = walk.options.auth.session;
  return [
    originFault(walk, errors),
    has("unavailable")
      ? {
          code: "session_store",
          text: `${count} sessions could not be looked up`,
          expected,
          advice:
            "The service cannot reach its session store: check auth.session, whether that server runs, and what /ready and the log of the service say.",
        }
      : undefined,
    has("missingAspect", "missingCredentials")
      ? {
          code: "cookie_not_passed",
          text: `${count} the token page saw no session cookie, though it was sent`,
          expected,
          advice: "Configure the proxy to pass the Cookie header to the service; caches often strip it.",
        }
      : undefined,
    has("expiredAspect", "invalidAspect", "invalidCredentials")
      ? {
          code: "session_unknown",
          text: `${count} the session that had just started was not known`,
          expected,
          advice:
            backend === "redis"
              ? "Make all servers behind this address use the same Redis, database and auth.session.redis.prefix, and configure Redis not to evict keys."
              : `Several servers seem to respond at this address, and auth.session.backend is ${backend}, which they cannot share. Choose redis, which they can.`,
        }
      : undefined,
    new Set(tokens).size < tokens.length
      ? cachedFault("the token page gives the same token again")
      : undefined,
  ];
}

/** Converts the results without a login to faults. */
function closedFaults(
  walk: LoginWalk,
  tokens: readonly string[],
  errors: readonly string[],
): (Fault | undefined)[] {
  return [
    originFault(walk, errors),
    tokens.length > 0
      ? cachedFault("the token page gives a token to somebody who has not logged in")
      : undefined,
  ];
}

const cachedFault = (text: string): Fault => ({
  code: "cached",
  text,
  expected: "a response from the service itself",
  advice: `Make the cache obey Cache-Control: no-store, and empty it; exclude paths below ${authFolder} out of it.`,
});

const originFault = ({ origin, profile }: LoginWalk, errors: readonly string[]): Fault | undefined =>
  errors.includes("invalidOrigin")
    ? {
        code: "token_origins",
        text: `pages of ${origin} get no tokens`,
        expected: "a token, or that a login is needed",
        advice: `Add "${origin}" to auth.cors.token_origins${profile.pattern === "clickthrough" ? ", or to clickthrough_origins," : ""} and restart, or correct the scheme, host or port of the viewer there.`,
      }
    : undefined;

/** Returns faults that keep the page out of the viewer's frame, or its script from running. */
function pageFaults(walk: LoginWalk, response: VisitorResponse): (Fault | undefined)[] {
  const { headers, text } = response;
  const expected = `that ${walk.origin} may show the page in a frame`;
  const frame = headers.get("X-Frame-Options");
  const policies = (headers.get("Content-Security-Policy") ?? "").split(",").map(directives);
  const [, nonce = ""] = /<script nonce="([^"]+)"/.exec(text) ?? [];
  const framing = policies
    .map((policy) => policy.get("frame-ancestors"))
    .filter((list) => list !== undefined);
  const scripts = policies
    .map((policy) => policy.get("script-src") ?? policy.get("default-src"))
    .filter((list) => list !== undefined);
  const admits = (list: readonly string[]) =>
    list.includes(walk.origin) || list.includes("*") || (list.includes("'self'") && !isForeign(walk));
  return [
    frame !== null && (isForeign(walk) || !/^same-?origin$/i.test(frame))
      ? {
          code: "frame_options",
          text: `the token page has X-Frame-Options: ${shorten(frame)}`,
          expected,
          advice: `The service does not send this header: remove it at the proxy for paths below ${authFolder}.`,
        }
      : undefined,
    framing.every(admits)
      ? undefined
      : {
          code: "frame_policy",
          text: `the token page has a Content-Security-Policy with frame-ancestors ${shorten(framing.find((list) => !admits(list))?.join(" ") ?? "")}`,
          expected,
          advice: `Configure the proxy to add no Content-Security-Policy to paths below ${authFolder}: the service sends its own.`,
        },
    scripts.every((list) => list.includes(`'nonce-${nonce}'`))
      ? undefined
      : {
          code: "script_policy",
          text: "the token page has a Content-Security-Policy that keeps its script from running",
          expected: "only the policy of the service",
          advice: `Configure the proxy to add no Content-Security-Policy to paths below ${authFolder}: the service sends its own.`,
        },
    ...cachingFaults(response, "the token page", "never"),
  ];
}

/** Returns the directives of a policy (Content Security Policy Level 3, section 2.2). */
function directives(policy: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    policy
      .split(";")
      .map((each) => each.trim().split(/\s+/))
      .map(([name = "", ...values]) => [name.toLowerCase(), values]),
  );
}

/** Presents a token to the probe, like viewers on other sites. */
export async function presentToken(walk: LoginWalk, token: string): Promise<readonly (Fault | undefined)[]> {
  let granted = 0;
  for (let n = 0; n < times; n++) {
    const headers = { Origin: walk.origin, Authorization: `Bearer ${token}` };
    const response = await walk.visitor.ask(probeOf(walk), { headers });
    if (letsIn(probedStatus(response, "the probe with a token"), walk)) granted++;
  }
  const expected = "that the token gives access every time";
  if (granted === times) return [];
  if (granted > 0)
    return [
      {
        code: "session_unknown",
        text: `${times - granted} of ${times} times the token was not known`,
        expected,
        advice:
          "Several servers seem to respond at this address, each with its own sessions: set auth.session.backend to redis for all of them, with the same prefix.",
      },
    ];
  return [
    {
      code: "token_not_passed",
      text: "the token does not reach the probe, or it gives no access",
      expected,
      advice: `Configure the proxy to pass the Authorization header to the service${walk.options.hooked ? "; or the authorize hook refuses, see smalti hook test" : ""}.`,
    },
  ];
}
