// Logins elsewhere, as far as possible without a person: where readers are sent, whether that is reachable,
// and whether they can return.

import { isLoopbackHost, parseUrl } from "../../../base/index.ts";
import { authPaths, callbackAddress } from "../../../iiif/index.ts";
import { createProvider, faultOf } from "../../../server/index.ts";
import { type Fault, StepFault } from "../finding.ts";
import { addressFault, coversPath } from "../responses/addresses.ts";
import { cachingFaults } from "../responses/headers.ts";
import { unexpectedFault } from "../responses/responses.ts";
import { originAndPath, type VisitorResponse } from "../visitor.ts";
import { kindOf, type LoginWalk, oneOfEach } from "../walk.ts";
import { setCookies } from "./cookie.ts";
import { type LoggedIn, loginOf } from "./login.ts";

/** Milliseconds that clocks may differ: both ways to log in allow a minute. */
export const maxSkewMs = 60_000;

/** Checks an operator's page. */
export async function leaveForPage(walk: LoginWalk, url: string): Promise<LoggedIn> {
  const { location, faults } = await leave(walk, "callback");
  const page = new URL(url);
  if (location.origin !== page.origin || location.pathname !== page.pathname)
    return { text: "", faults: oneOfEach([...faults, otherPage(location, url)]), value: undefined };
  const response = await reach(walk, location.href, url);
  const isThere = response.status < 500 && response.status !== 404;
  const back = location.searchParams.get("return_to");
  return {
    text: `readers are sent to ${originAndPath(url)}, which responds with ${kindOf(response)}; logging in there needs a person`,
    faults: oneOfEach([
      ...faults,
      isThere ? undefined : brokenPage(url, response),
      back === returnTo(walk)
        ? undefined
        : {
            code: "return_to",
            text: "return_to reached the page changed",
            expected: "the address of the viewer, unchanged",
            advice: "Configure the proxy to pass queries and the Location header unchanged.",
          },
      clockFault(walk, new URL(url).origin, "the login page"),
    ]),
    value: undefined,
  };
}

/** Checks an OpenID Connect provider. */
export async function leaveForProvider(walk: LoginWalk, issuer: string, clientId: string): Promise<LoggedIn> {
  const metadata = await createProvider(issuer)
    .metadata()
    .catch((error: unknown) => {
      const { why, message } = faultOf(error);
      throw new StepFault({
        code: why === "unavailable" ? "provider_unreachable" : "issuer",
        text: `the provider cannot be used: ${message}`,
        expected: "its metadata at .well-known/openid-configuration below issuer",
        advice: `Correct issuer of the profile, now ${issuer}, to the provider's own name for itself; the machine of the service has to reach it.`,
      });
    });
  const page = metadata.authorization_endpoint ?? "";
  if (!mayLeadTo(issuer, page)) throw new StepFault(plainPage(page));
  const { location, faults } = await leave(walk, "redirect_uri");
  if (originAndPath(page) !== originAndPath(location.href))
    return { text: "", faults: oneOfEach([...faults, otherPage(location, page)]), value: undefined };
  const response = await reach(walk, location.href, page);
  return {
    text: `readers are sent to ${location.origin}, which accepts the request (status ${response.status}); logging in there needs a person`,
    faults: oneOfEach([
      ...faults,
      refusal(walk, response, clientId),
      clockFault(walk, location.origin, "the provider"),
    ]),
    value: undefined,
  };
}

/** True for https, and for http between a provider on this machine and one of its pages. */
function mayLeadTo(issuer: string, page: string): boolean {
  const url = parseUrl(page);
  if (!url) return false;
  const { protocol, hostname } = url;
  return protocol === "https:" || (isLoopbackHost(new URL(issuer).hostname) && isLoopbackHost(hostname));
}

const plainPage = (page: string): Fault => ({
  code: "issuer",
  text: `the provider names ${parseUrl(page) ? originAndPath(page) : "no address"} as its authorization_endpoint`,
  expected: "a page over https",
  advice: "Tell the provider its own public address; behind a proxy it often assumes http.",
});

const returnTo = ({ origin }: LoginWalk) => `${origin}/`;

/**
 * Returns the target of the login redirect, with faults of the way there. `parameter`: the one that names the
 * return address.
 */
async function leave(
  walk: LoginWalk,
  parameter: string,
): Promise<{ readonly location: URL; readonly faults: readonly (Fault | undefined)[] }> {
  const { base, target, visitor } = walk;
  const query = `return_to=${encodeURIComponent(returnTo(walk))}`;
  const response = await visitor.ask(`${loginOf(walk)}?${query}`, { redirect: "manual" });
  const location = response.headers.get("Location") ?? "";
  const to = parseUrl(location);
  if (response.status !== 303 || !to)
    throw new StepFault(unexpectedFault(response, "the login", "status 303 to where readers log in"));
  const callback = callbackAddress(base, target.profile);
  const faults = [
    addressFault("the address to come back to", to.searchParams.get(parameter), callback, walk),
    ...pendingFaults(walk, response, callback),
    ...cachingFaults(response, "the login", "never"),
  ];
  return { location: to, faults };
}

/** Checks the cookie of a pending login. */
function pendingFaults(
  { options }: LoginWalk,
  response: VisitorResponse,
  callback: string,
): (Fault | undefined)[] {
  const pending = setCookies(response).find(({ name }) => /_login\d$/.test(name));
  if (!pending)
    return [
      {
        code: "cookie_stripped",
        text: "the login sets no cookie",
        expected: `Set-Cookie with ${options.auth.cookie.name}_login0`,
        advice:
          "Configure the proxy to pass Set-Cookie on: without this cookie nobody can return from the login.",
      },
    ];
  const path = pending.attributes.get("path") ?? "/";
  if (coversPath(path, new URL(callback).pathname)) return [];
  return [
    {
      code: "cookie_path",
      text: `the cookie of the login is for the path ${path}`,
      expected: `a path that covers ${new URL(callback).pathname}`,
      advice: `Set base_url, remove auth.cookie.path, and configure the proxy not to rewrite the path of cookies: readers return to ${authPaths.callback}… below it.`,
    },
  ];
}

async function reach({ visitor }: LoginWalk, address: string, shownAs: string): Promise<VisitorResponse> {
  try {
    return await visitor.ask(address, { redirect: "manual" });
  } catch (error) {
    if (!(error instanceof StepFault)) throw error;
    throw new StepFault({
      ...error.fault,
      code: "login_unreachable",
      advice: `Correct the address of the login, now ${originAndPath(shownAs)}, or find out why it does not respond. Readers see the same.`,
    });
  }
}

const otherPage = (location: URL, wanted: string): Fault => ({
  code: "other_login",
  text: `readers are sent to ${location.origin}${location.pathname}`,
  expected: originAndPath(wanted),
  advice:
    "Restart the service if it runs with an older configuration, and configure the proxy not to rewrite the Location header (in nginx: proxy_redirect off).",
});

const brokenPage = (url: string, response: VisitorResponse): Fault => ({
  code: "login_broken",
  text: `${originAndPath(url)} answers with ${kindOf(response)}`,
  expected: "a page on which readers log in",
  advice: "Correct the profile's url, or fix the page there.",
});

function refusal(
  { base, target }: LoginWalk,
  response: VisitorResponse,
  clientId: string,
): Fault | undefined {
  const location = response.headers.get("Location") ?? "";
  const error = parseUrl(location)?.searchParams.get("error") ?? null;
  if (response.status < 400 && (error === null || error === "login_required")) return undefined;
  return {
    code: "provider_refuses",
    text: `the provider refuses the request: ${error === null ? kindOf(response) : error.slice(0, 64)}`,
    expected: "its login page",
    advice: `At the provider, register the redirect URI ${callbackAddress(base, target.profile)} to the letter for the client ${clientId}, with the authorization code flow; compare client_id and scopes.`,
  };
}

/** Checks that the clocks of a host and of the service differ by no more than logins allow. */
export function clockFault({ visitor, base }: LoginWalk, origin: string, whose: string): Fault | undefined {
  const [there, here] = [visitor.clockAhead(origin), visitor.clockAhead(new URL(base).origin)];
  if (there === undefined || here === undefined || Math.abs(there - here) <= maxSkewMs) return undefined;
  return {
    code: "clock_elsewhere",
    text: `the clock of ${whose} is ${Math.round(Math.abs(there - here) / 1000)} s ${there > here ? "ahead of" : "behind"} that of the service`,
    expected: `at most ${maxSkewMs / 1000} s: its signatures are valid for a short time`,
    advice: "Set the clocks of both machines with NTP.",
  };
}
