// Content codings by zlib, which all runtimes have under the same name.

import { promisify } from "node:util";
import * as zlib from "node:zlib";
import type { Compression, ContentEncoding } from "../../base/index.ts";

type CompressWhole = (data: Uint8Array, options: object) => Promise<Uint8Array>;

/**
 * Functions and options of each coding. Beyond these levels a manifest hardly gets smaller:
 * `bench/compression.mjs` measures that.
 */
const codings = {
  br: {
    whole: promisify(zlib.brotliCompress) as unknown as CompressWhole,
    stream: zlib.createBrotliCompress,
    options: { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } },
    flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  },
  gzip: {
    whole: promisify(zlib.gzip) as unknown as CompressWhole,
    stream: zlib.createGzip,
    options: { level: 5 },
    flush: zlib.constants.Z_SYNC_FLUSH,
  },
} as const;

export const compression: Compression = {
  async whole(bytes, encoding) {
    const { whole, options } = codings[encoding];
    const out = await whole(bytes, options);
    return new Uint8Array(out.buffer as ArrayBuffer, out.byteOffset, out.byteLength);
  },
  stream: compressStream,
};

function compressStream(
  source: ReadableStream<Uint8Array>,
  encoding: ContentEncoding,
): ReadableStream<Uint8Array> {
  const { stream, options, flush } = codings[encoding];
  const coder = stream({ ...options, flush });
  const reader = source.getReader();
  let failure: unknown;
  let hasMade = false;
  let proceed: () => void = () => {};
  /** Passes a chunk, or the end, to the coder, and waits for all of its output. */
  const give = (chunk: Uint8Array | undefined) =>
    new Promise<void>((resolve) => {
      proceed = resolve;
      if (chunk) coder.write(chunk, () => resolve());
      else coder.end();
    });
  return new ReadableStream<Uint8Array>({
    start(controller) {
      coder.on("data", (made: Uint8Array) => {
        hasMade = true;
        controller.enqueue(new Uint8Array(made));
      });
      coder.on("error", (error) => {
        failure = error;
        proceed();
      });
      coder.on("end", () => proceed());
    },
    async pull(controller) {
      hasMade = false;
      // A stream that enqueues nothing is not pulled again.
      while (!hasMade) {
        const { done, value } = await reader.read().catch((error) => {
          coder.destroy();
          throw error;
        });
        await give(done ? undefined : value);
        if (failure !== undefined) throw failure;
        if (done) return controller.close();
      }
    },
    cancel(reason) {
      coder.destroy();
      return reader.cancel(reason);
    },
  });
}
