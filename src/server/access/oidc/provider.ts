// A provider's metadata (OpenID Connect Discovery 1.0) and keys, cached for a while.

import { createRemoteJWKSet, type JWTVerifyGetKey, customFetch as keysFetch } from "jose";
import {
  type AuthorizationServer,
  allowInsecureRequests,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from "oauth4webapi";
import { createSingleFlight, parseUrl } from "../../../base/index.ts";
import { faultOf, OidcFault } from "./faults.ts";
import { createProviderFetch, type ProviderFetch } from "./provider-fetch.ts";

/** Milliseconds for which metadata are used without asking again. */
const freshMs = 3_600_000;
/** Milliseconds for which metadata are used while the provider does not respond. */
const staleMs = 24 * freshMs;
/** Milliseconds for which keys are used without asking again. */
const keysFreshMs = 600_000;
/** Minimum milliseconds between requests for an unknown key. */
const keysPauseMs = 5000;
/** Milliseconds for which a check of the service is content with metadata in memory. */
const checkedMs = 60_000;

/** How the library makes requests. {@link createProviderFetch} checks the transport. */
export interface RequestOptions {
  readonly [customFetch]: ProviderFetch;
  readonly [allowInsecureRequests]: true;
}

export interface Provider {
  /** Returns the provider's metadata. Rejects with an OidcFault. */
  metadata(): Promise<AuthorizationServer>;
  /** Returns a function that finds the key of a signature. */
  keysOf(metadata: AuthorizationServer): JWTVerifyGetKey;
  readonly requests: RequestOptions;
  /** Resolves if the provider responds, or has responded within the last minute. Rejects with the reason. */
  check(): Promise<void>;
}

export interface ProviderHost {
  /** True if no request may wait for I/O that another request began (workerd). */
  readonly connectionsEndWithRequest?: boolean;
}

/** Creates the provider of an issuer without contacting it. */
export function createProvider(
  issuer: string,
  { connectionsEndWithRequest = false }: ProviderHost = {},
): Provider {
  const fetch = createProviderFetch(issuer);
  const requests: RequestOptions = { [customFetch]: fetch, [allowInsecureRequests]: true };
  const flights = createSingleFlight<AuthorizationServer>();
  let cached: { readonly metadata: AuthorizationServer; readonly at: number } | undefined;
  let keys: { readonly uri: string; readonly find: JWTVerifyGetKey } | undefined;

  const requestMetadata = async (): Promise<AuthorizationServer> => {
    try {
      const url = new URL(issuer);
      const metadata = await processDiscoveryResponse(url, await discoveryRequest(url, requests));
      cached = { metadata, at: performance.now() };
      return metadata;
    } catch (error) {
      throw discoveryFault(error);
    }
  };
  const askOnce = () =>
    connectionsEndWithRequest ? requestMetadata() : flights.run("metadata", requestMetadata);
  const metadataYoungerThan = (ms: number) =>
    cached && performance.now() - cached.at < ms ? cached.metadata : undefined;

  return {
    requests,
    async metadata() {
      const fresh = metadataYoungerThan(freshMs);
      if (fresh) return fresh;
      try {
        return await askOnce();
      } catch (error) {
        const stale = metadataYoungerThan(staleMs);
        if (stale) return stale;
        throw error;
      }
    },
    keysOf({ jwks_uri: uri }) {
      const url = typeof uri === "string" ? parseUrl(uri) : undefined;
      if (uri === undefined || !url) throw new OidcFault("misconfigured", "the provider names no jwks_uri");
      if (keys?.uri !== uri) {
        const options = {
          [keysFetch]: fetch,
          cacheMaxAge: keysFreshMs,
          cooldownDuration: keysPauseMs,
        };
        keys = { uri, find: createRemoteJWKSet(url, options) };
      }
      return keys.find;
    },
    async check() {
      if (!metadataYoungerThan(checkedMs)) await askOnce();
    },
  };
}

/** Describes what is wrong with the metadata, naming the key to correct. */
function discoveryFault(error: unknown): OidcFault {
  const fault = faultOf(error);
  const cause = { cause: error };
  const { code, cause: found } = error as { code?: string; cause?: { body?: { issuer?: unknown } } };
  if (code === "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED") {
    const named = JSON.stringify(found?.body?.issuer)?.slice(0, 200);
    return new OidcFault("misconfigured", `the provider calls itself ${named}; write that as issuer`, cause);
  }
  if (fault.why === "unavailable" || fault === error) return fault;
  return new OidcFault(
    "misconfigured",
    "there is no OpenID Connect metadata at .well-known/openid-configuration below issuer",
    cause,
  );
}
