// Bodies that are made while they are sent.

export interface Streaming {
  /** Receives the error that ends the body early, unless its reader left. */
  readonly failed: (error: unknown) => void;
  /** Milliseconds without a read after which the body ends with an error; absent or 0: no limit. */
  readonly stallMs?: number | undefined;
  /** Called once, when the last part was read, the reader has left or the body was cut. */
  readonly ended?: (() => void) | undefined;
}

/**
 * Streams parts made on demand, one ahead of its reader. A reader who leaves stops this; an error ends the
 * stream, and the connection is cut, so that no client takes a part for the whole.
 */
export function streamOf(
  parts: AsyncGenerator<Uint8Array>,
  { failed, stallMs = 0, ended = () => {} }: Streaming,
): ReadableStream<Uint8Array> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    ended();
  };
  /** Ends the parts; nobody is left to hear of an error. */
  const leave = async () => {
    end();
    await parts.return(undefined).catch(() => {});
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer);
        try {
          const { done, value } = await parts.next();
          // The reader may have left meanwhile.
          if (isOver) return;
          if (done) {
            end();
            return controller.close();
          }
          controller.enqueue(value);
        } catch (error) {
          if (isOver) return;
          end();
          failed(error);
          throw error;
        }
        // A longer timer would end immediately.
        if (stallMs === 0 || stallMs >= 2 ** 31) return;
        timer = setTimeout(() => {
          controller.error(new Error(`The client has read nothing for ${stallMs} ms.`));
          void leave();
        }, stallMs);
        (timer as { unref?(): void }).unref?.();
      },
      cancel: leave,
    },
    { highWaterMark: 1 },
  );
}
