// What a request for an image would lead to: the access decision, and whether there is an image to serve.

import { ServiceError } from "../../base/index.ts";
import type { Caller, Decision } from "../access/access.ts";
import { checkServable, type DescribeParts, describe, type ServableParts } from "./describe.ts";
import { type OpenParts, withMaster } from "./open.ts";

/** The expected result of a request. */
export interface Foreseen {
  readonly decision: Decision;
  /** Why there is no image although the decision allows it. */
  readonly failure?: ServiceError;
}

/**
 * Returns what a request of the caller would lead to. Only callers who may have the image, or a substitute,
 * learn whether there is one: for all others no hook is asked for its location and no source for the master.
 * Throws what deciding throws, and `cancelled`.
 */
export async function foresee(
  parts: OpenParts & DescribeParts & ServableParts,
  caller: Caller,
): Promise<Foreseen> {
  let decided: Decision | undefined;
  const decisions: OpenParts["decisions"] = {
    note(caller, decision, subject) {
      decided = decision;
      parts.decisions.note(caller, decision, subject);
    },
  };
  try {
    return await withMaster<Foreseen>(
      { ...parts, decisions },
      caller,
      async (master) => {
        checkServable(parts, master, await describe(parts, master, caller.signal));
        return { decision: master.grant };
      },
      (refused) => ({ decision: refused }),
    );
  } catch (error) {
    const isFailure = error instanceof ServiceError && error.kind !== "cancelled";
    if (!isFailure || decided === undefined) throw error;
    return { decision: decided, failure: error };
  }
}
