// Compression of streams: bytes leave as they come, and ends and errors are passed on.

import { brotliDecompressSync, createBrotliDecompress, createGunzip, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { compression } from "../../../src/server/platform/compression.ts";
import { seeded } from "../../seeded.ts";

const decoders = {
  br: { whole: brotliDecompressSync, stream: createBrotliDecompress },
  gzip: { whole: gunzipSync, stream: createGunzip },
} as const;

describe.each(["br", "gzip"] as const)("%s", (encoding) => {
  const { whole, stream } = decoders[encoding];
  const random = seeded(7);
  const streamOf = (chunks: readonly Uint8Array[]) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
  const bytes = (length: number) => Uint8Array.from({ length }, () => random(256));

  test.each([[[]], [[0]], [[1]], [[5, 0, 70_000, 1]], [[300_000]]])(
    "a stream of chunks of %j bytes comes out as it went in",
    async (lengths) => {
      const chunks = lengths.map(bytes);
      const out = await new Response(compression.stream(streamOf(chunks), encoding)).arrayBuffer();
      expect(whole(Buffer.from(out)).equals(Buffer.concat(chunks))).toBe(true);
    },
  );

  test("a chunk can be read before the next one is there", async () => {
    let source!: ReadableStreamDefaultController<Uint8Array>;
    const reader = compression
      .stream(new ReadableStream({ start: (controller) => void (source = controller) }), encoding)
      .getReader();
    const decoder = stream();
    let text = "";
    decoder.on("data", (part) => (text += part));
    for (const word of ["first", "second"]) {
      source.enqueue(new TextEncoder().encode(word));
      while (!text.endsWith(word)) {
        const { value } = await reader.read();
        await new Promise((resolve) => decoder.write(value, resolve));
      }
    }
    expect(text).toBe("firstsecond");
  });

  test("an error of the source ends the stream with it", async () => {
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("broken"));
      },
    });
    await expect(new Response(compression.stream(source, encoding)).arrayBuffer()).rejects.toThrow("broken");
  });

  test("a reader that leaves ends the source", async () => {
    let left: unknown;
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytes(1000)),
      cancel: (reason) => void (left = reason),
    });
    const reader = compression.stream(source, encoding).getReader();
    await reader.read();
    await reader.cancel("gone");
    expect(left).toBe("gone");
  });
});
