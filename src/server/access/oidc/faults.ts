// Reasons why a login by OpenID Connect failed: in four kinds for the reader, and in detail for the operator.

import { errors } from "jose";
import {
  AuthorizationResponseError,
  OperationProcessingError,
  ResponseBodyError,
  WWWAuthenticateChallengeError,
} from "oauth4webapi";
import { messageOf, ServiceError } from "../../../base/index.ts";

/**
 * `denied`: the reader or the provider refused. `unconfirmed`: the callback proves nothing. `unavailable`:
 * the provider does not respond. `misconfigured`: its responses are unusable, so that nobody can log in.
 */
export type OidcFailure = "denied" | "unconfirmed" | "unavailable" | "misconfigured";

/** Its message is for the operator and contains no code, token or secret. */
export class OidcFault extends Error {
  readonly why: OidcFailure;

  constructor(why: OidcFailure, reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.name = "OidcFault";
    this.why = why;
  }
}

/**
 * Errors named by a provider (RFC 6749, sections 4.1.2.1 and 5.2; OpenID Connect Core 1.0, section 3.1.2.6);
 * others count as misconfigured.
 */
const named: Readonly<Record<string, OidcFailure>> = {
  access_denied: "denied",
  login_required: "unconfirmed",
  interaction_required: "unconfirmed",
  consent_required: "unconfirmed",
  account_selection_required: "unconfirmed",
  invalid_grant: "unconfirmed",
  temporarily_unavailable: "unavailable",
  server_error: "unavailable",
};

const hints: Readonly<Record<string, string>> = {
  invalid_client: "; check that client_id and the secret in client_secret_env match those at the provider",
  unauthorized_client: "; allow the authorization code flow for this client at the provider",
  invalid_scope: "; correct scopes",
};

function namedFault(error: string, cause: unknown): OidcFault {
  const code = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(error) ? error : "another one";
  const why = Object.hasOwn(named, code) ? (named[code] as OidcFailure) : "misconfigured";
  const hint = Object.hasOwn(hints, code) ? hints[code] : "";
  return new OidcFault(why, `the provider answered with the error ${code}${hint}`, { cause });
}

/** Error codes of the libraries that do not mean `misconfigured`. */
const unconfirmed: ReadonlySet<string> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "ERR_JWS_SIGNATURE_VERIFICATION_FAILED",
  "ERR_JWKS_NO_MATCHING_KEY",
  "ERR_JWS_INVALID",
]);

/** Converts any error of a login to a fault. */
export function faultOf(error: unknown): OidcFault {
  if (error instanceof OidcFault) return error;
  const cause = { cause: error };
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return namedFault(error.error, error);
  if (error instanceof WWWAuthenticateChallengeError) return namedFault("invalid_client", error);
  if (error instanceof ServiceError && error.kind === "busy")
    return new OidcFault("unavailable", "too many logins are waiting for the provider", cause);
  const message = messageOf(error);
  const code =
    error instanceof OperationProcessingError || error instanceof errors.JOSEError ? error.code : undefined;
  if (code === "ERR_JOSE_GENERIC")
    return new OidcFault("unavailable", `the keys of the provider could not be read: ${message}`, cause);
  return new OidcFault(code && unconfirmed.has(code) ? "unconfirmed" : "misconfigured", message, cause);
}
