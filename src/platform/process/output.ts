// What a process writes to its standard output and standard error, whoever reads it.

import { Buffer } from "node:buffer";
import type { Writable } from "node:stream";
import { clearTimeout, setTimeout } from "node:timers";

/** Bytes of the log that may wait for its reader: some 50,000 lines. */
const mostWaiting = 16 * 1024 * 1024;
/** How long a text waits for others, in milliseconds: a call of the operating system costs more than ten lines. */
const gatherMs = 100;
/** Bytes that are written at once. */
const mostGathered = 64 * 1024;

/** Lines that are made together at most. */
const mostUnmade = 64;

export interface Output {
  /**
   * A text, or a function that makes it when it is written, which has to return one. `mayWait`: not later than 100 ms after the one
   * before, with what comes meanwhile. At a terminal nothing waits.
   */
  write(text: string | (() => string), mayWait?: boolean): void;
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
  // As bytes: of strings that were put together all parts would wait, as objects that are collected late.
  const waiting = Buffer.allocUnsafeSlow(4 * mostGathered);
  let length = 0;
  /** What waits behind it and is not made yet. Made one after the other, lines cost half of what they do between other work. */
  const unmade: (() => string)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const writeWaiting = () => {
    if (length === 0) return;
    written = performance.now();
    stream.write(Buffer.from(waiting.subarray(0, length)));
    length = 0;
  };
  const add = (text: string) => {
    // A character has three bytes at most.
    if (3 * text.length > waiting.length - length) writeWaiting();
    if (3 * text.length > waiting.length) stream.write(text);
    else length += waiting.write(text, length);
  };
  const makeAll = () => {
    for (const text of unmade.splice(0)) add(text());
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    makeAll();
    writeWaiting();
  };
  return {
    write(text, mayWait = false) {
      if (dropped && stream.writableLength > mostWaiting) return dropped();
      if (typeof text === "function") unmade.push(text);
      if (typeof text === "string" || unmade.length >= mostUnmade) makeAll();
      if (typeof text === "string") add(text);
      if (timer && mayWait && length < mostGathered) return;
      const pause = written + gatherMs - performance.now();
      if (!mayWait || pause <= 0 || stream.isTTY || length >= mostGathered) flush();
      else timer = setTimeout(flush, pause).unref();
    },
    flush,
  };
}
