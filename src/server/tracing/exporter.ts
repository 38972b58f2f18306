// Sends finished traces to a collector, several per request (OTLP/HTTP with JSON). Nothing ever waits for it:
// traces that it cannot send in time are dropped and counted.

import {
  type Counts,
  concatenate,
  createSeldom,
  type Log,
  type Platform,
  type RequestRecord,
} from "../../base/index.ts";
import { type exportFrame, spansOf, storeSpan } from "./spans.ts";
import type { SpanTrace } from "./trace.ts";

export interface ExporterOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly log: Pick<Log, "warn">;
  readonly counts: Counts<"sent" | "dropped">;
  /** If work ends with its request: lets it continue after the response. */
  readonly keepAlive: ((work: Promise<unknown>) => void) | undefined;
  readonly frame: ReturnType<typeof exportFrame>;
  /** From the platform. */
  readonly sentOnce?: Platform["sentOnce"];
}

export interface Exporter {
  /** Takes the spans of an answered request. False: they are dropped. */
  add(trace: SpanTrace, request: RequestRecord): boolean;
  /** Takes the span of storing its derivative, which has ended after the request. */
  addStore(trace: SpanTrace, request: RequestRecord): void;
  close(): Promise<void>;
}

/** The body of one export. */
interface Batch {
  /** Its parts: the head, and spans with a comma before each but the first. */
  readonly text: Uint8Array[];
  bytes: number;
  /**
   * The latest traces, whose spans have not been written yet. They include stages that end until they are.
   */
  readonly unwritten: { readonly trace: SpanTrace; readonly request: RequestRecord }[];
  traces: number;
  /** When its first trace was answered, by `performance.now()`. */
  readonly since: number;
}

/** Number of traces whose spans are written together. */
const writtenTogether = 16;

/** Maximum number of waiting traces: about 8 MB. */
const maxWaiting = 2048;
/**
 * Size at which a batch is sent: by one group of written spans less than the default limit of proxies, 1 MB.
 * An export costs as much as hundreds of its traces.
 */
const wholeBytes = 850_000;
/** Number of traces at which a batch is sent: limits the loss if a batch of small ones is dropped. */
const wholeTraces = 512;
/** Milliseconds that a trace waits for others. */
const gatherMs = 5000;
/** If each request may send: milliseconds that it waits for another request to send in its place. */
const quietMs = 200;
/** If each request may send: milliseconds after which the oldest trace is sent, even if others come. */
const maxGatherMs = 1000;
/** Deadline of one export, including its response. */
const timeoutMs = 10_000;
/** Milliseconds within which all waiting traces are sent when the service ends. */
const closeMs = 3000;
/** Milliseconds of the pause after a failure; it doubles with each one in a row. */
const pauseMs = 1000;
/** Maximum milliseconds of a pause. */
const maxPauseMs = 60_000;
/** Statuses after which the same export may succeed (OTLP, "Retryable Response Codes"). */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Creates an exporter with an empty queue. */
export function createExporter(options: ExporterOptions): Exporter {
  const { url, token, log, counts, keepAlive, frame, sentOnce } = options;
  const headers = {
    "Content-Type": "application/json",
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  };
  /** Whole batches, the oldest first, and the one that grows. */
  const whole: Batch[] = [];
  let growing: Batch | undefined;
  /** Traces in all of them. */
  let waiting = 0;
  let newest = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let pausedUntil = 0;
  let closed = false;
  const isDue = createSeldom(60_000);

  const warn = (message: string, reason: string) => {
    if (isDue(message)) log.warn(message, { reason });
  };

  const retryLater = (batch: Batch, reason: string, retryAfterMs = 0) => {
    const pause = Math.min(maxPauseMs, Math.max(retryAfterMs, pauseMs * 2 ** Math.min(failures++, 10)));
    pausedUntil = performance.now() + pause;
    // The newest are kept: those are the ones that people look for.
    if (waiting + batch.traces > maxWaiting) counts.dropped.add(batch.traces);
    else {
      whole.unshift(batch);
      waiting += batch.traces;
    }
    warn("traces cannot be sent now; they are kept in memory, and dropped if too many are waiting", reason);
  };

  /** The batch that spans are added to. */
  const growingBatch = (ended: number): Batch => {
    growing ??= { text: [], bytes: 0, unwritten: [], traces: 0, since: ended };
    return growing;
  };

  const put = (batch: Batch, text: string) => {
    const bytes = utf8.encode(text);
    batch.text.push(bytes);
    batch.bytes += bytes.length;
  };
  const putSpans = (batch: Batch, spans: readonly object[]) =>
    put(batch, (batch.bytes === 0 ? frame.head : ",") + JSON.stringify(spans).slice(1, -1));
  const write = (batch: Batch) => {
    if (batch.unwritten.length === 0) return;
    const written = batch.unwritten.splice(0);
    putSpans(
      batch,
      written.flatMap(({ trace, request }) => spansOf(trace, request)),
    );
  };

  /** Completes the growing batch if it is full, so that it is sent immediately. */
  const completeIfWhole = (batch: Batch) => {
    if (batch.bytes < wholeBytes && batch.traces < wholeTraces) return;
    complete();
    clearTimeout(timer);
    timer = undefined;
  };

  /** Completes the growing batch: nothing more is added to it. */
  const complete = () => {
    if (!growing) return;
    write(growing);
    put(growing, frame.tail);
    whole.push(growing);
    growing = undefined;
  };

  /** Ends the export that is under way. Made for each, since on workerd no request may use another's. */
  let current: AbortController | undefined;

  const send = async (): Promise<void> => {
    if (whole.length === 0) complete();
    const batch = whole.shift();
    if (!batch) return;
    waiting -= batch.traces;
    const limit = new AbortController();
    current = limit;
    const late = setTimeout(() => limit.abort(), timeoutMs);
    try {
      const response = await fetch(url, {
        method: "POST",
        headers,
        body: concatenate(batch.text),
        redirect: "manual", // the token is for this collector alone
        ...sentOnce,
        signal: limit.signal,
      });
      await response.body?.cancel().catch(() => {});
      if (response.ok) {
        failures = 0;
        counts.sent.add(batch.traces);
      } else if (response.status >= 300 && response.status < 400) {
        retryLater(batch, redirected);
      } else if (passing.has(response.status)) {
        const seconds = Number(response.headers.get("retry-after"));
        retryLater(batch, `status ${response.status}`, seconds > 0 ? seconds * 1000 : 0);
      } else {
        counts.dropped.add(batch.traces);
        warn("traces are dropped because the collector refuses them", `status ${response.status}`);
      }
    } catch (error) {
      retryLater(batch, reasonOf(error));
    } finally {
      clearTimeout(late);
      if (current === limit) current = undefined; // it holds the request, with a copy of the batch
    }
  };

  const isEmpty = () => whole.length === 0 && !growing;
  const canSend = () => !isEmpty() && performance.now() >= pausedUntil;

  /** Sends waiting batches; later ones wait for their own time, unless they are full. */
  let sending: Promise<void> | undefined;
  const sendAll = (): Promise<void> => {
    sending ??= (async () => {
      do await send();
      while (canSend() && whole.length > 0);
    })().finally(() => {
      sending = undefined;
      if (!isEmpty()) later();
    });
    return sending;
  };

  const later = () => {
    if (closed || timer !== undefined || sending) return;
    const ms = Math.max(whole.length > 0 ? 0 : gatherMs, pausedUntil - performance.now());
    timer = setTimeout(() => {
      timer = undefined;
      void sendAll();
    }, ms);
    (timer as { unref?(): void }).unref?.();
  };

  /**
   * One of several requests sends for all: when no other has come for a moment, or the oldest has waited for
   * long.
   */
  const sendWithRequest = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const now = performance.now();
    const oldest = (whole[0] ?? growing)?.since ?? now;
    const isQuiet = now - newest >= quietMs * 0.9 || now - oldest >= maxGatherMs;
    if (canSend() && (isQuiet || whole.length > 0)) await send();
  };

  return {
    add(trace, request) {
      if (closed || waiting >= maxWaiting) {
        counts.dropped.add();
        return false;
      }
      const batch = growingBatch(request.ended);
      batch.unwritten.push({ trace, request });
      if (batch.unwritten.length >= writtenTogether) write(batch);
      batch.traces++;
      waiting++;
      newest = request.ended;
      completeIfWhole(batch);
      if (keepAlive) keepAlive(sendWithRequest());
      else later();
      return true;
    },
    addStore(trace, request) {
      if (closed) return;
      const batch = growingBatch(request.ended);
      // The unwritten trace includes it.
      if (batch.unwritten.some((one) => one.request === request)) return;
      putSpans(batch, [storeSpan(trace, request)]);
      completeIfWhole(batch);
      // If each request sends its own, its trace is still waiting to do so.
      if (!keepAlive) later();
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
      for (let before = failures; !isEmpty() && !isLate && failures <= before; ) {
        // Ends after the first failure; a success sets their number back to 0.
        before = failures;
        await send();
      }
      clearTimeout(late);
      counts.dropped.add(waiting);
      whole.length = waiting = 0;
    },
  };
}

const utf8 = new TextEncoder();

/** Reason for not following a redirect: the runtime reports it as an error or as the status. */
const redirected = "a redirect";

/** Returns the reason of a failed fetch, without the address. */
function reasonOf(error: unknown): string {
  const { code, name, message } = ((error as { cause?: unknown }).cause ?? error) as Partial<Error> & {
    code?: string;
  };
  return message === "unexpected redirect" ? redirected : (code ?? name ?? "unknown");
}
