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

/** The traces that wait to be sent; none at first. */
export class Exporter {
  readonly #options: ExporterOptions;
  /** Whole batches, the oldest first, and the one that grows. */
  readonly #whole: Batch[] = [];
  #growing: Batch | undefined;
  /** Traces in all of them. */
  #waiting = 0;
  #newest = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #pausedUntil = 0;
  #closed = false;
  readonly #isDue = createSeldom(60_000);
  /** Ends the export that is under way. Made for each, since on workerd no request may use another's. */
  #current: AbortController | undefined;
  /** The sending of all batches that wait. */
  #sending: Promise<void> | undefined;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  /** Takes the spans of an answered request. False: they are dropped. */
  add(trace: SpanTrace, request: RequestRecord): boolean {
    if (this.#closed || this.#waiting >= maxWaiting) {
      this.#options.counts.dropped.add();
      return false;
    }
    const batch = this.#growingBatch(request.ended);
    batch.unwritten.push({ trace, request });
    if (batch.unwritten.length >= writtenTogether) this.#write(batch);
    batch.traces++;
    this.#waiting++;
    this.#newest = request.ended;
    this.#completeIfWhole(batch);
    if (this.#options.keepAlive) this.#options.keepAlive(this.#sendWithRequest());
    else this.#later();
    return true;
  }

  /** Takes the span of storing its derivative, which has ended after the request. */
  addStore(trace: SpanTrace, request: RequestRecord): void {
    if (this.#closed) return;
    const batch = this.#growingBatch(request.ended);
    // The unwritten trace includes it.
    if (batch.unwritten.some((one) => one.request === request)) return;
    this.#putSpans(batch, [storeSpan(trace, request)]);
    this.#completeIfWhole(batch);
    // If each request sends its own, its trace is still waiting to do so.
    if (!this.#options.keepAlive) this.#later();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    let isLate = false;
    const late = setTimeout(() => {
      isLate = true;
      this.#current?.abort();
    }, closeMs);
    await this.#sending;
    this.#pausedUntil = 0;
    for (let before = this.#failures; !this.#isEmpty() && !isLate && this.#failures <= before; ) {
      // Ends after the first failure; a success sets their number back to 0.
      before = this.#failures;
      await this.#send();
    }
    clearTimeout(late);
    this.#options.counts.dropped.add(this.#waiting);
    this.#whole.length = this.#waiting = 0;
  }

  #warn(message: string, reason: string): void {
    if (this.#isDue(message)) this.#options.log.warn(message, { reason });
  }

  #retryLater(batch: Batch, reason: string, retryAfterMs = 0): void {
    const pause = Math.min(maxPauseMs, Math.max(retryAfterMs, pauseMs * 2 ** Math.min(this.#failures++, 10)));
    this.#pausedUntil = performance.now() + pause;
    // The newest are kept: those are the ones that people look for.
    if (this.#waiting + batch.traces > maxWaiting) this.#options.counts.dropped.add(batch.traces);
    else {
      this.#whole.unshift(batch);
      this.#waiting += batch.traces;
    }
    this.#warn(
      "traces cannot be sent now; they are kept in memory, and dropped if too many are waiting",
      reason,
    );
  }

  /** Returns the batch that spans are added to. */
  #growingBatch(ended: number): Batch {
    this.#growing ??= { text: [], bytes: 0, unwritten: [], traces: 0, since: ended };
    return this.#growing;
  }

  #putSpans(batch: Batch, spans: readonly object[]): void {
    const before = batch.bytes === 0 ? this.#options.frame.head : ",";
    put(batch, before + JSON.stringify(spans).slice(1, -1));
  }

  #write(batch: Batch): void {
    const spans = batch.unwritten.splice(0).flatMap(({ trace, request }) => spansOf(trace, request));
    if (spans.length > 0) this.#putSpans(batch, spans);
  }

  /** Completes the growing batch if it is full, so that it is sent immediately. */
  #completeIfWhole(batch: Batch): void {
    if (batch.bytes < wholeBytes && batch.traces < wholeTraces) return;
    this.#complete();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Completes the growing batch: nothing more is added to it. */
  #complete(): void {
    if (!this.#growing) return;
    this.#write(this.#growing);
    put(this.#growing, this.#options.frame.tail);
    this.#whole.push(this.#growing);
    this.#growing = undefined;
  }

  async #send(): Promise<void> {
    if (this.#whole.length === 0) this.#complete();
    const batch = this.#whole.shift();
    if (!batch) return;
    this.#waiting -= batch.traces;
    const limit = new AbortController();
    this.#current = limit;
    const late = setTimeout(() => limit.abort(), timeoutMs);
    try {
      const { url, token, sentOnce } = this.#options;
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        },
        body: concatenate(batch.text),
        redirect: "manual", // the token is for this collector alone
        ...sentOnce,
        signal: limit.signal,
      });
      await response.body?.cancel().catch(() => {});
      this.#heed(response, batch);
    } catch (error) {
      this.#retryLater(batch, reasonOf(error));
    } finally {
      clearTimeout(late);
      if (this.#current === limit) this.#current = undefined; // it holds the request, with a copy of the batch
    }
  }

  /** Takes the result of an export. */
  #heed({ ok, status, headers }: Response, batch: Batch): void {
    const { counts } = this.#options;
    if (ok) {
      this.#failures = 0;
      counts.sent.add(batch.traces);
    } else if (status >= 300 && status < 400) {
      this.#retryLater(batch, redirected);
    } else if (passing.has(status)) {
      const seconds = Number(headers.get("retry-after"));
      this.#retryLater(batch, `status ${status}`, seconds > 0 ? seconds * 1000 : 0);
    } else {
      counts.dropped.add(batch.traces);
      this.#warn("traces are dropped because the collector refuses them", `status ${status}`);
    }
  }

  #isEmpty(): boolean {
    return this.#whole.length === 0 && !this.#growing;
  }

  #canSend(): boolean {
    return !this.#isEmpty() && performance.now() >= this.#pausedUntil;
  }

  #sendAll(): Promise<void> {
    this.#sending ??= (async () => {
      do await this.#send();
      while (this.#canSend() && this.#whole.length > 0);
    })().finally(() => {
      this.#sending = undefined;
      if (!this.#isEmpty()) this.#later();
    });
    return this.#sending;
  }

  #later(): void {
    if (this.#closed || this.#timer !== undefined || this.#sending) return;
    const ms = Math.max(this.#whole.length > 0 ? 0 : gatherMs, this.#pausedUntil - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#sendAll();
    }, ms);
    (this.#timer as { unref?(): void }).unref?.();
  }

  /**
   * One of several requests sends for all: when no other has come for a moment, or the oldest has waited for
   * long.
   */
  async #sendWithRequest(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, quietMs));
    const now = performance.now();
    const oldest = (this.#whole[0] ?? this.#growing)?.since ?? now;
    const isQuiet = now - this.#newest >= quietMs * 0.9 || now - oldest >= maxGatherMs;
    if (this.#canSend() && (isQuiet || this.#whole.length > 0)) await this.#send();
  }
}

const utf8 = new TextEncoder();

function put(batch: Batch, text: string): void {
  const bytes = utf8.encode(text);
  batch.text.push(bytes);
  batch.bytes += bytes.length;
}

/** Reason for not following a redirect: the runtime reports it as an error or as the status. */
const redirected = "a redirect";

/** Returns the reason of a failed fetch, without the address. */
function reasonOf(error: unknown): string {
  const { code, name, message } = ((error as { cause?: unknown }).cause ?? error) as Partial<Error> & {
    code?: string;
  };
  return message === "unexpected redirect" ? redirected : (code ?? name ?? "unknown");
}
