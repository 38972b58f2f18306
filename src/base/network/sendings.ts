// Large bodies that leave in pieces: a client that reads slowly makes the service hold one piece and not a
// copy of the whole, and a client that stops reading is disconnected on every runtime.

import { ServiceError } from "../errors.ts";
import { networkOf } from "./client-network.ts";

/** Bytes of a piece. */
const pieceBytes = 128 * 1024;

/** Bodies that are being sent. A body that several clients read at the same time counts once. */
export interface Sendings {
  /**
   * Returns a body for `client`, an address, in pieces. Makes room for it first: cuts bodies that nobody has
   * read from for a while, the longest wait first. Throws `busy` (code sending_full) if the rest leaves none,
   * or if the client's network alone is being sent half of what may be sent. The body ends with an error if
   * it is cut, or if nothing is read for `stallMs` (0: no limit). `ended` is called once, when the last piece
   * was read, the client has left or the body was cut.
   */
  send(
    bytes: Uint8Array<ArrayBuffer>,
    client: string | undefined,
    stallMs: number,
    ended: () => void,
  ): ReadableStream<Uint8Array>;
  /** Bytes of all bodies that are being sent. */
  held(): number;
}

interface Sending {
  readonly bytes: Uint8Array;
  readonly network: string | undefined;
  /** When a piece was last read, by `performance.now()`. */
  readAt: number;
  cut(): void;
}

/** Milliseconds without a read after which a body may be cut for others. */
const slowMs = 1_000;

/** Creates a ledger without bodies. `maxBytes`: limit for all that are sent at the same time. */
export function createSendings(maxBytes: number): Sendings {
  const running = new Set<Sending>();

  const fits = (bytes: Uint8Array, sendings: readonly Sending[], max: number) => {
    const held = bytesOf(sendings);
    return held === 0 || bytesOf([...sendings, { bytes }]) <= Math.max(max, held);
  };
  /** Cuts slow bodies of those that `among` accepts until `bytes` fit with the rest into `max`. */
  const makeRoom = (bytes: Uint8Array, max: number, among: (sending: Sending) => boolean) => {
    const now = performance.now();
    const rest = [...running].filter(among).sort((a, b) => b.readAt - a.readAt);
    while (!fits(bytes, rest, max)) {
      const slowest = rest.pop() as Sending;
      if (now - slowest.readAt <= slowMs)
        throw new ServiceError("busy", "Too many large responses are being sent. Try again in a moment.", {
          code: "sending_full",
        });
      slowest.cut();
    }
  };
  return {
    send(bytes, client, stallMs, ended) {
      const network = client === undefined ? undefined : networkOf(client);
      if (network !== undefined) makeRoom(bytes, maxBytes / 2, (other) => other.network === network);
      makeRoom(bytes, maxBytes, () => true);
      let at = 0;
      let timer: ReturnType<typeof setTimeout> | undefined;
      let stop = (_error?: Error) => {};
      const stopStalled = () => stop(new Error(`The client has read nothing for ${stallMs} ms.`));
      const expectRead = () => {
        clearTimeout(timer);
        if (stallMs === 0 || stallMs >= 2 ** 31) return; // a longer timer would end immediately
        timer = setTimeout(stopStalled, stallMs);
        (timer as { unref?(): void }).unref?.();
      };
      const sending: Sending = {
        bytes,
        network,
        readAt: performance.now(),
        cut: () => stop(new Error("The client reads too slowly, and others need the memory.")),
      };
      running.add(sending);
      expectRead();
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            stop = (error) => {
              if (!running.delete(sending)) return;
              clearTimeout(timer);
              if (error) controller.error(error);
              ended();
            };
          },
          pull(controller) {
            sending.readAt = performance.now();
            const end = Math.min(at + pieceBytes, bytes.length);
            controller.enqueue(bytes.subarray(at, end));
            at = end;
            if (at < bytes.length) return expectRead();
            controller.close();
            stop();
          },
          cancel: () => stop(),
        },
        { highWaterMark: 0 },
      );
    },
    held: () => bytesOf([...running]),
  };
}

/** Returns the bytes of some bodies; one that occurs several times counts once. */
const bytesOf = (sendings: readonly Pick<Sending, "bytes">[]): number =>
  [...new Set(sendings.map(({ bytes }) => bytes))].reduce((sum, { length }) => sum + length, 0);
