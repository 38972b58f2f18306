// Messages of the token services (Authorization Flow 2.0, section 4; Authentication 1.0, section 2.3).

import { parseUrl } from "../base/index.ts";
import { type SaidFault, type TextLanguage, tokenTexts } from "./auth-token-texts.ts";
import { authContextUri } from "./image/info.ts";

/**
 * The challenge of a refused image (RFC 9110, section 11.6.1; RFC 6750, section 3): a token of the token
 * services. Unlike for a password, browsers show no dialog for it.
 */
export const imageChallenge = 'Bearer realm="images"';

/** Faults with their names in either version, and the status of a response that is no message. */
export const tokenFaults = {
  request: { profile: "invalidRequest", error: "invalidRequest", status: 400 },
  origin: { profile: "invalidOrigin", error: "invalidOrigin", status: 400 },
  missing: { profile: "missingAspect", error: "missingCredentials", status: 401 },
  /** The only login is to a kiosk, which does not count at the client's address. */
  away: { profile: "missingAspect", error: "missingCredentials", status: 401 },
  invalid: { profile: "invalidAspect", error: "invalidCredentials", status: 401 },
  expired: { profile: "expiredAspect", error: "invalidCredentials", status: 401 },
  unavailable: { profile: "unavailable", error: "unavailable", status: 503 },
} as const satisfies Readonly<Record<SaidFault, object>>;

export type TokenFault = keyof typeof tokenFaults;

/** Result of a token request. */
export type TokenOutcome =
  | { readonly token: string; readonly expiresIn: number }
  | { readonly fault: TokenFault };

/** What a message repeats or names of its request. */
export interface TokenRequest {
  /** Without it, version 1 has no such key. */
  readonly messageId?: string | undefined;
  /** Address of this service's own viewer, if it has one. */
  readonly view?: string | undefined;
  /** Language of the reader, English by default. */
  readonly language?: TextLanguage;
}

/**
 * Returns the document of an outcome. `expiresIn` is in whole seconds. Errors say what is wrong and what to
 * do: in 2.0 in all languages, in 1.0 in that of the reader.
 */
export function tokenDocument(
  version: 1 | 2,
  outcome: TokenOutcome,
  { messageId, view, language = "en" }: TokenRequest = {},
): object {
  const echo = messageId === undefined ? {} : { messageId };
  const context = version === 2 ? { "@context": authContextUri } : {};
  if (!("fault" in outcome)) {
    const { token: accessToken, expiresIn } = outcome;
    return {
      ...context,
      ...(version === 2 && { type: "AuthAccessToken2" }),
      accessToken,
      expiresIn,
      ...echo,
    };
  }
  const { profile, error } = tokenFaults[outcome.fault];
  const { heading, note } = tokenTexts(outcome.fault, view, language);
  if (version === 1) return { error, description: note[language]?.[0], ...echo };
  return { ...context, type: "AuthAccessTokenError2", profile, ...echo, heading, note };
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
