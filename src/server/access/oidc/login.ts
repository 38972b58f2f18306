// Logins by OpenID Connect (Core 1.0, section 3.1): the authorization code flow with PKCE, state and nonce.

import { compactVerify } from "jose";
import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  type Client,
  ClientSecretBasic,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  clockTolerance,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  type IDToken,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from "oauth4webapi";
import { type Env, isSafeTransport, parseUrl, secretOf } from "../../../base/index.ts";
import { createPendingLogins, type PendingLogin, type PendingLogins } from "../logins/pending.ts";
import { isUserName } from "../logins/user-name.ts";
import type { ProfileOptions } from "../profiles/options.ts";
import { faultOf, OidcFault } from "./faults.ts";
import { createProvider, type ProviderHost } from "./provider.ts";

export type OidcOptions = Extract<ProfileOptions["access_service"], { readonly backend: "oidc" }>;

/** Tolerated difference in seconds between the clocks of provider and service. */
const clockToleranceSeconds = 60;

/** Signature algorithms with keys that the provider publishes (RFC 7518, section 3.1; RFC 9864). */
const algorithms = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

export interface OidcLogin {
  readonly pending: PendingLogins;
  /** Values that vouch for its users; a change of any ends their logins. */
  readonly restsOn: readonly string[];
  /**
   * Begins a login: returns where to send the reader, and the state to keep until they return. Rejects with
   * an OidcFault.
   */
  begin(
    callback: string,
    returnTo: string,
  ): Promise<{ readonly address: string; readonly login: PendingLogin }>;
  /** Returns the user who came back to `callback` with `query`. Rejects with an OidcFault. */
  finish(callback: string, query: URLSearchParams, login: PendingLogin): Promise<string>;
  /** Resolves if the provider responds; rejects with the reason if it does not. */
  check(): Promise<void>;
}

/**
 * Creates the login of a profile; the provider is contacted on demand. Throws an Error that names a missing
 * variable.
 */
export function createOidcLogin(
  profile: string,
  options: OidcOptions,
  env: Env,
  host?: ProviderHost,
): OidcLogin {
  const { client_id, scopes, user_claim } = options;
  const secret = secretOf(options.client_secret_env, env);
  const provider = createProvider(options.issuer, host);
  const client: Client = { client_id, [clockTolerance]: clockToleranceSeconds };

  return {
    pending: createPendingLogins(secret, profile),
    restsOn: [options.issuer, client_id, user_claim],
    check: () => provider.check(),
    async begin(callback, returnTo) {
      const page = authorizationPage(await provider.metadata());
      const verifier = generateRandomCodeVerifier();
      const login = { returnTo, verifier, state: generateRandomState(), nonce: generateRandomNonce() };
      const parameters = {
        response_type: "code",
        client_id,
        redirect_uri: callback,
        scope: scopes.join(" "),
        state: login.state,
        nonce: login.nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      };
      for (const [name, value] of Object.entries(parameters)) page.searchParams.set(name, value);
      return { address: page.href, login };
    },
    async finish(callback, query, { state, nonce, verifier }) {
      try {
        if (!state || !nonce || !verifier)
          throw new OidcFault("unconfirmed", "the login was not started here");
        const metadata = await provider.metadata();
        const found = validateAuthResponse(metadata, client, query, state);
        const response = await authorizationCodeGrantRequest(
          metadata,
          client,
          clientSecret(metadata, secret),
          found,
          callback,
          verifier,
          provider.requests,
        );
        const tokens = await processAuthorizationCodeResponse(metadata, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        await compactVerify(tokens.id_token as string, provider.keysOf(metadata), { algorithms });
        const claims = getValidatedIdTokenClaims(tokens);
        if (claims && claims.iat > Date.now() / 1000 + clockToleranceSeconds)
          throw new OidcFault("unconfirmed", "the ID token was issued in the future; compare the clocks");
        return userOf(claims, user_claim);
      } catch (error) {
        throw faultOf(error);
      }
    },
  };
}

function authorizationPage({ authorization_endpoint: text }: AuthorizationServer): URL {
  const page = typeof text === "string" ? parseUrl(text) : undefined;
  if (!page || !isSafeTransport(page))
    throw new OidcFault("misconfigured", "the provider names no authorization_endpoint with https");
  return page;
}

/**
 * Chooses how to send the secret: by the method that all providers support, unless this one lists only
 * others.
 */
function clientSecret(
  { token_endpoint_auth_methods_supported: methods }: AuthorizationServer,
  secret: string,
) {
  const isPost =
    Array.isArray(methods) &&
    !methods.includes("client_secret_basic") &&
    methods.includes("client_secret_post");
  return isPost ? ClientSecretPost(secret) : ClientSecretBasic(secret);
}

function userOf(claims: IDToken | undefined, name: string): string {
  const value = claims && Object.hasOwn(claims, name) ? claims[name] : undefined;
  const user = typeof value === "number" ? String(value) : value;
  if (typeof user !== "string")
    throw new OidcFault(
      "misconfigured",
      `the ID token has no claim ${name} that is text; correct user_claim or scopes, or add the claim at the provider`,
    );
  if (!isUserName(user))
    throw new OidcFault(
      "misconfigured",
      `expected a claim ${name} of 1 to 256 characters without control characters`,
    );
  return user;
}
