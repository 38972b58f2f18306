// Types of a route, the facts about a request that its handlers use, computed once in app.ts, and the caller
// that access rules and hooks see.

import type { Context } from "hono";
import {
  type Compression,
  type Problem,
  type Sendings,
  StageClock,
  type TraceContext,
} from "../../../base/index.ts";
import type { Caller, ResponseOutcome } from "../../access/access.ts";
import type { Link } from "../../access/links/link-token.ts";
import type { RouteClass } from "../../stats/figures.ts";
import type { Visitor } from "../../visitors/visitors.ts";
import type { Passes } from "./client/passes.ts";
import type { Page } from "./page-content.ts";
import type { ProofKind } from "./proof/navigation.ts";
import type { SignedTarget } from "./signed-address.ts";
import type { RequestTarget } from "./target.ts";

export type RouteHandler = (c: RequestContext) => Response | Promise<Response>;

/**
 * An address and its methods. HEAD and OPTIONS are derived; a route without methods is 404, with its `cors`.
 */
export interface Route {
  /**
   * A whole path, or all paths with this prefix: `/static/*`. Only a trailing `*` is special; the longest
   * match wins.
   */
  readonly path: string;
  /** Also handles HEAD; the body is then dropped. */
  readonly get?: RouteHandler;
  /**
   * Reads the body with the functions of `body.ts`. Without `cors` only pages of this service may post here.
   */
  readonly post?: RouteHandler;
  /**
   * True if pages of any origin may read the responses; a list names the allowed origins, and responses then
   * vary by origin.
   */
  readonly cors?: boolean | readonly string[];
  /** Request headers that such pages may send in addition to the usual ones. */
  readonly fields?: readonly string[];
  /**
   * The class that its responses are counted to, which may depend on the path; `other` by default. false: not
   * counted, such as a response that never ends.
   */
  readonly counted?: RouteClass | ((path: string) => RouteClass) | false;
  /**
   * The page that shows its problems to people, in their language; by default the usual page. false: there is
   * none, and problems are JSON for everybody.
   */
  readonly problemPage?: ((c: RequestContext, problem: Problem) => Page) | false;
  /** True if `limits.max_in_flight` does not apply. */
  readonly uncapped?: boolean;
  /**
   * false: responses are never compressed, such as pages that repeat request values next to a secret
   * (BREACH).
   */
  readonly compressed?: false;
  /** What strangers prove work for before a window opens it, which may depend on the path. */
  readonly proof?: ProofKind | ((path: string) => ProofKind | undefined);
  /** Longest path and query in characters; most routes have shorter ones (`client/caps.ts`). */
  readonly maxTarget?: number;
}

/** The files of static/. */
export interface StaticFiles {
  /**
   * Returns the address of a file from the root of the service, with the version of its content if the file
   * exists: `/static/@0123456789abcdef/home/home.css`. The version is in the path, since a CDN may ignore
   * queries.
   */
  address(path: string): Promise<string>;
  /** Responds to a GET or HEAD of a file, by the path after `/static/`; throws a Refusal, 404 or 416. */
  respond(c: RequestContext, asked: string): Promise<Response>;
}

/** An operator. The role `look` sees everything and has no effect; `change` may do everything. */
export interface Operator {
  readonly name: string;
  readonly role: "look" | "change";
}

export interface Variables {
  readonly target: RequestTarget;
  /** Names the request in the log, in error reports and in responses with status 5xx. */
  readonly id: string;
  /**
   * Code and detail of a failed response, and its cause, which the response does not contain; for reports.
   */
  readonly failure?: { readonly code: string; readonly detail: string; readonly cause?: string | undefined };
  /** Time of the request, by `performance.now()`. */
  readonly began: number;
  /** Undefined if nothing is at this address. */
  readonly route: Route | undefined;
  /** True if the response headers already include the cross-origin headers of the route. */
  readonly hasCors?: boolean;
  /** `wanted`: the response gets Server-Timing if it is an image; `set`: it has it already. */
  readonly serverTiming?: "wanted" | "set";
  /** The files of static/, for the addresses of a page's files. */
  readonly files: StaticFiles;
  /** Compresses bodies; undefined if responses of the route are sent uncompressed. */
  readonly compression: Compression | undefined;
  /** Sends large bodies in pieces; undefined if the runtime sends only whole ones. */
  readonly pacing: { readonly sendings: Sendings; readonly stallMs: number } | undefined;
  /** Resolves when a body in pieces has been sent or cut; undefined for other bodies. */
  readonly sent?: Promise<void> | undefined;
  /** Pages that may embed those of this service in frames, as the value of `frame-ancestors`. */
  readonly framedBy: string;
  /** The client's address, if known. */
  readonly client: string | undefined;
  /** The client's address according to the proxies that are trusted for access by address. */
  readonly reader: string | undefined;
  /** Address of the connected peer, such as a proxy, if known. */
  readonly peer: string | undefined;
  /**
   * Public URL of the service, without a trailing slash; empty while refusing a request that names no host.
   */
  readonly base: string;
  /** Length of the response body in bytes; undefined without a body. Set by {@link recordSent}. */
  readonly bytes?: number | undefined;
  /** The stages of a request for an image, from its beginning; undefined for other requests. */
  readonly stages?: StageClock | undefined;
  /** The trace of the request; undefined if it had none and nothing is traced. */
  readonly trace?: TraceContext | undefined;
  /** Who sends the request; undefined while crawlers are not told from readers. */
  readonly visitor?: Visitor | undefined;
  /** The operator whose request it is; undefined outside of the operator's pages. */
  readonly operator?: Operator | undefined;
  /** What the code of an act of an operator notes for the audit. */
  readonly act?: { readonly action?: string; readonly target?: string; readonly result?: "failed" };
  /** Passes of our viewer; undefined for who gets none. */
  readonly passes?: Passes | undefined;
  /** The token of a signed link, not yet verified; undefined without one. */
  readonly signed?: SignedTarget | undefined;
  /** The verified signed link that the request came by. */
  readonly link?: Link | undefined;
  /** Receives the status of the response. */
  readonly outcome: ResponseOutcome;
  /** The headers of a request that `base` is derived from, for `Vary`; "" if it is configured. */
  readonly baseHeaders: string;
}

export type Env = { Variables: Variables };
export type RequestContext = Context<Env>;

/** Returns the caller of a request for one image, which records the stages of its work. */
export function imageCallerOf(c: RequestContext, identifier: string): Caller {
  const stages = new StageClock(c.get("began"));
  c.set("stages", stages);
  return callerOf(c, identifier, stages);
}

/**
 * Returns the caller of a request for an image by its decoded identifier; `stages` if it is the only image of
 * the request.
 */
export function callerOf(c: RequestContext, identifier: string, stages?: StageClock): Caller {
  const { headers, signal } = c.req.raw;
  return {
    identifier,
    path: c.get("signed")?.path ?? c.get("target").path,
    client: c.get("client"),
    reader: c.get("reader"),
    peer: c.get("peer"),
    visitor: c.get("visitor"),
    link: c.get("link"),
    signal,
    stages,
    trace: c.get("trace"),
    outcome: c.get("outcome"),
    header: (name) => headers.get(name) ?? undefined,
  };
}

/** Returns the body of a response, and records its length in bytes for the figures. HEAD has no body. */
export function recordSent<B extends string | Uint8Array>(c: RequestContext, body: B): B {
  c.set("bytes", c.req.method === "HEAD" ? 0 : lengthOf(body));
  return body;
}

/** Codes of responses without problem documents: they appear only in the line of their request. */
const refusals = {
  login: { code: "login_refused" },
  token: { code: "token_refused" },
  form: { code: "form_refused" },
  ready: { code: "not_ready" },
} as const;

/** Records the code of such a response, unless one was recorded already. */
export function noteRefusal(c: RequestContext, what: keyof typeof refusals, detail: string): void {
  if (!c.get("failure")) c.set("failure", { ...refusals[what], detail });
}

/** Bytes of a body, as UTF-8. */
export function lengthOf(body: string | Uint8Array): number {
  return typeof body === "string" ? utf8.encode(body).length : body.length;
}

const utf8 = new TextEncoder();

/** True if a raw query string contains a parameter, with or without a value. */
export function hasParameter(query: string, name: string): boolean {
  return query !== "" && new URLSearchParams(query).has(name);
}
