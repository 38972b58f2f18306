// Requests like a browser's: limited in time and size, and without redirects to other hosts.

import { concatenate, parseUrl, withDeadline } from "../../base/index.ts";
import { type Fault, StepFault } from "./finding.ts";

/** Milliseconds for a complete response to arrive. */
const timeoutMs = 5000;
/** Bytes read of a response. */
const maxBytes = 2 * 1024 * 1024;
const maxRedirects = 5;

export interface VisitorResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly bytes: Uint8Array;
}

export interface Request {
  readonly method?: "GET" | "POST" | "OPTIONS";
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  /**
   * Returns redirects unfollowed. By default those to the same origin are followed, and all others are a
   * fault.
   */
  readonly redirect?: "manual";
}

export interface Visitor {
  /** Rejects with StepFault if there is no response, or a redirect to another origin or in a loop. */
  ask(address: string, request?: Request): Promise<VisitorResponse>;
  /** Milliseconds that the clock of an address's host is ahead of this one; the largest value seen. */
  clockAhead(origin: string): number | undefined;
}

/** Creates a visitor that remembers nothing but clocks. */
export function createVisitor(): Visitor {
  const clocks = new Map<string, number>();

  const requestOnce = async (
    address: string,
    { method = "GET", headers = {}, form }: Request,
  ): Promise<VisitorResponse> => {
    const began = Date.now();
    const response = await fetchBounded(address, {
      method,
      redirect: "manual",
      headers: { "User-Agent": "smalti-doctor", ...headers },
      ...(form && { body: new URLSearchParams(form) }),
    });
    noteClock(clocks, new URL(address).origin, response.headers, (began + Date.now()) / 2);
    return response;
  };

  return {
    clockAhead: (origin) => clocks.get(origin),
    async ask(address, request = {}) {
      const seen = new Set<string>();
      for (let next = address; ; ) {
        const response = await requestOnce(next, request);
        const location = response.headers.get("Location");
        if (
          request.redirect === "manual" ||
          response.status < 300 ||
          response.status > 399 ||
          location === null
        )
          return response;
        seen.add(next);
        const target = redirectTarget(next, location);
        if (seen.has(target.href) || seen.size > maxRedirects) throw new StepFault(circle(address));
        if (target.origin !== new URL(address).origin) throw new StepFault(redirectFault(address, target));
        next = target.href;
      }
    },
  };
}

function redirectTarget(from: string, location: string): URL {
  const target = parseUrl(location, from);
  if (target) return target;
  throw new StepFault({
    code: "redirect",
    text: `${originAndPath(from)} redirects to something that is not an address`,
    expected: "a response from the service",
    advice: "Correct the redirect of the proxy.",
  });
}

const circle = (address: string): Fault => ({
  code: "redirect_loop",
  text: `${originAndPath(address)} redirects in a circle`,
  expected: "a response from the service",
  advice:
    "Remove the redirect of the proxy that leads back to the same address; often it is one to https behind which the next proxy is asked over http, or one that adds or removes a / or a path.",
});

const redirectFault = (address: string, target: URL): Fault => ({
  code: "redirect",
  text: `${originAndPath(address)} redirects to ${target.origin}${target.pathname}`,
  expected: "a response from the service at the address that viewers use",
  advice: `If ${target.origin} is the public address, set base_url to it and give it with --url; else configure the proxy to pass this path on to the service.`,
});

/** Returns an address for display: without its query. */
export const originAndPath = (address: string): string => {
  const { origin, pathname } = new URL(address);
  return origin + pathname;
};

function noteClock(clocks: Map<string, number>, origin: string, headers: Headers, now: number): void {
  const date = Date.parse(headers.get("Date") ?? "");
  if (Number.isNaN(date)) return;
  const ahead = date - now;
  if (Math.abs(ahead) >= Math.abs(clocks.get(origin) ?? 0)) clocks.set(origin, ahead);
}

async function fetchBounded(address: string, init: RequestInit): Promise<VisitorResponse> {
  const controller = new AbortController();
  const late = new StepFault({
    code: "no_answer",
    text: `${originAndPath(address)} did not answer within ${timeoutMs / 1000} s`,
    expected: "an answer",
    advice: "Check that the service and the proxy run, and that no firewall drops the connection.",
  });
  try {
    return await withDeadline(
      timeoutMs,
      async () => readWhole(await fetch(address, { ...init, signal: controller.signal })),
      late,
    );
  } catch (error) {
    if (error instanceof StepFault) throw error;
    throw new StepFault(unreachedFault(address, error), { cause: error });
  } finally {
    controller.abort();
  }
}

async function readWhole(response: Response): Promise<VisitorResponse> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  while (reader && length < maxBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
  }
  await reader?.cancel().catch(() => {});
  const bytes = concatenate(chunks);
  return { status: response.status, headers: response.headers, bytes, text: new TextDecoder().decode(bytes) };
}

/** Codes of OpenSSL and of runtimes for a refused certificate or handshake. */
const ofTls = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|ISSUER/i;

/** Codes and messages of runtimes for a host name without an address. */
const ofName = /ENOTFOUND|EAI_AGAIN|dns error|lookup address/i;

function unreachedFault(address: string, error: unknown): Fault {
  const { code, message = "" } = ((error as { cause?: unknown }).cause ?? error) as {
    code?: string;
    message?: string;
  };
  const reason = shownReason(code ?? message);
  const { host, hostname } = new URL(address);
  if (ofTls.test(code ?? message))
    return {
      code: "certificate",
      text: `${host} has no trusted https connection (${reason})`,
      expected: "a certificate for this host that browsers trust",
      advice:
        "Install a certificate for this host name with its whole chain at the proxy. If it is one of your own, name a file with it in NODE_EXTRA_CA_CERTS, which the doctor trusts.",
    };
  if (ofName.test(code ?? message))
    return {
      code: "unreachable",
      text: `the name ${hostname} cannot be resolved on this machine (${reason})`,
      expected: "an address of that name in the DNS",
      advice:
        "Correct the name in base_url or its entry in the DNS, run the doctor on a machine that can resolve it, or name another address of the service with --url.",
    };
  return {
    code: "unreachable",
    text: `${host} cannot be reached (${reason})`,
    expected: "an answer",
    advice:
      "Start the service and the proxy, and compare host and port with the address that readers use (--url).",
  };
}

const shownReason = (text: string) => text.replace(/\s+/g, " ").slice(0, 120) || "no reason given";
