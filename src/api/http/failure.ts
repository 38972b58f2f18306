// What went wrong with a request, for those who run the service: in its line, in its report, and in a line of its own.

import { asServiceError, type ErrorKind, ServiceError, toErrorRecord } from "../../errors.ts";
import type { Problem } from "../../lib/network/problem-document.ts";
import type { Log } from "../../lib/telemetry/log.ts";
import type { RequestContext } from "./context.ts";
import { problemOf, Refusal } from "./problem.ts";
import { requestFields } from "./request-log.ts";

/**
 * The problem of a thrown value, whether it is answered as a problem document or in the words of a page. Notes its code for the line of
 * the request and for its report, and logs it with its cause where the operator should see that.
 */
export function noteFailure(c: RequestContext, log: Pick<Log, "error">, error: unknown): Problem {
  const problem = problemOf(error);
  const { status, code, detail } = problem;
  const { cause } = toErrorRecord(error, "decode");
  c.set("failure", { code, detail, cause: error instanceof Refusal ? undefined : cause });
  if (isServerFault(error)) log.error("request failed", { ...requestFields(c), status, code, detail, cause });
  return problem;
}

/** Whether the operator should see a thrown value in the log. A full queue has no cause; a store that does not answer has one. */
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
