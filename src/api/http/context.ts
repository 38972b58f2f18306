// What a route is, and what its handlers know of their request, worked out once in app.ts.

import type { Context } from "hono";
import type { ResponseOutcome } from "../../access/access.ts";
import type { Problem } from "../../lib/network/problem-document.ts";
import type { StageClock } from "../../lib/telemetry/stage-times.ts";
import type { TraceContext } from "../../lib/telemetry/trace-context.ts";
import type { Compression } from "../../platform/platform.ts";
import type { RouteClass } from "../../stats/figures.ts";
import type { Page } from "./page-content.ts";
import type { Target } from "./target.ts";

export type Act = (c: RequestContext) => Response | Promise<Response>;

/** An address and its methods. HEAD and OPTIONS follow; a route without methods is 404, with its `cors`. */
export interface Route {
  /** A whole path, or all paths that begin so: `/static/*`. Only a `*` at the end is special; the longest match counts. */
  readonly path: string;
  /** Answers HEAD as well: the body is dropped. */
  readonly get?: Act;
  /** Reads the body with the readers of `body.ts`. Without `cors` only pages of this service may post here. */
  readonly post?: Act;
  /** Whether pages of other origins may read the answers: of all, or of these, to which answers then differ. */
  readonly cors?: boolean | readonly string[];
  /** Request headers that such pages may send besides the usual ones. */
  readonly fields?: readonly string[];
  /**
   * The class that its answers are counted to, which may depend on the path; `other` where nothing is said. false: they are not
   * counted, as an answer that never ends.
   */
  readonly counted?: RouteClass | ((path: string) => RouteClass) | false;
  /** How people read a problem of it; without, as the usual page in English. It is in the language that they ask for. */
  readonly problemPage?: (c: RequestContext, problem: Problem) => Page;
  /** Whether it answers above `limits.max_in_flight` too. */
  readonly uncapped?: boolean;
  /**
   * false: responses are never compressed, as pages that repeat what a request says beside a secret (BREACH).
   */
  readonly compressed?: false;
  /** Longest path and query in characters; those of most routes are shorter (`client/caps.ts`). */
  readonly maxTarget?: number;
}

/** The files of static/. */
export interface StaticFiles {
  /**
   * Address of a file from the root of the service, with the version of its content where the file is there:
   * `/static/@0123456789abcdef/home/home.css`. The version is in the path, since a CDN may ignore queries.
   */
  address(path: string): Promise<string>;
  /** The answer to a GET or HEAD of a file, by what follows `/static/`; throws a Refusal, 404 or 416. */
  respond(c: RequestContext, asked: string): Promise<Response>;
}

export interface Variables {
  readonly target: Target;
  /** Names the request in the log, in reports of errors and in answers of status 5xx. */
  readonly id: string;
  /** What the answer says went wrong, and the cause, which it does not say; for reports. */
  readonly failure?: { readonly code: string; readonly detail: string; readonly cause?: string | undefined };
  /** When the request came, by `performance.now()`. */
  readonly began: number;
  /** Undefined: nothing is at this address. */
  readonly route: Route | undefined;
  /** Whether the headers of the answer hold the cross-origin ones of the route already. */
  readonly hasCors?: boolean;
  /** Whether the answer gets Server-Timing, if it is one of an image, and whether its headers hold it already. */
  readonly serverTiming?: "wanted" | "set";
  /** The files of static/, for the addresses of those that a page needs. */
  readonly files: StaticFiles;
  /** Compresses bodies; undefined where responses of the route come as they are. */
  readonly compression: Compression | undefined;
  /** Which pages may hold those of this service in frames, as the value of `frame-ancestors`. */
  readonly framedBy: string;
  /** The client's address, where it is known. */
  readonly client: string | undefined;
  /** The same by the proxies that are trusted where an address gives access. */
  readonly reader: string | undefined;
  /** Address of who is connected, such as a proxy, if it is known. */
  readonly peer: string | undefined;
  /** Public URL of the service, without trailing slash; empty while a request is refused that names no host. */
  readonly base: string;
  /** Bytes of the body of the answer; undefined: it has none. Set by {@link sent}. */
  readonly bytes?: number | undefined;
  /** The stages of a request for an image, from its beginning; undefined for other requests. */
  readonly stages?: StageClock | undefined;
  /** The trace that the request belongs to; undefined: it came without one, and nothing is traced. */
  readonly trace?: TraceContext | undefined;
  /** Gets the status of the response. */
  readonly outcome: ResponseOutcome;
  /** Whether `base` was derived from headers of this request. */
  readonly baseDerived: boolean;
}

export type Env = { Variables: Variables };
export type RequestContext = Context<Env>;

/** Returns the body of an answer, and notes its length in bytes for the figures. HEAD has no body. */
export function sent<B extends string | Uint8Array>(c: RequestContext, body: B, length = lengthOf(body)): B {
  c.set("bytes", c.req.method === "HEAD" ? 0 : length);
  return body;
}

/** Codes of responses that are no problem documents: they are in the line of their request alone. */
const refusals = {
  login: { code: "login_refused" },
  token: { code: "token_refused" },
  form: { code: "form_refused" },
  ready: { code: "not_ready" },
} as const;

/** Notes the code of such a response, unless one was noted already. `detail`: for a report. */
export function noteRefusal(c: RequestContext, what: keyof typeof refusals, detail: string): void {
  if (!c.get("failure")) c.set("failure", { ...refusals[what], detail });
}

/** Bytes of a body, as UTF-8. */
export function lengthOf(body: string | Uint8Array): number {
  return typeof body === "string" ? utf8.encode(body).length : body.length;
}

const utf8 = new TextEncoder();

/** Whether a parameter stands in a raw query string, with or without a value. */
export function hasParameter(query: string, name: string): boolean {
  return query !== "" && new URLSearchParams(query).has(name);
}
