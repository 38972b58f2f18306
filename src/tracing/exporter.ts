// Sends finished traces to a collector, several by one request (OTLP/HTTP with JSON). Nothing ever waits for it: what it cannot
// send in time is dropped and counted.

import type { Counts } from "../lib/count.ts";
import type { Log } from "../lib/log.ts";
import { createSeldom } from "../lib/seldom.ts";
import type { Finished } from "./spans.ts";

export interface ExporterOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly log: Pick<Log, "warn">;
  readonly counts: Counts<"sent" | "dropped">;
  /** Where work ends with its request: lets it go on when that is answered. */
  readonly keepAlive: ((work: Promise<unknown>) => void) | undefined;
  readonly write: (finished: readonly Finished[]) => string;
}

export interface Exporter {
  add(finished: Finished): void;
  close(): Promise<void>;
}

/** Traces that wait at most: a few megabytes. */
const mostWaiting = 2048;
/** Traces of one request: some 1 MB. */
const mostAtOnce = 256;
/** How long a trace waits for others. */
const gatherMs = 5000;
/** The same where each request sends for itself: how long it waits for another one to do so, and a trace at most. */
const quietMs = 200;
const mostGatherMs = 1000;
/** For one export, its answer included. */
const timeoutMs = 10_000;
/** All that waits is sent within this time when the service ends. */
const closeMs = 3000;
/** Pause after a failure; it doubles with each one in a row. */
const pauseMs = 1000;
const mostPauseMs = 60_000;
/** Statuses after which the same export may succeed (OTLP, "Retryable Response Codes"). */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** An exporter whose queue is empty. */
export function createExporter(options: ExporterOptions): Exporter {
  const { url, token, log, counts, keepAlive, write } = options;
  const headers = {
    "Content-Type": "application/json",
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  let waiting: Finished[] = [];
  let newest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let pausedUntil = 0;
  let closed = false;
  const isDue = createSeldom(60_000);

  const warn = (message: string, reason: string) => {
    if (isDue(message)) log.warn(message, { reason });
  };

  const failedOnce = (batch: readonly Finished[], reason: string, retryAfterMs = 0) => {
    const pause = Math.min(mostPauseMs, Math.max(retryAfterMs, pauseMs * 2 ** Math.min(failures++, 10)));
    pausedUntil = performance.now() + pause;
    const room = Math.max(0, mostWaiting - waiting.length);
    // The newest are kept: they are what somebody is looking for.
    waiting = [...batch.slice(Math.max(0, batch.length - room)), ...waiting];
    counts.dropped.add(Math.max(0, batch.length - room));
    warn("traces cannot be sent now; they are kept in memory, and dropped when too many wait", reason);
  };

  /** Ends the export that is under way. Made for each, since on workerd no request may use another's. */
  let current: AbortController | undefined;

  const send = async (): Promise<void> => {
    const batch = waiting.splice(0, mostAtOnce);
    if (batch.length === 0) return;
    const limit = new AbortController();
    current = limit;
    const late = setTimeout(() => limit.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: write(batch),
        redirect: "manual",
        signal: limit.signal,
      });
      await response.body?.cancel().catch(() => {});
      if (response.ok) {
        failures = 0;
        counts.sent.add(batch.length);
      } else if (passing.has(response.status)) {
        const seconds = Number(response.headers.get("retry-after"));
        failedOnce(batch, `status ${response.status}`, seconds > 0 ? seconds * 1000 : 0);
      } else {
        counts.dropped.add(batch.length);
        warn("traces are dropped, since the collector refuses them", `status ${response.status}`);
      }
    } catch (error) {
      failedOnce(batch, reasonOf(error));
    } finally {
      clearTimeout(late);
    }
  };

  const canSend = () => waiting.length > 0 && performance.now() >= pausedUntil;

  /** Sends what waits; what comes meanwhile waits for its own time, unless it is enough for an export. */
  let sending: Promise<void> | undefined;
  const sendAll = (): Promise<void> => {
    sending ??= (async () => {
      do await send();
      while (canSend() && waiting.length >= mostAtOnce);
    })().finally(() => {
      sending = undefined;
      if (waiting.length > 0) later();
    });
    return sending;
  };

  const later = () => {
    if (closed || timer !== undefined || sending) return;
    const ms = Math.max(waiting.length >= mostAtOnce ? 0 : gatherMs, pausedUntil - performance.now());
    timer = setTimeout(() => {
      timer = undefined;
      void sendAll();
    }, ms);
    (timer as { unref?(): void }).unref?.();
  };

  /** One of several requests sends for all: when no other has come for a moment, or the oldest has waited for long. */
  const sendWithRequest = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const now = performance.now();
    const oldest = waiting[0]?.answered.ended ?? now;
    const isQuiet = now - newest >= quietMs * 0.9 || now - oldest >= mostGatherMs;
    if (canSend() && (isQuiet || waiting.length >= mostAtOnce)) await send();
  };

  return {
    add(finished) {
      if (closed || waiting.length >= mostWaiting) return counts.dropped.add();
      waiting.push(finished);
      newest = finished.answered.ended;
      if (keepAlive) return keepAlive(sendWithRequest());
      if (waiting.length === mostAtOnce) {
        clearTimeout(timer);
        timer = undefined;
      }
      later();
    },
    async close() {
      closed = true;
      clearTimeout(timer);
      let isLate = false;
      const late = setTimeout(() => {
        isLate = true;
        current?.abort();
      }, closeMs);
      await sending;
      pausedUntil = 0;
      const before = failures;
      while (waiting.length > 0 && !isLate && failures === before) await send();
      clearTimeout(late);
      counts.dropped.add(waiting.length);
      waiting = [];
    },
  };
}

/** What a failed fetch says of its reason, without the address. */
function reasonOf(error: unknown): string {
  const { code, name } = ((error as { cause?: unknown }).cause ?? error) as { code?: string; name?: string };
  return code ?? name ?? "unknown";
}
