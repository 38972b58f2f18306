// The first steps of a viewer, before a login: the probe, the image information, and the image.

import { imageAddress, mainPrefix, probeAddress } from "../../../iiif/index.ts";
import { type Fault, StepFault } from "../finding.ts";
import { addressFault } from "../responses/addresses.ts";
import { cachingFaults, corsFault, resourcePolicyFault } from "../responses/headers.ts";
import { isOfProxy, ownProblem, unexpectedFault } from "../responses/responses.ts";
import { serviceFaults } from "../responses/services.ts";
import type { VisitorResponse } from "../visitor.ts";
import { isByAddress, isForeign, jsonOf, kindOf, type LoginWalk, type Outcome, oneOfEach } from "../walk.ts";

export const probeOf = ({ base, target }: LoginWalk): string => probeAddress(base, target.identifier);

/** Returns the status in the document of a probe. Throws StepFault for any other document. */
export function probedStatus(response: VisitorResponse, what = "the probe"): unknown {
  const document = jsonOf(response);
  if (response.status !== 200 || document?.type !== "AuthProbeResult2")
    throw new StepFault(
      unexpectedFault(response, what, "status 200 with a document of the type AuthProbeResult2"),
    );
  if (document.status === 503)
    throw new StepFault({
      code: "undecided",
      text: `${what} says 503: nobody knows who has access`,
      expected: "the status that the image would have",
      advice:
        "Check /ready and the log of the service: its authorize hook fails, or the session store does not respond.",
    });
  return document.status;
}

/** Statuses of refusals by a rule or a hook. */
const refusals: ReadonlySet<unknown> = new Set([303, 401, 403, 410, 429, 451]);

/** True if the status in a probe means access, even to an image that is missing or cannot be shown. */
export const letsIn = (status: unknown, { options }: Pick<LoginWalk, "options">): boolean =>
  // A hook may refuse with 404 too.
  !refusals.has(status) && !(status === 404 && options.hooked);

/** Sends the request without a login. */
export async function lookAtProbe(walk: LoginWalk): Promise<Outcome> {
  const { visitor, origin, options, profile } = walk;
  const response = await visitor.ask(probeOf(walk), { headers: { Origin: origin } });
  const status = probedStatus(response);
  const faults = [
    letsIn(status, walk) && !isByAddress(walk)
      ? openToAll(`the probe says ${status} to somebody who has not logged in`, walk)
      : undefined,
    ...cachingFaults(response, "the probe", "gated"),
    corsFault(response, "the probe", walk, {
      allowed: options.auth.cors.probe_origins,
      key: "probe_origins",
    }),
    isForeign(walk) ? preflightFault(await askFirst(walk), walk) : undefined,
  ];
  const readable = isForeign(walk) ? `, readable from ${origin}` : "";
  const withHeader = profile.access_service.backend === "header" ? "without the header " : "";
  return { text: `${withHeader}it says ${status}${readable}`, faults: oneOfEach(faults), value: undefined };
}

/** Sends the preflight that browsers send before a token. */
const askFirst = (walk: LoginWalk) =>
  walk.visitor.ask(probeOf(walk), {
    method: "OPTIONS",
    headers: {
      Origin: walk.origin,
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "authorization",
    },
  });

function preflightFault(response: VisitorResponse, walk: LoginWalk): Fault | undefined {
  const allowed = (response.headers.get("Access-Control-Allow-Headers") ?? "").toLowerCase();
  const { probe_origins } = walk.options.auth.cors;
  const origin = corsFault(response, "the preflight of the probe (OPTIONS)", walk, {
    allowed: probe_origins,
    key: "probe_origins",
  });
  if (response.status >= 200 && response.status < 300 && allowed.includes("authorization")) return origin;
  return {
    code: "preflight",
    text: `the preflight of the probe (OPTIONS): ${kindOf(response)}, which does not allow the header Authorization`,
    expected: "status 204 with Access-Control-Allow-Headers: Authorization",
    advice:
      "Configure the proxy to pass OPTIONS requests and their responses on, without a login of its own.",
  };
}

/** Reports that a gated image is available without a login. */
export function openToAll(text: string, { profile, options, target }: LoginWalk): Fault {
  const { access_service: service } = profile;
  const byAddress = target.profiles.some((name) => options.auth.profiles[name]?.pattern === "kiosk")
    ? " If a proxy is in front, name it in trusted_proxies. Otherwise a kiosk that allows the proxy's address admits everybody."
    : "";
  return {
    code: "open_to_all",
    text,
    expected: `that ${target.identifier} needs the profile ${target.profile}`,
    advice:
      service.backend === "header"
        ? `Configure the proxy to send ${service.header} only for readers that it knows.`
        : `Restart the service if it runs with an older configuration; check that no cache in front stores responses for readers who have logged in${options.hooked ? "" : ", and that the proxy adds no Cookie or Authorization"}.${byAddress}`,
  };
}

/** Returns the width to request; undefined if there is no image. */
export async function lookAtInfo(walk: LoginWalk): Promise<Outcome<number | undefined>> {
  const { visitor, origin, base, target } = walk;
  const id = imageAddress(base + mainPrefix[3], target.identifier);
  const response = await visitor.ask(`${id}/info.json`, { headers: { Origin: origin } });
  if (response.status === 404 && jsonOf(response)?.code !== undefined)
    return { text: "there is no such image", faults: [], value: undefined };
  const own = ownProblem(response);
  if (own && ofImage.has(own.code))
    return { text: `the image cannot be shown to anybody: ${own.detail}`, faults: [], value: undefined };
  const document = jsonOf(response);
  if (document && typeof document.id !== "string" && typeof document.code === "string")
    throw new StepFault(unexpectedFault(response, "info.json", "image information, with status 401 or 200"));
  if (!document || typeof document.id !== "string")
    throw new StepFault({
      ...unexpectedFault(response, "info.json", "image information as JSON, with status 401 or 200"),
      ...(response.status === 401 && !isOfProxy(response) && errorReplaced),
    });
  const faults = [
    addressFault("the id of info.json", document.id, id, walk),
    ...serviceFaults(document.service, walk),
    ...cachingFaults(response, "info.json", "gated"),
    corsFault(response, "info.json", walk, { allowed: ["*"] }),
    resourcePolicyFault(response, "info.json", walk),
  ];
  const { width } = document;
  return {
    text: `status ${response.status} with the addresses of the login`,
    faults: oneOfEach(faults),
    value: typeof width === "number" ? Math.min(width, 256) : undefined,
  };
}

/** Errors of one image, which prove nothing about logins. */
const ofImage: ReadonlySet<string> = new Set([
  "source_too_large",
  "memory_budget",
  "unsupported",
  "unsupported_image",
  "unsupported_format",
  "decode",
]);

const errorReplaced = {
  code: "error_replaced",
  advice:
    "The proxy replaces responses of status 401 with its own page; viewers find the login in that response. In nginx remove proxy_intercept_errors and error_page for these paths.",
};

/** A response for the image, and a mark to compare it by. */
export interface ImageProbe {
  readonly response: VisitorResponse;
  readonly mark: string;
}

/** Requests the image at a small size. `width`: from {@link lookAtInfo}. */
export async function lookAtImage(
  walk: LoginWalk,
  width: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<ImageProbe> {
  const image = imageAddress(walk.base + mainPrefix[3], walk.target.identifier);
  const response = await walk.visitor.ask(`${image}/full/${width},/0/default.jpg`, { headers });
  return { response, mark: `${response.status} ${response.headers.get("ETag") ?? response.text}` };
}

/** Requests the image without a login. */
export async function lookAtClosedImage(walk: LoginWalk, width: number): Promise<Outcome<ImageProbe>> {
  const look = await lookAtImage(walk, width);
  const { response } = look;
  const isReduced = walk.profile.substitute.max_size !== "" || walk.options.hooked;
  const faults = [
    response.status === 200 && !isReduced && !isByAddress(walk)
      ? openToAll("somebody who has not logged in gets the image", walk)
      : undefined,
    response.status >= 400 && response.status !== 401 && !walk.options.hooked
      ? unexpectedFault(response, "the image without a login", isReduced ? "status 200" : "status 401")
      : undefined,
    ...(response.status === 200 ? cachingFaults(response, "the image without a login", "gated") : []),
  ];
  const shown = isByAddress(walk) ? "an image" : "a reduced image";
  const text =
    response.status === 200 ? `${shown} without a login` : `status ${response.status} without a login`;
  return { text, faults: oneOfEach(faults), value: look };
}
