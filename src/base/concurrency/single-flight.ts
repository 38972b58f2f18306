// Runs one task for all callers that ask for the same key at the same time.

import { cancelledError, ServiceError } from "../errors.ts";
import { unlessAborted } from "./bounded-wait.ts";

export interface SingleFlight<T> {
  /** Number of keys with a task in progress. */
  readonly size: number;
  /** True if `run` would join work in progress. */
  has(key: string): boolean;
  /**
   * Returns the result of `work`, or of the work in progress for `key`. All callers get the same value or
   * error. When `signal` aborts, only this caller leaves, with ServiceError `cancelled`; the work's own
   * signal aborts when all have left, and later callers start again.
   */
  run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/** Receives work that continues after its caller has left. */
export type KeepAlive = (work: Promise<unknown>) => void;

/** Returns a registry of tasks in progress. */
export function createSingleFlight<T>(keepAlive: KeepAlive = () => {}): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const controller = new AbortController();
    const forget = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    // An async wrapper, so that work that throws synchronously rejects like any other.
    const result = (async () => work(controller.signal))();
    const flight: Flight<T> = { result, controller, waiters: 0 };
    flights.set(key, flight);
    // Also handles a rejection that nobody waits for any more.
    keepAlive(result.then(forget, forget));
    return flight;
  };

  const leave = (key: string, flight: Flight<T>): void => {
    flight.waiters--;
    if (flight.waiters > 0 || flights.get(key) !== flight) return;
    flights.delete(key);
    flight.controller.abort(new ServiceError("cancelled", "All who waited for the work have left."));
  };

  return {
    get size() {
      return flights.size;
    },
    has: (key) => flights.has(key),
    run(key, work, signal) {
      if (signal?.aborted) return Promise.reject(cancelledError(signal));
      const flight = flights.get(key) ?? start(key, work);
      flight.waiters++;
      return unlessAborted(flight.result, signal, () => leave(key, flight));
    },
  };
}
