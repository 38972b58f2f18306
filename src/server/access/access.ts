// Access decisions: the question that is asked before a master is opened, and its possible results.

import { ServiceError, type StageClock, type TraceContext } from "../../base/index.ts";
import type { SizeRequest } from "../../iiif/index.ts";
import type { HookSharing } from "../hooks/index.ts";
import type { Visitor } from "../visitors/visitors.ts";
import type { Link } from "./links/link-token.ts";

/** The response of a request, for code that records it before the response is known. */
export interface ResponseOutcome {
  /** HTTP status of the response; undefined until it is known. */
  status?: number;
}

/** A request for an image, as access rules and hooks see it. It contains everything they may know. */
export interface Caller {
  /** The requested identifier, decoded, with its page suffix. */
  readonly identifier: string;
  /** Path of the request as received, without its query. */
  readonly path: string;
  /** Address of the client, if known. */
  readonly client?: string | undefined;
  /** Address of the client according to the proxies that are trusted for access by address. */
  readonly reader?: string | undefined;
  /** Address of the connected peer, such as a proxy, if known. */
  readonly peer?: string | undefined;
  /** Who sends the request, as far as crawlers are told from readers; absent if they are not. */
  readonly visitor?: Visitor | undefined;
  /** The signed link that the request came by, verified; absent without one. */
  readonly link?: Link | undefined;
  /** Aborts when no client waits for the response any more. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the duration of each stage of the request. */
  readonly stages?: StageClock | undefined;
  /** Trace for requests to other services on the caller's behalf. */
  readonly trace?: TraceContext | undefined;
  /** Receives the status of the response; decisions are recorded with it. */
  readonly outcome?: ResponseOutcome | undefined;
  /** Returns the value of one request header, or undefined if it was not sent. */
  header(name: string): string | undefined;
}

/**
 * `public`: no rule concerns the image. `full`: a rule does, and the caller may have all of it. `substitute`:
 * the caller gets a substitute instead.
 */
export type Tier = "public" | "full" | "substitute";

/** How caches may treat a response that depends on a decision. */
export type Sharing = HookSharing;

/** The part of a decision that does not depend on the caller. */
export interface Ruled extends Sharing {
  /**
   * The profile that the identifier needs, or that a hook named; absent if the identifier is public. Used for
   * the record only.
   */
  readonly profile?: string;
}

export interface Grant extends Ruled {
  readonly allowed: true;
  readonly tier: Tier;
  /** Identifier of the image to serve instead of the requested one. No further decision is made on it. */
  readonly identifier?: string;
  /** The denial to return if the master of `identifier` cannot be opened. */
  readonly otherwise?: Denial;
  /** No response shows more detail than the whole image does at this size. */
  readonly maxSize?: SizeRequest;
  /** The hook's message to the reader, if this is a substitute. */
  readonly note?: string;
}

export interface Denial extends Ruled {
  readonly allowed: false;
  readonly status: 401 | 403 | 404 | 410 | 429 | 451;
  /** Tells the caller what is missing and what to do. */
  readonly reason: string;
  /** The hook's reason, written by the operator for the reader. */
  readonly note?: string;
}

/** Redirects the caller. */
export interface Redirection extends Ruled {
  readonly allowed: false;
  readonly status: 303;
  /** Absolute http or https URL. */
  readonly location: string;
  readonly reason: string;
}

/** A decision that gives the caller no image. */
export type RefusedDecision = Denial | Redirection;

export type Decision = Grant | RefusedDecision;

/** Decides what a caller may have before any source is asked for the image. */
export interface Access {
  decide(caller: Caller): Decision | Promise<Decision>;
  /**
   * Returns what readers without a login get for an identifier, without any lookup; undefined if no rule
   * names the identifier.
   */
  ruleFor?(identifier: string): Grant | Denial | undefined;
  /** Returns the rules that decide while no hook is configured; undefined while one is. */
  unhooked?(): Access | undefined;
}

/** One object for all requests: a public tile costs nothing here. */
export const publicGrant: Grant = Object.freeze({
  allowed: true,
  tier: "public",
  cachedBy: "anyone",
  vary: Object.freeze([]),
});

/** Combines decisions that one response depends on: the stricter caching, and all of the headers. */
export function combineSharing(decisions: readonly Sharing[]): Sharing {
  return {
    cachedBy: decisions.every(({ cachedBy }) => cachedBy === "anyone") ? "anyone" : "caller",
    vary: [...new Set(decisions.flatMap(({ vary }) => vary))],
  };
}

const undecided: ReadonlySet<string> = new Set(["sessions_unavailable", "authorize_failed"]);

/**
 * True if an error means that no decision could be made: sessions cannot be looked up, or the hook failed.
 */
export const isUndecided = (error: unknown): boolean =>
  error instanceof ServiceError && undecided.has(error.code);

/** The access rules of a service without any. */
export const everythingPublic: Access = { decide: () => publicGrant };

/** Returns the rules that decide without a hook; undefined if a hook takes part. */
export const rulesOf = (access: Access): Access | undefined => (access.unhooked ? access.unhooked() : access);
