// Messages of the token services (Authorization Flow 2.0, section 3.3; Authentication 1.0, section 2.3).

import { parseUrl } from "../lib/network/parse-url.ts";
import { authContextUri } from "./image/info.ts";

/**
 * The challenge of a refused image (RFC 9110, section 11.6.1; RFC 6750, section 3): a token of the token
 * services. Unlike for a password, browsers show no dialog for it.
 */
export const imageChallenge = 'Bearer realm="images"';

/** Faults with their names in either version, and the status of a response that is no message. */
export const tokenFaults = {
  request: {
    profile: "invalidRequest",
    error: "invalidRequest",
    status: 400,
    description: "Expected one messageId and one origin; received something else.",
  },
  origin: {
    profile: "invalidOrigin",
    error: "invalidOrigin",
    status: 400,
    description: "Pages of this origin get no tokens here. The operator may allow it.",
  },
  missing: {
    profile: "missingAspect",
    error: "missingCredentials",
    status: 401,
    description: "No session came with the request. Log in, and let the browser send cookies of this site.",
  },
  away: {
    profile: "missingAspect",
    error: "missingCredentials",
    status: 401,
    description:
      "The session of the request counts only at certain network addresses, such as those of a reading room, and the request came from another one. Ask again from there.",
  },
  invalid: {
    profile: "invalidAspect",
    error: "invalidCredentials",
    status: 401,
    description: "The session of the request is not one of this service. Log in again.",
  },
  expired: {
    profile: "expiredAspect",
    error: "invalidCredentials",
    status: 401,
    description: "The session of the request has ended. Log in again.",
  },
  unavailable: {
    profile: "unavailable",
    error: "unavailable",
    status: 503,
    description: "Sessions cannot be looked up at the moment. Try again shortly.",
  },
} as const;

export type TokenFault = keyof typeof tokenFaults;

/** Result of a token request. */
export type TokenOutcome =
  | { readonly token: string; readonly expiresIn: number }
  | { readonly fault: TokenFault };

/**
 * Returns the document of an outcome. `expiresIn` is in whole seconds; without `messageId` version 1 has no
 * such key.
 */
export function tokenDocument(version: 1 | 2, outcome: TokenOutcome, messageId?: string): object {
  const echo = messageId === undefined ? {} : { messageId };
  if (version === 1) {
    if (!("fault" in outcome)) return { accessToken: outcome.token, expiresIn: outcome.expiresIn, ...echo };
    const { error, description } = tokenFaults[outcome.fault];
    return { error, description, ...echo };
  }
  const context = { "@context": authContextUri };
  if ("fault" in outcome)
    return {
      ...context,
      type: "AuthAccessTokenError2",
      profile: tokenFaults[outcome.fault].profile,
      ...echo,
    };
  return {
    ...context,
    type: "AuthAccessToken2",
    accessToken: outcome.token,
    expiresIn: outcome.expiresIn,
    ...echo,
  };
}

/**
 * True for an origin as browsers write it (RFC 6454, section 6.2) and policies may contain it; `null` is not
 * one.
 */
export function isWebOrigin(text: string): boolean {
  return /^https?:\/\/[\w.:[\]-]+$/.test(text) && parseUrl(text)?.origin === text;
}

/** Returns a value as JSON that cannot end a script element or a line in it. */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
