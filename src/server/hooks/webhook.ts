// The engine `webhook`: each call is a signed POST of JSON to an operator's service.

import { z } from "zod";
import {
  basicCredentials,
  type CircuitOptions,
  createCircuit,
  createLru,
  createSemaphore,
  durationOption,
  JsonTooDeep,
  networkReason,
  onAbort,
  type Platform,
  parseDuration,
  parseJson,
  parseUrl,
  readBoundedBody,
  secretOf,
  type TraceHeaders,
  toHex,
  withDeadline,
} from "../../base/index.ts";
import { type HookEngine, HookError, type HookFunction, hookFunctions } from "./hook.ts";
import { checkResult } from "./results.ts";

const urlForm = "expected an http or https URL without fragment, such as https://hooks.example.org/smalti";

const isUrl = (text: string) =>
  text === "" || (/^https?:\/\/[^/]/i.test(text) && parseUrl(text) !== undefined && !text.includes("#"));

/** Schema of `hook.webhook`. */
export const webhookOptions = z.strictObject({
  url: z.string({ error: urlForm }).refine(isUrl, { error: urlForm }).default("").meta({
    description:
      "URL that the service posts requests to; it may be inside your network. The service sends a user name and password in it as basic authentication.",
    edit: "restart",
  }),
  functions: z
    .array(z.enum(hookFunctions))
    .min(1, "expected at least one of resolve, authorize, presentation and overlay")
    .default([...hookFunctions])
    .meta({
      description:
        "The hooks that the web service implements. Each of them adds a request wherever it applies, and `authorize` makes all responses private.",
      edit: "restart",
    }),
  timeout: durationOption
    .refine((text) => parseDuration(text) > 0, { error: "expected more than 0" })
    .default("2s")
    .meta({
      description: "How long the whole response may take, including a second attempt.",
      edit: "restart",
    }),
  secret_env: z.string().default("").meta({
    description:
      "Environment variable that holds the secret of `X-Signature`: HMAC-SHA256 over `X-Timestamp`, a dot and the body, in hexadecimal.",
    edit: "restart",
  }),
  ttl: durationOption.default("0s").meta({
    description:
      "How long the service reuses a result for the same input, which includes the request path and headers. 0s: it asks each time.",
    edit: "restart",
  }),
});

export type WebhookOptions = z.output<typeof webhookOptions>;

/** Largest response in bytes. */
export const maxResponseBytes = 64 * 1024;
/** Total bytes of cached inputs and results. */
const maxCacheBytes = 8 * 2 ** 20;
/** Maximum concurrent and waiting calls. */
export const maxAtOnce = { asked: 128, waiting: 1024 } as const;
/** Milliseconds before the second attempt. */
const retryPauseMs = 50;
/** Statuses of a proxy, or of a service that is just starting. */
const passing: ReadonlySet<number> = new Set([502, 503, 504]);

/** The service failed independently of the input; this counts for the circuit breaker. */
class Unavailable extends HookError {}

interface WebhookResponse {
  readonly status: number;
  readonly text: string;
}

/** Throws an Error that names the faulty key of the options. */
export function createWebhookEngine(
  options: WebhookOptions,
  { env }: Pick<Platform, "env">,
  circuitOptions: Omit<CircuitOptions, "counts"> = {},
): HookEngine {
  if (options.url === "") throw new Error(`hook.webhook.url: ${urlForm}`);
  const target = targetOf(options.url);
  const secret = options.secret_env === "" ? undefined : secretOf(options.secret_env, env);
  const [timeoutMs, ttlMs] = [parseDuration(options.timeout), parseDuration(options.ttl)];
  const functions: ReadonlySet<HookFunction> = new Set(options.functions);
  const circuit = createCircuit({ ...circuitOptions, counts: (error) => error instanceof Unavailable });
  const cache = createLru<string, { readonly text: string; readonly until: number }>(maxCacheBytes);

  const exchange = async (
    body: string,
    signal: AbortSignal,
    traceHeaders?: TraceHeaders,
  ): Promise<WebhookResponse> => {
    const headers = { ...target.headers, ...traceHeaders, ...(await signature(secret, body)) };
    const response = await fetch(target.url, { method: "POST", headers, body, signal, redirect: "manual" });
    return { status: response.status, text: await boundedText(response) };
  };

  /** Retries once without a connection, or after a transient status. */
  const twice = async (
    body: string,
    signal: AbortSignal,
    traceHeaders?: TraceHeaders,
  ): Promise<WebhookResponse> => {
    const exchangeAgain = async () => {
      await new Promise((resolve) => setTimeout(resolve, retryPauseMs));
      signal.throwIfAborted();
      return exchange(body, signal, traceHeaders);
    };
    let first: WebhookResponse;
    try {
      first = await exchange(body, signal, traceHeaders);
    } catch (error) {
      if (signal.aborted || error instanceof HookError) throw error;
      return exchangeAgain();
    }
    return passing.has(first.status) ? exchangeAgain() : first;
  };

  const ask = async (
    body: string,
    signal: AbortSignal | undefined,
    traceHeaders?: TraceHeaders,
  ): Promise<WebhookResponse> => {
    const controller = new AbortController();
    const release = signal && onAbort(signal, () => controller.abort());
    const late = new Unavailable(`the webhook did not respond within ${options.timeout}`);
    try {
      signal?.throwIfAborted();
      const response = await withDeadline(
        timeoutMs,
        () => twice(body, controller.signal, traceHeaders),
        late,
      );
      if (response.status >= 500)
        throw new Unavailable(`the webhook responded with status ${response.status}`);
      return response;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof HookError) throw error;
      throw new Unavailable(`the webhook cannot be reached: ${networkReason(error)}`, { cause: error });
    } finally {
      release?.();
      controller.abort();
    }
  };

  const turns = createSemaphore(maxAtOnce.asked);
  /**
   * Waits for a permit for as long as a response may take, and returns a function that releases it. An
   * overloaded service is not slowed further by more clients.
   */
  const turn = async (signal: AbortSignal | undefined): Promise<() => void> => {
    if (turns.waiting >= maxAtOnce.waiting)
      throw new HookError(`${turns.waiting} requests to the webhook are already waiting`);
    const controller = new AbortController();
    const release = signal && onAbort(signal, () => controller.abort());
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      return await turns.acquire({ signal: controller.signal });
    } catch {
      if (signal?.aborted) throw signal.reason;
      throw new HookError(
        `a question waited ${options.timeout} for others to finish: the webhook gets more requests than it can handle`,
      );
    } finally {
      clearTimeout(timer);
      release?.();
    }
  };

  return {
    name: "webhook",
    neededFor: "answers",
    has: (name) => functions.has(name),
    async call(name, input, signal, traceHeaders) {
      if (!functions.has(name)) return undefined;
      const body = JSON.stringify({ function: name, input });
      const known = ttlMs > 0 ? cache.get(body) : undefined;
      if (known && performance.now() < known.until) return parse(known.text);
      const done = await turn(signal);
      const { status, text } = await circuit.run(() => ask(body, signal, traceHeaders)).finally(done);
      const result = resultOf(status, text);
      if (ttlMs > 0) {
        checkResult(name, result); // an unusable response is requested again
        cache.set(body, { text, until: performance.now() + ttlMs }, body.length + text.length);
      }
      return result;
    },
    async check() {
      if (circuit.isPausing())
        throw new Error(
          "the webhook failed several times in a row and is not asked for a moment. Check its log.",
        );
    },
    close: async () => {},
  };
}

/** Returns the URL for fetch, without user information, which becomes a header. */
function targetOf(text: string): { readonly url: string; readonly headers: Record<string, string> } {
  const url = new URL(text);
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    Accept: "application/json",
  };
  if (url.username !== "" || url.password !== "") {
    headers.Authorization = basicCredentials(
      decodeURIComponent(url.username),
      decodeURIComponent(url.password),
    );
    url.username = "";
    url.password = "";
  }
  return { url: url.href, headers };
}

/** Returns the time, and with a secret a signature over time and body, so that neither can be replaced. */
async function signature(secret: string | undefined, body: string): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  if (secret === undefined) return { "X-Timestamp": timestamp };
  const encoder = new TextEncoder();
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const signed = await crypto.subtle.sign("HMAC", key, encoder.encode(`${timestamp}.${body}`));
  return { "X-Timestamp": timestamp, "X-Signature": toHex(new Uint8Array(signed)) };
}

/** Returns the body as text; never reads more than a response may have. */
async function boundedText(response: Response): Promise<string> {
  const bytes = await readBoundedBody(response, maxResponseBytes);
  if (!bytes) throw new HookError(`the webhook responded with more than ${maxResponseBytes} bytes`);
  return new TextDecoder().decode(bytes);
}

function resultOf(status: number, text: string): unknown {
  if (status === 204) return undefined;
  if (status >= 300 && status < 400)
    throw new HookError(
      `the webhook responded with a redirect (status ${status}), which is not followed; correct hook.webhook.url`,
    );
  if (status !== 200) throw new HookError(`the webhook responded with status ${status}`);
  return parse(text);
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return parseJson(text, { withoutPrototypes: true });
  } catch (error) {
    if (error instanceof JsonTooDeep) throw new HookError(`the webhook's response: ${error.message}`);
    throw new HookError("the webhook responded with something other than JSON", { cause: error });
  }
}
