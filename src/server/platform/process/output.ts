// Standard output and standard error of a process, for any reader.

import type { Writable } from "node:stream";
import { clearTimeout, setTimeout } from "node:timers";

/** Bytes of the log that may wait for a slow reader: about 50,000 lines. */
const maxWaiting = 16 * 1024 * 1024;
/** Milliseconds that a text waits for others: a system call costs more than ten lines. */
const gatherMs = 100;
/** Maximum of texts that wait for others. Their data stays in memory until then. */
const maxTexts = 32;

/** A text, or a function that returns it when it is written and never throws. */
type Text = string | (() => string);

export interface Output {
  /**
   * Writes a text. `mayWait`: at most 100 ms after the one before, together with later ones. At a terminal
   * nothing waits.
   */
  write(text: Text, mayWait?: boolean): void;
  /** Writes everything that is waiting. */
  flush(): void;
}

/**
 * Creates an output to a stream. If its reader has gone, texts are lost but not the process: an unhandled
 * error of a stream would end it. `dropped`: if given, texts are dropped while the reader is 16 MiB behind,
 * which would otherwise fill the memory; called for each.
 */
export function createOutput(stream: Writable & { readonly isTTY?: boolean }, dropped?: () => void): Output {
  stream.on("error", () => {});
  const waiting: Text[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    written = performance.now();
    const texts = waiting.splice(0).map((text) => (typeof text === "string" ? text : text()));
    stream.write(texts.join(""));
  };
  return {
    write(text, mayWait = false) {
      if (dropped && stream.writableLength > maxWaiting) return dropped();
      waiting.push(text);
      const isFull = waiting.length >= maxTexts;
      if (timer && mayWait && !isFull) return;
      const pause = written + gatherMs - performance.now();
      if (!mayWait || isFull || pause <= 0 || stream.isTTY) flush();
      else timer = setTimeout(flush, pause).unref();
    },
    flush,
  };
}
