// What a process writes to its standard output and standard error, whoever reads it.

import type { Writable } from "node:stream";

/** Bytes of the log that may wait for its reader: some 50,000 lines. */
const mostWaiting = 16 * 1024 * 1024;

/**
 * Returns a function that writes to a stream. A reader that has gone costs what is written, not the process: an error of a stream that
 * nobody listens to would end it. `isBounded`: texts are left out while the reader is 16 MiB behind, which else would fill the memory.
 */
export function createOutput(stream: Writable, isBounded: boolean): (text: string) => void {
  stream.on("error", () => {});
  return (text) => {
    if (isBounded && stream.writableLength > mostWaiting) return;
    stream.write(text);
  };
}
