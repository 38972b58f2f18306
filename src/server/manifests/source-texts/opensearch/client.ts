// Requests to OpenSearch, within a time and a size, and none for a while after several that failed.

import type { z } from "zod";
import {
  basicCredentials,
  cancelledError,
  createCircuit,
  createSeldom,
  type Env,
  type Log,
  networkReason,
  onAbort,
  parseDuration,
  parseJson,
  readBoundedBody,
  ServiceError,
  secretOf,
  withDeadline,
} from "../../../../base/index.ts";
import { errorResult } from "./documents.ts";
import type { SearchOptions } from "./options.ts";

/** Bytes of the largest response: 10,000 pages with keys of a usual length have about 4 MB. */
const maxResponseBytes = 16 * 2 ** 20;
/** The log says once in this time why searches fail. */
const warnMs = 60_000;

export interface EngineRequest<T> {
  readonly method: "GET" | "HEAD" | "POST" | "PUT";
  /** Below the index, with a slash; empty: the index itself. */
  readonly path: string;
  readonly body?: string;
  readonly type?: "application/json" | "application/x-ndjson";
  readonly result: z.ZodType<T>;
  readonly signal?: AbortSignal | undefined;
}

export interface Engine {
  /**
   * Returns the status and the body of a response; no body with other statuses than 200 and 201, but the type
   * of its error if it has one. Throws `busy` (code search_unavailable), and `cancelled`.
   */
  ask<T>(request: EngineRequest<T>): Promise<EngineResponse<T>>;
  /** Returns the error of a response that was not expected. */
  unusable(reason: string): ServiceError;
}

export type EngineResponse<T> =
  | { readonly status: 200 | 201; readonly body: T }
  | { readonly status: number; readonly body?: undefined; readonly error?: string | undefined };

/** Statuses that say something about the index or the document. */
const expected: ReadonlySet<number> = new Set([200, 201, 400, 404]);

export interface EngineParts {
  readonly env: Env;
  readonly log: Pick<Log, "warn">;
}

/** Throws an Error if the variable of a password or a token is not set. */
export function createEngine(options: SearchOptions, { env, log }: EngineParts): Engine {
  const base = `${options.url.replace(/\/+$/, "")}/${options.index}`;
  const authorization = authorizationOf(options, env);
  const timeoutMs = parseDuration(options.timeout);
  const seldom = createSeldom(warnMs);
  const circuit = createCircuit({
    counts: (error) => error instanceof ServiceError && error.kind === "busy",
  });

  const unusable = (reason: string, cause?: unknown) => {
    if (seldom("failed")) log.warn("OpenSearch cannot be used", { reason });
    return new ServiceError(
      "busy",
      "The text of pages cannot be searched now, since its search engine does not respond as it should. Search again later; names and labels are found as before.",
      { code: "search_unavailable", retryAfter: 30, cause: cause ?? new Error(reason) },
    );
  };

  const exchange = async (
    { method, path, body, type = "application/json" }: EngineRequest<unknown>,
    signal: AbortSignal,
  ) => {
    const response = await fetch(base + path, {
      method,
      headers: {
        Accept: "application/json",
        ...(body !== undefined && { "Content-Type": type }),
        ...(authorization !== undefined && { Authorization: authorization }),
      },
      ...(body !== undefined && { body }),
      signal,
      redirect: "manual", // the credentials are for this server alone
    });
    const { status } = response;
    if (expected.has(status)) return { status, text: await boundedText(response) };
    await response.body?.cancel();
    throw new Error(`it responded with status ${status}${adviceOf(status)}`);
  };

  return {
    unusable,
    ask: <T>(request: EngineRequest<T>) =>
      circuit.run(async (): Promise<EngineResponse<T>> => {
        const { signal, method, result } = request;
        const controller = new AbortController();
        const release = signal && onAbort(signal, () => controller.abort());
        const late = new Error(`it did not respond within ${options.timeout}`);
        try {
          if (signal?.aborted) throw cancelledError(signal);
          const { status, text } = await withDeadline(
            timeoutMs,
            () => exchange(request, controller.signal),
            late,
          );
          return method === "HEAD" ? { status } : readResponse(status, text, result);
        } catch (error) {
          if (signal?.aborted) throw cancelledError(signal);
          const isOwn = error instanceof Error && Object.getPrototypeOf(error) === Error.prototype;
          throw unusable(isOwn ? error.message : `it cannot be reached: ${networkReason(error)}`, error);
        } finally {
          release?.();
          controller.abort();
        }
      }),
  };
}

function authorizationOf({ username, password_env, token_env }: SearchOptions, env: Env): string | undefined {
  if (token_env !== "") return `Bearer ${secretOf(token_env, env)}`;
  return username === "" ? undefined : basicCredentials(username, secretOf(password_env, env));
}

function readResponse<T>(status: number, text: string, result: z.ZodType<T>): EngineResponse<T> {
  const json = jsonOf(text);
  if (status !== 200 && status !== 201)
    return { status, error: errorResult.safeParse(json).data?.error.type };
  const body = result.safeParse(json);
  if (!body.success) throw new Error("its response has not the form that OpenSearch documents");
  return { status, body: body.data };
}

function adviceOf(status: number): string {
  if (status === 401 || status === 403)
    return "; correct the user or the token of search, which has to read, write and create the index";
  return status >= 300 && status < 400 ? ", a redirect, which is not followed; correct search.url" : "";
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text, { withoutPrototypes: true });
  } catch {
    throw new Error("it responded with something other than JSON");
  }
}

/** Returns the body as text; never reads more than a response may have. */
async function boundedText(response: Response): Promise<string> {
  const bytes = await readBoundedBody(response, maxResponseBytes);
  if (!bytes) throw new Error(`it responded with more than ${maxResponseBytes} bytes`);
  return new TextDecoder().decode(bytes);
}
