// Blocks on their way from the slot or the origin: for all who wait for them, and only as long as somebody does.

import { onAbort } from "../../lib/concurrency/bounded-wait.ts";

/** Blocks that one read asked for. It ends early when nobody holds it any more. */
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
