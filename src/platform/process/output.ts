// What a process writes to its standard output and standard error, whoever reads it.

import type { Writable } from "node:stream";
import { clearTimeout, setTimeout } from "node:timers";

/** Bytes of the log that may wait for its reader: some 50,000 lines. */
const mostWaiting = 16 * 1024 * 1024;
/** How long a text waits for others, in milliseconds: a call of the operating system costs more than ten lines. */
const gatherMs = 100;
/** Texts that wait for others at most. What they are made of stays in memory until then. */
const mostTexts = 32;

/** A text, or a function that returns it when it is written and never throws. */
type Text = string | (() => string);

export interface Output {
  /**
   * Writes a text. `mayWait`: not later than 100 ms after the one before, with what comes meanwhile. At a terminal nothing
   * waits.
   */
  write(text: Text, mayWait?: boolean): void;
  /** Writes what waits. */
  flush(): void;
}

/**
 * Output to a stream. A reader that has gone costs what is written, not the process: an error of a stream that nobody listens to would end
 * it. `dropped`: where it is given, texts are left out while the reader is 16 MiB behind, which else would fill the memory; called for
 * each.
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
      if (dropped && stream.writableLength > mostWaiting) return dropped();
      waiting.push(text);
      const isFull = waiting.length >= mostTexts;
      if (timer && mayWait && !isFull) return;
      const pause = written + gatherMs - performance.now();
      if (!mayWait || isFull || pause <= 0 || stream.isTTY) flush();
      else timer = setTimeout(flush, pause).unref();
    },
    flush,
  };
}
