// Keeps the credentials of a role, and renews them before they expire.

import { createSingleFlight, type KeepAlive } from "../../concurrency/single-flight.ts";
import { CredentialsError, type CredentialsProvider, type RoleCredentials } from "./credentials.ts";

/** Credentials are renewed when they have less than this left, or less than half of their time. */
const renewMs = 10 * 60_000;
/** Milliseconds after a failure during which nothing is fetched. */
const pauseMs = 5_000;
/** Milliseconds after a renewal during which another refusal does not lead to one more. */
const pointlessMs = 10_000;

interface Held {
  readonly credentials: RoleCredentials;
  readonly since: number;
}

export interface RenewedOptions {
  /** Fetches credentials. Throws CredentialsError. */
  readonly fetch: () => Promise<RoleCredentials>;
  readonly keepAlive?: KeepAlive | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Creates a provider, without a request. Simultaneous callers share one fetch. Nobody waits for a renewal as
 * long as the present credentials are valid, and they stay if it fails.
 */
export function renewedCredentials({
  fetch,
  keepAlive,
  now = Date.now,
}: RenewedOptions): CredentialsProvider {
  let held: Held | undefined;
  let failure: { readonly error: unknown; readonly until: number } | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;
  const fetches = createSingleFlight<RoleCredentials>(keepAlive);

  const leftMs = ({ credentials }: Held) => (credentials.expiresAt ?? Number.POSITIVE_INFINITY) - now();
  const isDue = (one: Held) => {
    const whole = (one.credentials.expiresAt ?? Number.POSITIVE_INFINITY) - one.since;
    return leftMs(one) < Math.min(renewMs, whole / 2);
  };

  const fetchOnce = (): Promise<RoleCredentials> => {
    if (failure && now() < failure.until) return Promise.reject(failure.error);
    return fetches.run("", async () => {
      try {
        const credentials = await fetch();
        const fresh = { credentials, since: now() };
        if (leftMs(fresh) <= 0)
          throw new CredentialsError(
            "The credentials of the role have expired already. Set the clock of this machine.",
          );
        held = fresh;
        failure = undefined;
        return credentials;
      } catch (error) {
        failure = { error, until: now() + pauseMs };
        throw error;
      }
    });
  };

  return {
    async get() {
      if (!held || leftMs(held) <= 0) return fetchOnce();
      if (isDue(held)) fetchOnce().catch(() => {}); // a caller after the end gets the error
      return held.credentials;
    },
    async renew(refused) {
      if (held && held.credentials !== refused) return held.credentials;
      if (now() - renewedAt < pointlessMs) return undefined;
      const fresh = await fetchOnce();
      renewedAt = now();
      return fresh;
    },
  };
}
