// Paces the body of a whole response: it may take long, but has to make progress.

import { cancelledError, createDeadline } from "../../base/index.ts";

/** Bytes that have to arrive within the time of one step. */
const stepBytes = 2 ** 20;

/**
 * Returns a stream of the bytes of `body`. It fails, and cancels `body`, if a MiB takes longer than `stepMs`,
 * or if `signal` aborts (ServiceError `cancelled`). Time during which the consumer does not read is not
 * counted.
 */
export function pacedBody(
  body: ReadableStream<Uint8Array>,
  stepMs: number,
  signal?: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let leftMs = stepMs;
  let stepped = 0;
  let fail = (_: unknown) => {};
  const deadline = createDeadline(() => fail(new Error(`less than 1 MiB of the body within ${stepMs} ms`)));
  const leave = () => fail(cancelledError(signal));
  const end = () => {
    deadline.stop();
    signal?.removeEventListener("abort", leave);
  };
  return new ReadableStream<Uint8Array>(
    {
      start(to) {
        let failed = false;
        fail = (reason) => {
          if (failed) return;
          failed = true;
          end();
          to.error(reason);
          reader.cancel(reason).catch(() => {});
        };
        signal?.addEventListener("abort", leave, { once: true });
        if (signal?.aborted) leave();
      },
      async pull(to) {
        const began = performance.now();
        deadline.expect(Math.max(1, leftMs));
        const { done, value } = await reader.read().catch((error: unknown) => {
          fail(error);
          throw error;
        });
        deadline.met();
        if (done) {
          end();
          to.close();
          return;
        }
        leftMs -= performance.now() - began;
        stepped += value.length;
        if (stepped >= stepBytes) {
          leftMs = stepMs;
          stepped = 0;
        }
        to.enqueue(value);
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
