// Who may have which image: the question that is asked before a master is opened, and the answers to it.

import { ServiceError } from "../errors.ts";
import type { SizeRequest } from "../iiif/image/request.ts";
import type { StageClock } from "../lib/telemetry/stage-times.ts";
import type { TraceContext } from "../lib/telemetry/trace-context.ts";

/** What becomes of a request, for those who note something of it before its response is known. */
export interface ResponseOutcome {
  /** HTTP status of the response; undefined until it is known. */
  status?: number;
}

/** A request for an image, as access rules and hooks see it. They see nothing else of it. */
export interface Caller {
  /** As asked for: decoded, with its page suffix. */
  readonly identifier: string;
  /** Path of the request as it came, without its query. */
  readonly path: string;
  /** Address of the client, where it is known. */
  readonly client?: string | undefined;
  /** The same by the proxies that are trusted where an address gives access. */
  readonly reader?: string | undefined;
  /** Address of who is connected, such as a proxy, if it is known. */
  readonly peer?: string | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
  /** Hears how long the stages of the request take. */
  readonly stages?: StageClock | undefined;
  /** For requests to other services on its behalf: the trace that they belong to. */
  readonly trace?: TraceContext | undefined;
  /** Gets the status of the response; decisions are recorded with it. */
  readonly outcome?: ResponseOutcome | undefined;
  /** The value of one request header; undefined where it was not sent. */
  header(name: string): string | undefined;
}

/**
 * `public`: no rule concerns the image. `full`: a rule does, and the caller may have all of it. `substitute`: the caller
 * gets a lesser picture in its place.
 */
export type Tier = "public" | "full" | "substitute";

/** What a decision says of caches. */
export interface Sharing {
  /** Who may keep an answer: any cache for the configured time, or the caller alone, revalidating before each use. */
  readonly keptBy: "anyone" | "caller";
  /** Names of the request headers that the decision depends on, for `Vary`. */
  readonly vary: readonly string[];
}

/** What a rule says of an identifier, whoever asks. */
export interface Ruled extends Sharing {
  /** The profile that the identifier needs, or that a hook named; absent where it is public. For the record alone. */
  readonly profile?: string;
}

export interface Grant extends Ruled {
  readonly allowed: true;
  readonly tier: Tier;
  /** Identifier of the image to serve in place of the one asked for. It is not decided on again. */
  readonly identifier?: string;
  /** The answer where that one cannot be opened. */
  readonly otherwise?: Denial;
  /** No answer shows more detail than the whole image does at this size. */
  readonly maxSize?: SizeRequest;
  /** Of a substitute: what a hook tells the reader. */
  readonly note?: string;
}

export interface Denial extends Ruled {
  readonly allowed: false;
  readonly status: 401 | 403 | 404 | 410 | 429 | 451;
  /** For the caller: what is missing and what to do. */
  readonly reason: string;
  /** The reason that a hook gives to the reader, which the operator wrote. */
  readonly note?: string;
}

/** Sends the caller elsewhere. */
export interface Redirection extends Ruled {
  readonly allowed: false;
  readonly status: 303;
  /** Absolute http or https URL. */
  readonly location: string;
  readonly reason: string;
}

/** A decision by which the caller gets no image. */
export type Refused = Denial | Redirection;

export type Decision = Grant | Refused;

/** Decides what a caller may have, before any source is asked for the image. */
export interface Access {
  decide(caller: Caller): Decision | Promise<Decision>;
  /**
   * What those get of an identifier who have no login, found without asking; undefined where no rule
   * names it.
   */
  ruleFor?(identifier: string): Grant | Denial | undefined;
  /** Of rules behind a hook: these, while no hook decides before them; undefined while one does. */
  unhooked?(): Access | undefined;
}

/** One object for all requests: a public tile costs nothing here. */
export const publicGrant: Grant = Object.freeze({
  allowed: true,
  tier: "public",
  keptBy: "anyone",
  vary: Object.freeze([]),
});

/** What holds for one answer to which several decisions led: the stricter caching, all of the headers. */
export function combineSharing(decisions: readonly Sharing[]): Sharing {
  return {
    keptBy: decisions.every(({ keptBy }) => keptBy === "anyone") ? "anyone" : "caller",
    vary: [...new Set(decisions.flatMap(({ vary }) => vary))],
  };
}

const undecided: ReadonlySet<string> = new Set(["sessions_unavailable", "authorize_failed"]);

/**
 * Whether an error says that nobody knows what a caller may have: sessions cannot be looked up, or the hook
 * fails.
 */
export const isUndecided = (error: unknown): boolean =>
  error instanceof ServiceError && undecided.has(error.code);

/** The access rules of a service that has none. */
export const everythingPublic: Access = { decide: () => publicGrant };

/** The rules that decide without a hook; undefined if a hook has a say. */
export const rulesOf = (access: Access): Access | undefined => (access.unhooked ? access.unhooked() : access);
