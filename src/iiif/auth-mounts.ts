// The paths of the authorization services (Authorization Flow 2.0, Authentication 1.0). No other file spells them.

import { encodeIdentifier } from "./image/path.ts";

/** What the paths of all services begin with. */
const common = "/iiif/auth/";

/** Paths by service; those of probe, logins and callback go on with an identifier or a profile. */
export const authPaths = {
  probe: `${common}probe/`,
  login: `${common}login/`,
  token: `${common}token`,
  logout: `${common}logout`,
  callback: `${common}callback/`,
  login1: `${common}v1/login/`,
  token1: `${common}v1/token`,
  logout1: `${common}v1/logout`,
} as const;

/** Address of the probe of an image; `base`: the public URL of the service, without a / at its end. */
export function probeAddress(base: string, identifier: string): string {
  return base + authPaths.probe + encodeIdentifier(identifier);
}

/** Address of the login of a profile, for either protocol. */
export function loginAddress(base: string, profile: string, protocol: 1 | 2): string {
  return base + authPaths[protocol === 2 ? "login" : "login1"] + encodeURIComponent(profile);
}
