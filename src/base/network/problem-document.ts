// Error documents as text (RFC 9457), for the application and for a server's responses before a request
// reaches it.

/** Reason phrases (RFC 9110, section 15; RFC 6585), the titles of problems without a type of their own. */
export const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  410: "Gone",
  413: "Content Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons",
  499: "Client Closed Request",
  500: "Internal Server Error",
  501: "Not Implemented",
  503: "Service Unavailable",
};

export interface ProblemFacts {
  readonly status: number;
  /** What was expected, what was received, and what to do. */
  readonly detail: string;
  /** Stable and documented. */
  readonly code: string;
}

/** A problem with the headers of its response. */
export interface Problem extends ProblemFacts {
  readonly headers?: Readonly<Record<string, string>>;
}

/** The problem of a bug, as callers may know it. */
export const internalError: ProblemFacts = {
  status: 500,
  code: "internal_error",
  detail: "Something went wrong inside the service. The operator finds the cause in the log.",
};

export const problemType = "application/problem+json";

/** The JSON of a problem. */
export function problemDocument({ status, detail, code }: ProblemFacts): string {
  return JSON.stringify({ type: "about:blank", title: titles[status] ?? "Error", status, detail, code });
}
