// Checks that a login gives access, to the probe by its token and to the image by its cookie, and that the
// logout ends it.

import { authFolder, authPaths } from "../../../iiif/index.ts";
import type { Fault } from "../finding.ts";
import { cachingFaults, resourcePolicyFault } from "../responses/headers.ts";
import { unexpectedFault } from "../responses/responses.ts";
import { isByAddress, type LoginWalk, type Outcome, oneOfEach } from "../walk.ts";
import { type ImageProbe, letsIn, lookAtImage, openToAll, probedStatus, probeOf } from "./probe.ts";
import { presentToken } from "./token.ts";

export interface LoginResult {
  readonly cookie: string;
  readonly token?: string | undefined;
  /** The image before the login, and its requested width; absent if there is no image. */
  readonly before?: ImageProbe;
  readonly width?: number;
}

/** Checks the probe and the image after the login. */
export async function useAccess(
  walk: LoginWalk,
  { cookie, token, before, width }: LoginResult,
): Promise<Outcome> {
  const faults = [
    ...(token === undefined ? [] : await presentToken(walk, token)),
    ...(before && width !== undefined ? await imageFaults(walk, cookie, before, width) : []),
  ];
  const seen = [
    token === undefined ? "" : "the probe with the token",
    before ? "the whole image with the cookie" : "",
  ];
  const text = seen.filter((each) => each !== "").join(", ") || "nothing to examine";
  return { text, faults: oneOfEach(faults), value: undefined };
}

async function imageFaults(
  walk: LoginWalk,
  cookie: string,
  before: ImageProbe,
  width: number,
): Promise<readonly (Fault | undefined)[]> {
  const after = await lookAtImage(walk, width, { Cookie: cookie });
  const isOpen = isByAddress(walk) && before.response.status === 200;
  if (isOpen && after.response.status === 200) return cachingFaults(after.response, "the image", "gated");
  if (after.response.status !== 200 || after.mark === before.mark)
    return [
      after.response.status === 200 || after.response.status === 401
        ? {
            code: "image_unchanged",
            text: `with the login cookie the image is the same as before (status ${after.response.status})`,
            expected: "the whole image, status 200",
            advice: [
              "Configure the proxy to pass the Cookie header to the service for images too, and not to cache protected responses: caches for pictures often strip cookies.",
              ...(walk.options.hooked ? ["Or the authorize hook refuses: see smalti hook test."] : []),
            ].join(" "),
          }
        : unexpectedFault(after.response, "the image after the login", "status 200"),
      ...cachingFaults(after.response, "the image after the login", "gated").filter(
        ({ code }) => code === "cached",
      ),
    ];
  const again = await lookAtImage(walk, width);
  return [
    ...cachingFaults(after.response, "the image after the login", "gated"),
    resourcePolicyFault(after.response, "the image", walk),
    again.mark === after.mark
      ? {
          ...openToAll("after somebody has logged in, others get the image without a login", walk),
          code: "cached_for_others",
          advice:
            "A cache in front stores one reader's response and shows it to everybody: make it obey Cache-Control: private, and empty it now.",
        }
      : undefined,
  ];
}

/** Logs out, and checks that this ended the session. */
export async function logOut(walk: LoginWalk, { cookie, token }: LoginResult): Promise<Outcome> {
  const { visitor, base } = walk;
  const response = await visitor.ask(base + authPaths.logout, { headers: { Cookie: cookie } });
  if (response.status !== 200)
    return { text: "", faults: [unexpectedFault(response, "the logout", "status 200")], value: undefined };
  if (token === undefined) return { text: "the session has ended", faults: [], value: undefined };
  const probe = await visitor.ask(probeOf(walk), { headers: { Authorization: `Bearer ${token}` } });
  const faults: Fault[] =
    letsIn(probedStatus(probe), walk) && !isByAddress(walk)
      ? [
          {
            code: "logout",
            text: "a token still gives access after the logout",
            expected: "that the session and its tokens have ended",
            advice: `Configure the proxy to pass the logout on with its cookie, and to cache no responses of paths below ${authFolder}.`,
          },
        ]
      : [];
  return { text: "the session and its token have ended", faults, value: undefined };
}

/** Sends the header that a proxy names readers with, without being that proxy. */
export async function forgeHeader(walk: LoginWalk, header: string): Promise<Outcome> {
  const response = await walk.visitor.ask(probeOf(walk), { headers: { [header]: "smalti-doctor" } });
  const faults: Fault[] = letsIn(probedStatus(response), walk)
    ? [
        {
          code: "header_forged",
          text: `anybody gets access by sending ${header}`,
          expected: `that the proxy removes ${header} from what clients send`,
          advice: `Configure the proxy to set ${header} in every request, empty for readers that it does not know, and make sure nobody can bypass the proxy. If this is the service's own address, give the proxy's address with --url.`,
        },
      ]
    : [];
  return {
    text: `${header} from outside gives no access; a login at the proxy needs a person`,
    faults,
    value: undefined,
  };
}
