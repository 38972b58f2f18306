// One piece of work for all who ask for the same thing at the same time.

import { cancelled, ServiceError } from "../../errors.ts";
import { unlessAborted } from "./bounded-wait.ts";

export interface SingleFlight<T> {
  /** Keys with work under way. */
  readonly size: number;
  /** Whether `run` would join work that is under way. */
  has(key: string): boolean;
  /**
   * The result of `work`, or of the work under way for `key`. All who wait get the same value or error. When `signal`
   * aborts, only this caller leaves, with ServiceError `cancelled`; the work's own signal aborts when all have left,
   * and whoever asks after that starts again.
   */
  run(key: string, work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

interface Flight<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/** Hears of work that goes on when whoever asked for it has left. */
export type KeepAlive = (work: Promise<unknown>) => void;

/** A registry of work under way. */
export function createSingleFlight<T>(keepAlive: KeepAlive = () => {}): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  const start = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const controller = new AbortController();
    const forget = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    // An async wrapper, so that work that throws at once rejects like any other.
    const result = (async () => work(controller.signal))();
    const flight: Flight<T> = { result, controller, waiters: 0 };
    flights.set(key, flight);
    // Also keeps a rejection that nobody waits for any more from being unhandled.
    keepAlive(result.then(forget, forget));
    return flight;
  };

  const leave = (key: string, flight: Flight<T>): void => {
    flight.waiters--;
    if (flight.waiters > 0 || flights.get(key) !== flight) return;
    flights.delete(key);
    flight.controller.abort(new ServiceError("cancelled", "All who waited for the work have gone."));
  };

  return {
    get size() {
      return flights.size;
    },
    has: (key) => flights.has(key),
    run(key, work, signal) {
      if (signal?.aborted) return Promise.reject(cancelled(signal));
      const flight = flights.get(key) ?? start(key, work);
      flight.waiters++;
      return unlessAborted(flight.result, signal, () => leave(key, flight));
    },
  };
}
