// Lookups of images for the operator: no access rules apply, and no access decisions are recorded.

import { forEachConcurrently, ServiceError, type Size } from "../../base/index.ts";
import { shownSize } from "../../imaging/index.ts";
import { type Caller, everythingPublic } from "../access/access.ts";
import { unnoted } from "../access/decisions.ts";
import { checkServable, describe } from "./describe.ts";
import type { LookParts } from "./look.ts";
import type { OpenParts } from "./open.ts";
import { withMaster } from "./open.ts";

/** Returns parts that open every master for the operator. */
export const asOperator = <P extends OpenParts>(parts: P): P => ({
  ...parts,
  access: everythingPublic,
  decisions: unnoted,
});

/** Returns the operator as a caller for hooks, without any properties of the request. */
export const operatorCaller = (identifier: string, signal?: AbortSignal): Caller => ({
  identifier,
  path: "",
  ...(signal && { signal }),
  header: () => undefined,
});

export interface OperatorLook {
  readonly identifier: string;
  /** Upright size; absent if no derivative can be served. */
  readonly size?: Size;
  /** Reason why none can be served. */
  readonly problem?: Pick<ServiceError, "kind" | "code" | "message">;
}

/**
 * Returns the upright size of an image according to its header, or the reason why it has none. Never throws.
 */
export async function lookAsOperator(
  parts: LookParts,
  identifier: string,
  signal?: AbortSignal,
): Promise<OperatorLook> {
  try {
    return await withMaster(asOperator(parts), operatorCaller(identifier, signal), async (master) => {
      const header = await describe(parts, master, signal);
      checkServable(parts, master, header);
      return { identifier, size: shownSize(header, parts.policy) };
    });
  } catch (error) {
    return { identifier, problem: error instanceof ServiceError ? error : unreadableError() };
  }
}

const unreadableError = () => new ServiceError("decode", "This picture cannot be read.", { code: "decode" });

/** Error that a page shows if a source takes too long. */
export const slowSource = () =>
  new ServiceError("timeout", "The source did not answer in time. Load the page again in a moment.", {
    code: "source_slow",
  });

/** Number of images that are examined simultaneously. */
const atOnce = 8;

/**
 * Looks at many images like {@link lookAsOperator} and returns them in order; those not examined within `ms`
 * milliseconds are undefined.
 */
export async function lookAtAll(
  parts: LookParts,
  identifiers: readonly string[],
  ms: number,
): Promise<readonly (OperatorLook | undefined)[]> {
  const looks: (OperatorLook | undefined)[] = identifiers.map(() => undefined);
  const over = AbortSignal.timeout(ms);
  const left = new Promise<void>((resolve) => over.addEventListener("abort", () => resolve()));
  const all = forEachConcurrently(identifiers.entries(), atOnce, async ([at, identifier]) => {
    if (over.aborted) return;
    const look = await lookAsOperator(parts, identifier, over);
    if (look.problem?.kind !== "cancelled") looks[at] = look;
  });
  await Promise.race([all, left]);
  return [...looks];
}
