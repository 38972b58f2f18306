// Requests as the service counts them: by class of route and status, with their latest durations and the
// latest errors.

import type { Counter, Counts } from "../../base/index.ts";
import { type RouteClass, routeClasses, type statusClasses } from "./figures.ts";
import type { Histogram } from "./histogram.ts";
import type { Registry } from "./registry.ts";
import { createRing } from "./ring.ts";

/** A response with status 4xx or 5xx. Neither path nor client is stored. */
export interface RecentError {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly route: RouteClass;
  readonly status: number;
}

/** Number of recorded errors. */
export const maxRecentErrors = 50;

export interface RouteReading {
  readonly route: RouteClass;
  readonly requests: number;
  /** Failures of the service: status 5xx without 501. */
  readonly errors: number;
  /** Status 4xx and 501, without the challenges that make browsers ask for a password. */
  readonly clientErrors: number;
  readonly bytes: number;
  /** Median of the latest 1,024 durations, in seconds; undefined before the first. */
  readonly p50: number | undefined;
  readonly p95: number | undefined;
  readonly p99: number | undefined;
}

export interface RequestFigures {
  /** A request has come. */
  begin(): void;
  /**
   * Its response is there. `bytes`: of its body; `ms`: since it came. `isChallenge`: it only asks the browser
   * for a password (RFC 7617), and is no error.
   */
  end(route: RouteClass, status: number, bytes: number, ms: number, isChallenge?: boolean): void;
  /** Does not count a request that began: its response has no end of its own. */
  drop(): void;
  /** Requests above the caps. */
  readonly refused: Counts<"all" | "address">;
  inFlight(): number;
  /** All that were answered. */
  total(): number;
  /** Requests answered a second, over the last ten seconds. */
  perSecond(): number;
  routes(): readonly RouteReading[];
  /** Failures of the service, the newest first. */
  recentErrors(): readonly RecentError[];
  /** Errors of clients and masters, the newest first. */
  recentClientErrors(): readonly RecentError[];
}

/** Status of a response that nobody receives. */
const clientLeft = 499;

type StatusClass = (typeof statusClasses)[number];

/** Status of unsupported masters and operations. */
const unsupported = 501;

/** True if a status means that the service failed: 501 is about the master. */
export const isServiceFailure = (status: number): boolean => status >= 500 && status !== unsupported;

/** The class of a status from 200 to 599. */
function classOf(status: number): StatusClass {
  if (status < 300) return "2xx";
  if (status < 400) return "3xx";
  if (status === clientLeft) return "cancelled";
  if (status < 500) return "4xx";
  return isServiceFailure(status) ? "5xx" : "unsupported";
}

interface RouteFigures {
  readonly responses: Counts<StatusClass>;
  readonly bytes: Counter;
  readonly duration: Histogram;
  challenges: number;
}

/** Declares the figures of requests and counts them. */
export function createRequestFigures({ counter, histogram, gauge }: Registry): RequestFigures {
  const figuresOf = (route: RouteClass): RouteFigures => ({
    responses: {
      "2xx": counter("http_requests", { route, status: "2xx" }),
      "3xx": counter("http_requests", { route, status: "3xx" }),
      "4xx": counter("http_requests", { route, status: "4xx" }),
      "5xx": counter("http_requests", { route, status: "5xx" }),
      unsupported: counter("http_requests", { route, status: "unsupported" }),
      cancelled: counter("http_requests", { route, status: "cancelled" }),
    },
    bytes: counter("http_response", { route }),
    duration: histogram("http_request_duration", { route }),
    challenges: 0,
  });
  const byRoute = Object.fromEntries(routeClasses.map((route) => [route, figuresOf(route)])) as Record<
    RouteClass,
    RouteFigures
  >;
  const failures = createRing<RecentError>(maxRecentErrors);
  const clientErrors = createRing<RecentError>(maxRecentErrors);
  const rate = createRate();
  let inFlight = 0;
  gauge("http_requests_in_flight", {}, () => inFlight);

  const sum = (counters: readonly Counter[]) => counters.reduce((total, { value }) => total + value, 0);
  const all = (responses: RouteFigures["responses"]) => sum(Object.values(responses));
  return {
    begin() {
      inFlight++;
    },
    end(route, status, bytes, ms, isChallenge = false) {
      inFlight--;
      const { responses, bytes: sent, duration } = byRoute[route];
      responses[classOf(status)].add();
      sent.add(bytes);
      duration.record(ms / 1000);
      rate.add(performance.now());
      if (isChallenge) byRoute[route].challenges++;
      else if (status >= 400 && status !== clientLeft)
        (isServiceFailure(status) ? failures : clientErrors).add({ at: Date.now(), route, status });
    },
    drop() {
      inFlight--;
    },
    inFlight: () => inFlight,
    total: () => routeClasses.reduce((total, route) => total + all(byRoute[route].responses), 0),
    refused: {
      all: counter("http_requests_refused", { cap: "all" }),
      address: counter("http_requests_refused", { cap: "address" }),
    },
    perSecond: () => rate.read(performance.now()),
    routes: () =>
      routeClasses.map((route) => {
        const { responses, bytes, duration, challenges } = byRoute[route];
        const [p50, p95, p99] = duration.percentiles([0.5, 0.95, 0.99]);
        return {
          route,
          requests: all(responses),
          errors: responses["5xx"].value,
          clientErrors: sum([responses["4xx"], responses.unsupported]) - challenges,
          bytes: bytes.value,
          p50,
          p95,
          p99,
        };
      }),
    recentErrors: failures.read,
    recentClientErrors: clientErrors.read,
  };
}

/** Whole seconds that a rate is taken over. */
const window = 10;

export interface Rate {
  /** One more event. `now`: milliseconds, never going back. */
  add(now: number): void;
  /** Events a second over the last ten whole seconds before `now`. */
  read(now: number): number;
}

/** A rate over events that begins at zero. */
export function createRate(): Rate {
  const size = window + 1;
  const counts = new Float64Array(size);
  /** The second that each count is of. */
  const seconds = new Float64Array(size).fill(-1);
  return {
    add(now) {
      const second = Math.floor(now / 1000);
      const at = second % size;
      if (seconds[at] !== second) {
        seconds[at] = second;
        counts[at] = 0;
      }
      counts[at] = (counts[at] as number) + 1;
    },
    read(now) {
      const second = Math.floor(now / 1000);
      let sum = 0;
      for (let at = 0; at < size; at++) {
        const age = second - (seconds[at] as number);
        if (seconds[at] !== -1 && age >= 1 && age <= window) sum += counts[at] as number;
      }
      return sum / window;
    },
  };
}
