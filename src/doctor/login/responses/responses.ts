// Diagnoses an unexpected response: which other program has responded in place of the service, or why the
// service could not.

import { imageChallenge } from "../../../iiif/index.ts";
import { type Fault, shorten } from "../finding.ts";
import type { VisitorResponse } from "../visitor.ts";
import { jsonOf, kindOf } from "../walk.ts";

/** True if a response asks for a login at a proxy: the service has a challenge of its own for images. */
export const isOfProxy = ({ headers }: Pick<VisitorResponse, "headers">): boolean =>
  (headers.get("WWW-Authenticate") ?? imageChallenge) !== imageChallenge;

/** Texts of responses that identify the kind of failure, with what to do. */
const known: readonly {
  readonly fits: (response: VisitorResponse) => boolean;
  readonly code: string;
  readonly advice: string;
}[] = [
  {
    fits: ({ text }) => /sessions_unavailable/.test(text),
    code: "session_store",
    advice:
      "The service cannot reach its session store: check auth.session, whether that server runs, and what /ready and the log of the service say.",
  },
  {
    fits: ({ text }) => /sessions_full/.test(text),
    code: "session_store",
    advice: "Memory holds as many sessions as allowed: use a session backend other than heap.",
  },
  {
    fits: ({ text }) => /cross_site_post/.test(text),
    code: "cross_site",
    advice:
      "The service does not know its own address, so it refuses its own form: set base_url to the public address, or configure the proxy to pass Host and Origin unchanged.",
  },
  {
    fits: ({ status }) => status === 502 || status === 504,
    code: "gateway",
    advice:
      "The proxy does not reach the service: compare its upstream address with addr, and check that the service runs.",
  },
  {
    fits: ({ status }) => status === 429,
    code: "too_many",
    advice:
      "The service sees too many logins from one network. If it is behind a proxy, name the proxy's address in trusted_proxies, so that readers have different addresses; else try again later.",
  },
  {
    fits: (response) => response.status === 401 && isOfProxy(response),
    code: "proxy_login",
    advice:
      "The proxy asks for a login of its own, which viewers cannot handle: remove it from the paths below /iiif/.",
  },
  {
    fits: ({ status }) => status === 404,
    code: "not_there",
    advice:
      "There is nothing at this address. Compare the path with base_url: a proxy that serves a path such as /images/ has to strip it before it forwards the request. Also check that the service runs with this configuration.",
  },
];

/** Returns the service's own problem (RFC 9457); undefined if another program may have responded. */
export function ownProblem(
  response: VisitorResponse,
): { readonly code: string; readonly detail: string } | undefined {
  const { code, detail } = jsonOf(response) ?? {};
  return typeof code === "string" && typeof detail === "string"
    ? { code, detail: shorten(detail) }
    : undefined;
}

/** Returns the fault of an unexpected response. */
export function unexpectedFault(response: VisitorResponse, what: string, expected: string): Fault {
  const found = known.find(({ fits }) => fits(response));
  const own = ownProblem(response);
  if (own && (!found || found.code === "gateway"))
    return {
      code: "service_error",
      text: `${what}: status ${response.status}, ${own.code}: ${own.detail}`,
      expected,
      advice:
        "The service sent this itself, so no proxy is to blame. Its log says more; if only this image is affected, name another with --identifier.",
    };
  return {
    code: found?.code ?? (response.status < 400 ? "replaced" : "unexpected_status"),
    text: `${what}: ${kindOf(response)}`,
    expected,
    advice:
      found?.advice ??
      "Find out which program sent this response: a proxy must not replace, filter or answer requests below /iiif/ itself. The log of the service says which requests reach it.",
  };
}
