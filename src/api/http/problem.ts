// Error documents: RFC 9457 problem details, or the same as a small page for a browser.

import { type ErrorKind, ServiceError } from "../../errors.ts";
import {
  internalError,
  type ProblemFacts,
  problemDocument,
  problemType,
  titles,
} from "../../lib/problem-document.ts";
import { preferredType } from "./accept.ts";
import { forwardedHeaders } from "./client.ts";
import type { RequestContext } from "./context.ts";
import { escapeHtml, page } from "./page.ts";
import { statusOf } from "./status.ts";

export interface Problem extends ProblemFacts {
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the caller may know of a thrown value; anything but a ServiceError is a bug and gives a neutral 500. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof ServiceError)) return internalError;
  const status = statusOf[error.kind];
  return {
    status,
    detail: error.message,
    code: error.code,
    ...(status === 503 ? { headers: { "Retry-After": "1" } } : {}),
  };
}

/** Kinds of error that the operator should see in the log. */
export const serverFaults: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "source",
  "changed",
  "decode",
  "encode",
  "hook",
  "timeout",
]);

/** What problems are offered as: whoever accepts plain JSON takes the document as well. */
const offered = [problemType, "application/json", "text/html"] as const;

/** The response of a problem; HTML when the client prefers it, as a browser's address bar does. */
export function problemResponse(c: RequestContext, problem: Problem): Response {
  const title = titles[problem.status] ?? "Error";
  const headers = {
    ...problem.headers,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    Vary: c.get("baseDerived") ? `Accept, ${forwardedHeaders}` : "Accept",
  };
  if (preferredType(c, offered) === "text/html") {
    const body = `<h1>${problem.status} ${title}</h1><p>${escapeHtml(problem.detail)}</p><p class="quiet">Code: <code>${escapeHtml(problem.code)}</code></p><p><a href="${escapeHtml(c.get("base"))}/">To the start page</a></p>`;
    return new Response(page(`${problem.status} ${title}`, body), {
      status: problem.status,
      headers: {
        ...headers,
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
      },
    });
  }
  return new Response(problemDocument(problem), {
    status: problem.status,
    headers: { ...headers, "Content-Type": problemType },
  });
}
