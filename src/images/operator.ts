// Images as the operator looks at them: no access rule concerns these looks, and none of them is noted as a decision.

import { type Caller, everythingPublic } from "../access/access.ts";
import { unnoted } from "../access/decisions.ts";
import { ServiceError } from "../errors.ts";
import { type Size, uprightSize } from "../imaging/render/sampling.ts";
import { forEachConcurrently } from "../lib/concurrency/concurrent.ts";
import { checkServable, describe } from "./describe.ts";
import type { LookParts } from "./look.ts";
import type { OpenParts } from "./open.ts";
import { withMaster } from "./open.ts";
import { asShown } from "./plan/orientation.ts";

/** Parts by which every master is opened for the operator. */
export const asOperator = <P extends OpenParts>(parts: P): P => ({
  ...parts,
  access: everythingPublic,
  decisions: unnoted,
});

/** The operator as hooks see them: without anything of the request. */
export const operatorCaller = (identifier: string, signal?: AbortSignal): Caller => ({
  identifier,
  path: "",
  ...(signal && { signal }),
  header: () => undefined,
});

export interface OperatorLook {
  readonly identifier: string;
  /** Upright; absent where no picture of it can be served. */
  readonly size?: Size;
  /** Why not. */
  readonly problem?: Pick<ServiceError, "kind" | "code" | "message">;
}

/** The upright size of an image by its header, or why there is none. Never throws. */
export async function lookAsOperator(
  parts: LookParts,
  identifier: string,
  signal?: AbortSignal,
): Promise<OperatorLook> {
  try {
    return await withMaster(asOperator(parts), operatorCaller(identifier, signal), async (master) => {
      const header = await describe(parts, master, signal);
      checkServable(parts, master, header);
      return { identifier, size: uprightSize(asShown(header, parts.policy)) };
    });
  } catch (error) {
    return { identifier, problem: error instanceof ServiceError ? error : unreadable() };
  }
}

const unreadable = () => new ServiceError("decode", "This picture cannot be read.", { code: "decode" });

/** What is said where a source takes too long for a page. */
export const slowSource = () =>
  new ServiceError("timeout", "The source did not answer in time. Load the page again in a moment.", {
    code: "source_slow",
  });

/** Images that are looked at at once. */
const atOnce = 8;

/** The same for many, in their order; those that were not looked at within `ms` milliseconds are undefined. */
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
