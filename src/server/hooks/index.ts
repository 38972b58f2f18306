// The hooks of a service: builds the engine, and calls each function. A failing hook is never ignored.

import {
  type Check,
  cancelledError,
  type Finding,
  type Log,
  maskIdentifier,
  type Platform,
  ServiceError,
  type TraceContext,
  type TraceHeaders,
} from "../../base/index.ts";
import {
  type Authorization,
  type HookEngine,
  HookError,
  type HookFunction,
  type PresentationInput,
  type RequestInput,
  type Resolution,
  type TableRow,
} from "./hook.ts";
import { createJsEngine } from "./js/engine.ts";
import { createLookupEngine, type RowNaming } from "./lookup.ts";
import type { HookOptions } from "./options.ts";
import { checkResult, type HookResults } from "./results.ts";
import { createWebhookEngine } from "./webhook.ts";

type Build = (
  options: HookOptions,
  platform: Platform,
  log: Log,
  naming?: RowNaming,
) => HookEngine | undefined | Promise<HookEngine>;

/** Builds each engine. Throws an Error that names the key of the fault. */
const engines: { readonly [E in HookOptions["engine"]]: Build } = {
  noop: () => undefined,
  lookup: ({ lookup }, platform, log, naming) => createLookupEngine(lookup, platform, log, naming),
  js: ({ js }, platform, log) => createJsEngine(js, platform, log),
  webhook: ({ webhook }, platform) => createWebhookEngine(webhook, platform),
};

/**
 * Builds the engine named in the options; undefined for `noop`. `naming`: how the rows of a table are
 * compared with requests.
 */
export const buildEngine: Build = (options, platform, log, naming) =>
  engines[options.engine](options, platform, log, naming);

/** A request in the form that hooks see. */
export interface HookRequest {
  /** Decoded, without its page suffix. */
  readonly identifier: string;
  /** From 1. */
  readonly page: number;
  /** Without its query. */
  readonly path: string;
  readonly client?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For engines that call another service; not part of the input. */
  readonly trace?: TraceContext | undefined;
  header(name: string): string | undefined;
}

/** What the results of hooks depend on, besides the requested address. */
export interface HookSharing {
  /**
   * Who may cache a response: any cache for the configured time, or the caller alone, revalidating before
   * each use.
   */
  readonly cachedBy: "anyone" | "caller";
  /** Names of the request headers that they depend on, for `Vary`. */
  readonly vary: readonly string[];
}

/**
 * Each function returns undefined without a promise if the hook has no such function, and resolves to
 * undefined if it has no opinion. A failure is logged here and thrown as ServiceError `hook` (code
 * hook_failed); a request that ended, as `cancelled`.
 */
export interface Hooks {
  has(name: HookFunction): boolean;
  /** Returns the location of the master; false: there is no image under this identifier. */
  resolve(request: HookRequest): Promise<Resolution | false | undefined> | undefined;
  authorize(request: HookRequest): Promise<Authorization | undefined> | undefined;
  /** Returns settings of the overlay, not validated yet; false for none. */
  overlay(request: HookRequest): Promise<HookResults["overlay"] | undefined> | undefined;
  presentation(
    input: PresentationInput,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>> | undefined> | undefined;
  /**
   * Returns who may cache a response that hooks were called for; undefined while the hook has no function
   * about requests.
   */
  sharing(): HookSharing | undefined;
  /** Logs that the result of a hook cannot be used, and returns the error to throw. */
  unusable(name: HookFunction, identifier: string, reason: string): ServiceError;
  /** The rows of its table of identifiers; none for other hooks. */
  rows(): Iterable<TableRow>;
  /** Returns doubts about its file, which is valid but probably not as intended. */
  doubts(): readonly Finding[];
  readonly checks: readonly Check[];
  close(): Promise<void>;
}

export interface HooksParts {
  readonly engine: HookEngine;
  readonly options: Pick<HookOptions, "engine" | "headers" | "client_ip">;
  readonly log: Pick<Log, "warn" | "error">;
  /** Names of the sources that keys may refer to. */
  readonly sources: readonly string[];
}

/** Headers that distinguish people, or that proxies in front add, whose caches then do not compare them. */
const personal =
  /^(cookie|authorization|forwarded|via|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-.*|remote-user|x-remote-.*|x-auth-.*)$/i;

const aboutRequests = ["resolve", "authorize", "overlay"] as const;

/** Wraps the functions of an engine: limits their input to the configured facts, and checks their results. */
export function createHooks({ engine, options, log, sources }: HooksParts): Hooks {
  const names = [...new Map(options.headers.map((name) => [name.toLowerCase(), name]))];
  const vary = names.map(([, name]) => name);
  const isPersonal = options.client_ip || vary.some((name) => personal.test(name));
  const open: HookSharing = Object.freeze({ cachedBy: isPersonal ? "caller" : "anyone", vary });
  const closed: HookSharing = Object.freeze({ cachedBy: "caller", vary });

  const failure = (name: HookFunction, identifier: string, error: unknown) => {
    log.error("a hook failed", {
      hook: engine.name,
      function: name,
      identifier: maskIdentifier(identifier),
      position: error instanceof HookError ? error.position : undefined,
      // Anything but a HookError is a fault of the engine: its stack matters.
      error: error instanceof HookError ? error.message : error,
    });
    return new ServiceError(
      "hook",
      "A hook of this service failed, so the request could not be answered. The log of the service says why.",
      { code: "hook_failed", cause: error },
    );
  };

  async function ask<F extends HookFunction>(
    name: F,
    identifier: string,
    input: unknown,
    signal: AbortSignal | undefined,
    traceHeaders?: TraceHeaders,
  ): Promise<HookResults[F] | undefined> {
    try {
      return checkResult(name, await engine.call(name, input, signal, traceHeaders));
    } catch (error) {
      if (signal?.aborted) throw cancelledError(signal);
      throw failure(name, identifier, error);
    }
  }

  const askAbout =
    <F extends "resolve" | "authorize" | "overlay">(name: F) =>
    (request: HookRequest) =>
      engine.has(name)
        ? ask(name, request.identifier, inputOf(request), request.signal, request.trace?.headers)
        : undefined;

  const inputOf = ({ identifier, page, path, client, header }: HookRequest): RequestInput => {
    const headers: Record<string, string> = {};
    for (const [name] of names) {
      const value = header(name);
      if (value !== undefined) headers[name] = value;
    }
    return {
      identifier,
      page,
      request_path: path,
      ...(options.client_ip && client !== undefined && { client_ip: client }),
      headers,
    };
  };

  const checkResolution = async (request: HookRequest, asked: Promise<Resolution | false | undefined>) => {
    const result = await asked;
    if (result && result.source !== undefined && !sources.includes(result.source))
      throw failure(
        "resolve",
        request.identifier,
        new HookError(
          `there is no source named ${JSON.stringify(result.source)}; there are ${sources.join(", ")}`,
        ),
      );
    return result;
  };
  const resolve = askAbout("resolve");

  return {
    has: (name) => engine.has(name),
    resolve(request) {
      const asked = resolve(request);
      return asked && checkResolution(request, asked);
    },
    authorize: askAbout("authorize"),
    overlay: askAbout("overlay"),
    presentation: (input, signal) =>
      engine.has("presentation") ? ask("presentation", input.id, input, signal) : undefined,
    sharing() {
      if (engine.has("authorize")) return closed;
      return aboutRequests.some((name) => engine.has(name)) ? open : undefined;
    },
    unusable: (name, identifier, reason) => failure(name, identifier, new HookError(reason)),
    rows: () => engine.rows?.() ?? [],
    doubts: () => engine.doubts?.() ?? [],
    checks: [checkOf(engine)],
    close: () => engine.close(),
  };
}

function checkOf(engine: HookEngine): Check {
  return {
    part: "hooks",
    name: engine.name,
    backend: engine.name,
    key: `hook.${engine.name}`,
    neededFor: engine.neededFor ?? "changes",
    run: () => engine.check(),
  };
}
