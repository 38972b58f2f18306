// Error documents: RFC 9457 problem details, or the same as a small page for a browser (D-10).

import { type ErrorKind, ServiceError } from "../../errors.ts";
import { forwardedHeaders } from "./client.ts";
import type { RequestContext } from "./context.ts";
import { escapeHtml, page } from "./page.ts";
import { statusOf, titles } from "./status.ts";

export interface Problem {
  readonly status: number;
  readonly detail: string;
  /** Stable and documented. */
  readonly code: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the caller may know of a thrown value; anything but a ServiceError is a bug and gives a neutral 500. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof ServiceError))
    return {
      status: 500,
      detail: "Something went wrong inside the service. The operator finds the cause in the log.",
      code: "internal_error",
    };
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

/** The response of a problem; HTML when the client prefers it, as a browser's address bar does. */
export function problemResponse(c: RequestContext, problem: Problem): Response {
  const title = titles[problem.status] ?? "Error";
  const headers = {
    ...problem.headers,
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    Vary: c.get("baseDerived") ? `Accept, ${forwardedHeaders}` : "Accept",
  };
  if (prefersHtml(c.req.header("Accept"))) {
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
  const { status, detail, code } = problem;
  return new Response(JSON.stringify({ type: "about:blank", title, status, detail, code }), {
    status,
    headers: { ...headers, "Content-Type": "application/problem+json" },
  });
}

function prefersHtml(accept: string | undefined): boolean {
  return accept !== undefined && /(^|,)\s*text\/html\b(?![^,]*;\s*q=0(\.0*)?\s*(,|$))/i.test(accept);
}
