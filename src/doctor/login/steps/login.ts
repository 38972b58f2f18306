// The login of a profile, as far as possible without a person: pages of this service, and readers known by
// their address.

import { isInRanges, isLoopbackHost, parseRange } from "../../../base/index.ts";
import { loginAddress } from "../../../iiif/index.ts";
import { createKiosks } from "../../../server/index.ts";
import { type Fault, StepFault } from "../finding.ts";
import { cachingFaults } from "../responses/headers.ts";
import { unexpectedFault } from "../responses/responses.ts";
import type { VisitorResponse } from "../visitor.ts";
import { type LoginWalk, type Outcome, oneOfEach } from "../walk.ts";

/** The response that begins the session; undefined if that needs a person. */
export type LoggedIn = Outcome<VisitorResponse | undefined>;

export const loginOf = ({ base, target }: LoginWalk): string => loginAddress(base, target.profile, 2);

/** Uses a login page with one button. */
export async function click(walk: LoginWalk): Promise<LoggedIn> {
  const page = await openPage(walk, /<form\b/i);
  const response = await send(walk, {});
  if (response.status !== 200) throw new StepFault(unexpectedFault(response, "the login form", "status 200"));
  return { text: "the page, and its form was accepted", faults: page, value: response };
}

/** Checks a login page with a password, which the operator may provide. */
export async function signIn(walk: LoginWalk): Promise<LoggedIn> {
  const faults = await openPage(walk, /<input\b[^>]{0,500}\bname=["']?password/i);
  const { credentials } = walk.options;
  if (!credentials)
    return {
      text: "the page, with its form. To log in, set SERVICE_DOCTOR_USERNAME and SERVICE_DOCTOR_PASSWORD",
      faults,
      value: undefined,
    };
  const response = await send(walk, credentials);
  if (response.status === 401 && /<form\b/i.test(response.text))
    throw new StepFault({
      code: "credentials",
      text: "the name and password of SERVICE_DOCTOR_USERNAME and SERVICE_DOCTOR_PASSWORD were refused",
      expected: "those of a user of this profile",
      advice: "Correct them, or unset both to check only the page.",
    });
  if (response.status !== 200) throw new StepFault(unexpectedFault(response, "the login form", "status 200"));
  return { text: "the page, and the name and password were accepted", faults, value: response };
}

async function openPage(walk: LoginWalk, form: RegExp): Promise<readonly Fault[]> {
  const page = await walk.visitor.ask(loginOf(walk));
  if (page.status !== 200 || !form.test(page.text))
    throw new StepFault(
      unexpectedFault(page, "the login page", "status 200 with a page that has the login form"),
    );
  return oneOfEach(cachingFaults(page, "the login page", "never"));
}

/** Submits the form as the page of this service does. */
const send = (walk: LoginWalk, form: Readonly<Record<string, string>>) =>
  walk.visitor.ask(loginOf(walk), {
    method: "POST",
    headers: { Origin: new URL(walk.base).origin },
    form: { return_to: "", ...form },
    redirect: "manual",
  });

/** Checks a kiosk: this machine has to be admitted as configured, and nobody by a claimed address. */
export async function enter(walk: LoginWalk): Promise<LoggedIn> {
  const { options, profile } = walk;
  const response = await walk.visitor.ask(loginOf(walk), { redirect: "manual" });
  const isIn = response.status === 200;
  if (!isIn && (response.status !== 401 || response.headers.has("WWW-Authenticate")))
    throw new StepFault(
      unexpectedFault(response, "the login", "status 200, or 401 for addresses that are not allowed"),
    );
  const { client } = options;
  const expected =
    client === undefined ? undefined : createKiosks({ kiosk: profile }).allows("kiosk", client);
  const faults = [
    expected !== undefined && expected !== isIn ? addressFault(walk, client ?? "", isIn) : undefined,
    isIn || isTrusted(walk) ? undefined : await forgedFault(walk),
  ];
  const unsure =
    expected === undefined && !isIn
      ? ": this machine is not admitted. If it should be, name its address with --client-ip"
      : "";
  return {
    text: isIn ? "admitted by the address" : `refused, status 401${unsure}`,
    faults: oneOfEach(faults),
    value: isIn ? response : undefined,
  };
}

function addressFault({ options, profile }: LoginWalk, client: string, isIn: boolean): Fault {
  const proxies = [...options.trustedProxies, ...options.auth.trusted_proxies];
  const seen = `trusted_proxies ${proxies.length > 0 ? `is ${proxies.join(", ")}` : "is empty"}`;
  return {
    code: "client_address",
    text: `${client} is ${isIn ? "admitted" : "not admitted"}`,
    expected: isIn
      ? `a refusal: ${client} is not in kiosk.allowed_ips (${profile.kiosk.allowed_ips.join(", ")})`
      : `to be admitted: ${client} is in kiosk.allowed_ips (${profile.kiosk.allowed_ips.join(", ")})`,
    advice: `The service sees another address, probably the proxy's: ${seen}. Write the proxy's own address there, and configure the proxy to send X-Forwarded-For with the address of its client at the end.`,
  };
}

/** True if the service trusts this machine as a proxy: a claimed address from here proves nothing then. */
function isTrusted({ base, options }: LoginWalk): boolean {
  const own = isLoopbackHost(new URL(base).hostname) ? ["127.0.0.1", "::1"] : [];
  const proxies = [...options.trustedProxies, ...options.auth.trusted_proxies].map(parseRange);
  return [...own, options.client ?? ""].some((address) => isInRanges(address, proxies));
}

/** Somebody may claim to be in the room. */
async function forgedFault(walk: LoginWalk): Promise<Fault | undefined> {
  const claimed = walk.profile.kiosk.allowed_ips[0]?.split("/")[0] ?? "";
  const claims = {
    "X-Forwarded-For": claimed,
    Forwarded: `for=${claimed.includes(":") ? `"[${claimed}]"` : claimed}`,
  };
  for (const [name, value] of Object.entries(claims)) {
    const response = await walk.visitor.ask(loginOf(walk), {
      redirect: "manual",
      headers: { [name]: value },
    });
    if (response.status === 200) return forgedAddressFault(name, value);
  }
  return undefined;
}

function forgedAddressFault(name: string, value: string): Fault {
  return {
    code: "forged_address",
    text: `anybody is admitted by sending ${name}: ${value}`,
    expected: "a refusal",
    advice:
      "Configure the proxy to append its client's address to the header, or to replace the header (in nginx: proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for), to send no Forwarded of the client, and list only proxies in trusted_proxies.",
  };
}
