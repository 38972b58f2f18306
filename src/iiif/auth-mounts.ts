// The paths of the authorization services (Authorization Flow 2.0, Authentication 1.0), which no other file
// spells out.

import { encodeIdentifier } from "./image/path.ts";

/** Common prefix of the paths of all services. */
export const authFolder = "/iiif/auth/";

/** Paths by service; those of probe, logins and callback are followed by an identifier or a profile. */
export const authPaths = {
  probe: `${authFolder}probe/`,
  login: `${authFolder}login/`,
  token: `${authFolder}token`,
  logout: `${authFolder}logout`,
  callback: `${authFolder}callback/`,
  login1: `${authFolder}v1/login/`,
  token1: `${authFolder}v1/token`,
  logout1: `${authFolder}v1/logout`,
} as const;

/** Returns the address of an image's probe; `base`: the public URL of the service, without a trailing /. */
export function probeAddress(base: string, identifier: string): string {
  return base + authPaths.probe + encodeIdentifier(identifier);
}

/** Returns the address of a profile's login, for either protocol. */
export function loginAddress(base: string, profile: string, protocol: 1 | 2): string {
  return base + authPaths[protocol === 2 ? "login" : "login1"] + encodeURIComponent(profile);
}

/** Returns the address that a reader returns to from a login elsewhere. */
export function callbackAddress(base: string, profile: string): string {
  return base + authPaths.callback + encodeURIComponent(profile);
}
