// What a process writes to its standard output and standard error, whoever reads it.

import { Buffer } from "node:buffer";
import type { Writable } from "node:stream";
import { clearTimeout, setTimeout } from "node:timers";
import { ByteText, type WriteText } from "../../lib/text/byte-text.ts";

/** Bytes of the log that may wait for its reader: some 50,000 lines. */
const mostWaiting = 16 * 1024 * 1024;
/** How long a text waits for others, in milliseconds: a call of the operating system costs more than ten lines. */
const gatherMs = 100;
/** Bytes that are written at once. */
const mostGathered = 64 * 1024;

/** Bytes of the memory for what waits; what a longer line needs is dropped when it is written. */
const waitingBytes = 4 * mostGathered;

/** Lines that are made together at most. */
const mostUnmade = 16;

export interface Output {
  /**
   * A text, or a function that appends it when it is written. `mayWait`: not later than 100 ms after the one before, with what comes
   * meanwhile. At a terminal nothing waits.
   */
  write(text: string | WriteText, mayWait?: boolean): void;
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
  let waiting = new ByteText(waitingBytes);
  /** What waits behind it and is not made yet. Made one after the other, lines cost half of what they do between other work. */
  const unmade: WriteText[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const writeWaiting = () => {
    if (waiting.length === 0) return;
    written = performance.now();
    stream.write(Buffer.from(waiting.view()));
    waiting.length = 0;
    if (waiting.bytes.length > waitingBytes) waiting = new ByteText(waitingBytes);
  };
  const add = (text: string) => {
    // A character has three bytes at most.
    if (3 * text.length > waitingBytes - waiting.length) writeWaiting();
    if (3 * text.length > waitingBytes) stream.write(text);
    else waiting.text(text);
  };
  const makeAll = () => {
    for (const make of unmade.splice(0)) {
      const begin = waiting.length;
      try {
        make(waiting);
      } catch (error) {
        waiting.length = begin;
        throw error;
      }
      if (waiting.length > waitingBytes - mostGathered) writeWaiting();
    }
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
      if (timer && mayWait && waiting.length < mostGathered) return;
      const pause = written + gatherMs - performance.now();
      if (!mayWait || pause <= 0 || stream.isTTY || waiting.length >= mostGathered) flush();
      else timer = setTimeout(flush, pause).unref();
    },
    flush,
  };
}
