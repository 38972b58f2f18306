// Failures of a request as operators see them: in its log line, in its error report, and in a log line of
// their own.

import {
  asServiceError,
  type ErrorKind,
  type Log,
  type Problem,
  ServiceError,
  toErrorRecord,
} from "../../../base/index.ts";
import type { RequestContext } from "./context.ts";
import { problemOf, Refusal } from "./problem.ts";
import { requestFields } from "./request-log.ts";

/**
 * Returns the problem of a thrown value, whether the response is a problem document or a page. Records its
 * code for the log line and the error report of the request, and logs it with its cause if the operator
 * should see that.
 */
export function noteFailure(c: RequestContext, log: Pick<Log, "error">, error: unknown): Problem {
  const problem = problemOf(error);
  const { status, code, detail } = problem;
  const { cause } = toErrorRecord(error, "decode");
  c.set("failure", { code, detail, cause: error instanceof Refusal ? undefined : cause });
  if (isServerFault(error)) log.error("request failed", { ...requestFields(c), status, code, detail, cause });
  return problem;
}

/**
 * True if the operator should see a thrown value in the log. A full queue has no cause; a store that does not
 * respond has one.
 */
export function isServerFault(thrown: unknown): boolean {
  if (thrown instanceof Refusal) return false;
  const error = asServiceError(thrown);
  if (!(error instanceof ServiceError)) return true;
  return serverFaults.has(error.kind) || (error.kind === "busy" && error.cause !== undefined);
}

const serverFaults: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  "source",
  "changed",
  "decode",
  "encode",
  "hook",
  "timeout",
]);
