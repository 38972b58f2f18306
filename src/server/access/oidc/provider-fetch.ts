// Requests to a provider: over https, limited in time, size and number, without following redirects.

import {
  createCircuit,
  createSemaphore,
  isDeep,
  isLoopbackHost,
  maxJsonLevels,
  networkReason,
  readBoundedBody,
  withDeadline,
} from "../../../base/index.ts";
import { OidcFault } from "./faults.ts";

/** Milliseconds for a complete response to arrive. */
const timeoutMs = 5000;
/** Largest response in bytes: metadata and keys of large providers have 10 to 50 KB. */
export const maxResponseBytes = 512 * 1024;
/** Concurrent requests; further ones are refused, which limits the cost of a hanging provider. */
const maxAtOnce = 32;

/** The parts of a request that the library decides. */
interface ProviderRequest {
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly body?: BodyInit | null | undefined;
}

export type ProviderFetch = (url: string, init: ProviderRequest) => Promise<Response>;

/**
 * Fetches from the provider of an issuer. A provider on this machine may name plain http addresses of this
 * machine; a provider elsewhere may not, so that its metadata cannot reach internal services. Rejects with an
 * OidcFault: `unavailable` if the provider does not respond or its status is above 499, and for a while
 * without asking after several such failures in a row. Rejects with ServiceError `busy` if too many requests
 * wait.
 */
export function createProviderFetch(issuer: string): ProviderFetch {
  const isLocal = isLoopbackHost(new URL(issuer).hostname);
  const circuit = createCircuit({
    counts: (error) => error instanceof OidcFault && error.why === "unavailable",
  });
  const permits = createSemaphore(maxAtOnce, 0);
  return (url, init) => circuit.run(() => permits.run(() => fetchBounded(url, init, isLocal)));
}

async function fetchBounded(
  url: string,
  { method, headers, body }: ProviderRequest,
  isLocal: boolean,
): Promise<Response> {
  const { host, hostname, protocol } = new URL(url);
  if (protocol !== "https:" && !(isLocal && protocol === "http:" && isLoopbackHost(hostname)))
    throw new OidcFault("misconfigured", `expected https at ${host}, which the provider names`);
  const controller = new AbortController();
  const late = new OidcFault("unavailable", `${host} did not answer within ${timeoutMs / 1000} s`);
  try {
    return await withDeadline(
      timeoutMs,
      async () => {
        const response = await fetch(url, {
          redirect: "manual",
          signal: controller.signal,
          ...(method !== undefined && { method }),
          ...(headers !== undefined && { headers }),
          ...(body != null && { body }),
        });
        return await readWhole(response, host);
      },
      late,
    );
  } catch (error) {
    if (error instanceof OidcFault) throw error;
    throw new OidcFault("unavailable", `${host} cannot be reached: ${networkReason(error)}`, {
      cause: error,
    });
  } finally {
    controller.abort();
  }
}

/** Returns a response with its body read. */
async function readWhole(response: Response, host: string): Promise<Response> {
  const { status } = response;
  if (status >= 300 && status < 400)
    throw new OidcFault(
      "misconfigured",
      `${host} answered with a redirect (status ${status}), which is not followed; correct issuer`,
    );
  if (status >= 500 || status === 429)
    throw new OidcFault("unavailable", `${host} answered with status ${status}`);
  const bytes = await readBoundedBody(response, maxResponseBytes);
  if (!bytes)
    throw new OidcFault("misconfigured", `${host} answered with more than ${maxResponseBytes} bytes`);
  if (isDeep(new TextDecoder().decode(bytes)))
    throw new OidcFault("misconfigured", `${host} answered with more than ${maxJsonLevels} levels of JSON`);
  const headers = new Headers();
  for (const name of ["Content-Type", "WWW-Authenticate"]) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Response(status === 204 ? null : bytes, { status, headers: headers });
}
