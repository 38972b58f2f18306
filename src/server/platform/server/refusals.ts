// Responses of the server itself, if a request cannot reach the application: problem documents as everywhere.

import type { ServerResponse } from "node:http";
import { type ProblemFacts, problemDocument, problemType, titles } from "../../../base/index.ts";

const problem = (status: number, code: string, detail: string) => ({ status, code, detail });

/** Problems by the codes of Node's parser and server. */
const parserProblems: Readonly<Record<string, ProblemFacts>> = {
  HPE_HEADER_OVERFLOW: problem(
    431,
    "headers_too_large",
    "The header fields are larger than this server accepts. Send fewer or shorter ones.",
  ),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: problem(
    413,
    "chunk_extensions_too_large",
    "The chunk extensions are larger than this server accepts. Send the body without them.",
  ),
  ERR_HTTP_REQUEST_TIMEOUT: problem(
    408,
    "request_timeout",
    "The request did not arrive within the time that the server waits for one. Send it again.",
  ),
};

export const malformedRequest: ProblemFacts = problem(
  400,
  "malformed_request",
  "Expected a request by HTTP/1.0 or HTTP/1.1, the latter with one Host field, and a body that is chunked or has a length; received something else. Check the client.",
);

/** Returns the problem of a parser error; codes that are not in the table mean a malformed request. */
export function problemOfParser(error: { readonly code?: string | undefined }): ProblemFacts {
  return parserProblems[error.code ?? ""] ?? malformedRequest;
}

const fields = {
  "Content-Type": problemType,
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
} as const;

/** A problem as a Response. */
export function respondRefusal(problem: ProblemFacts): Response {
  return new Response(problemDocument(problem), { status: problem.status, headers: fields });
}

/** Responds to a request whose body is not read, and ends its connection. */
export function refuseRequest(outgoing: ServerResponse, problem: ProblemFacts): void {
  outgoing.writeHead(problem.status, headOf(problem)).end(problemDocument(problem));
}

const headOf = (problem: ProblemFacts) => ({
  ...fields,
  "Content-Length": new TextEncoder().encode(problemDocument(problem)).length,
  Connection: "close",
});

/** A whole HTTP/1.1 message that ends its connection, for a socket without a request. */
export function writeRefusal(problem: ProblemFacts): string {
  const body = problemDocument(problem);
  const head = { ...headOf(problem), Date: new Date().toUTCString() };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${titles[problem.status]}\r\n${lines.join("")}\r\n${body}`;
}
