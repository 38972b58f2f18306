// Error documents: RFC 9457 problem details, or the same as a small page for a browser.

import {
  asServiceError,
  internalError,
  type Problem,
  problemDocument,
  problemType,
  ServiceError,
} from "../../../base/index.ts";
import { addressForm } from "../../../iiif/index.ts";
import type { RequestContext } from "./context.ts";
import { pageResponse } from "./page.ts";
import type { Page } from "./page-content.ts";
import { problemPage } from "./problem-page.ts";
import { preferredType } from "./representation/accept.ts";
import { setVary } from "./representation/caching.ts";
import { sendText } from "./representation/send.ts";
import { statusOf } from "./status.ts";

/** Thrown for a pure HTTP problem: a method, a body or an address that the service does not accept. */
export class Refusal extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail);
    this.name = "Refusal";
    this.problem = problem;
  }
}

export const noSuchPage: Problem = {
  status: 404,
  code: "no_such_page",
  detail: `There is nothing at this address. Images are under ${addressForm}.`,
};

/**
 * Returns what the caller may know of a thrown value. Anything but a Refusal or a ServiceError is a bug and
 * becomes a neutral 500.
 */
export function problemOf(thrown: unknown): Problem {
  if (thrown instanceof Refusal) return thrown.problem;
  const error = asServiceError(thrown);
  if (!(error instanceof ServiceError)) return internalError;
  const status = statusOf[error.kind];
  const retryAfter = error.retryAfter ?? (status === 503 ? 1 : undefined);
  return {
    status,
    detail: error.message,
    code: error.code,
    ...(retryAfter !== undefined && { headers: { "Retry-After": String(retryAfter) } }),
  };
}

/** Media types of problems: clients that accept plain JSON receive the document as well. */
const offered = [problemType, "application/json", "text/html"] as const;

/**
 * Returns the response of a problem; HTML when the client prefers it, as a browser's address bar does: the
 * page of its route, or the usual one.
 */
export async function problemResponse(c: RequestContext, problem: Problem): Promise<Response> {
  const { status, code, detail } = problem;
  // The line of the request names the code, even if nothing was thrown.
  if (!c.get("failure")) c.set("failure", { code, detail });
  const headers: Record<string, string> = { ...problem.headers, "Cache-Control": "no-store" };
  setVary(headers, c, "Accept");
  const { problemPage: pageOf = usualPage } = c.get("route") ?? {};
  if (!pageOf || preferredType(c, offered) !== "text/html")
    return sendText(c, problemDocument(problem), { type: problemType, status, headers });
  setVary(headers, c, "Accept", "Accept-Language");
  // The address may contain what a login page elsewhere has added.
  headers["Referrer-Policy"] = "same-origin";
  return pageResponse(c, pageOf(c, problem), { status, headers });
}

const usualPage = (c: RequestContext, problem: Problem): Page =>
  problemPage(problem, c.req.raw.headers.get("Accept-Language"), c.get("base"));
