// A fetch of blocks from the slot or the origin, for all waiting requests, and only as long as one of them
// waits.

import { onAbort } from "../../../base/index.ts";

/** The blocks that one read fetches. Ends early when no reader holds it any more. */
export interface Delivery {
  holders: number;
  readonly ended: Promise<unknown>;
  stop(): void;
}

/** One block of a delivery. */
export interface Coming {
  readonly delivery: Delivery;
  readonly block: Promise<Uint8Array>;
}

/** Keeps a delivery going until the signal aborts or the returned function is called. */
export function hold(delivery: Delivery, signal?: AbortSignal): () => void {
  delivery.holders++;
  let holds = true;
  let unhear = () => {};
  const release = () => {
    if (!holds) return;
    holds = false;
    unhear();
    if (--delivery.holders === 0) delivery.stop();
  };
  if (signal?.aborted) release();
  else if (signal) unhear = onAbort(signal, release);
  return release;
}
