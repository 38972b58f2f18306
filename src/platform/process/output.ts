// What a process writes to its standard output and standard error, whoever reads it.

import type { Writable } from "node:stream";
import { clearTimeout, setTimeout } from "node:timers";

/** Bytes of the log that may wait for its reader: some 50,000 lines. */
const mostWaiting = 16 * 1024 * 1024;
/** How long a text waits for others, in milliseconds: a call of the operating system costs more than ten lines. */
const gatherMs = 100;
/** Characters that are written at once. */
const mostGathered = 64 * 1024;

export interface Output {
  /** `mayWait`: not later than 100 ms after the one before, with what comes meanwhile. At a terminal nothing waits. */
  write(text: string, mayWait?: boolean): void;
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
  let waiting = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting === "") return;
    const text = waiting;
    waiting = "";
    written = performance.now();
    stream.write(text);
  };
  return {
    write(text, mayWait = false) {
      if (dropped && stream.writableLength > mostWaiting) return dropped();
      waiting += text;
      if (timer && mayWait && waiting.length < mostGathered) return;
      const pause = written + gatherMs - performance.now();
      if (!mayWait || pause <= 0 || stream.isTTY || waiting.length >= mostGathered) flush();
      else timer = setTimeout(flush, pause).unref();
    },
    flush,
  };
}
