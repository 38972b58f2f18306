// Memory that decoding JPEG 2000 takes.

/** Memory of an instance with all cached code-blocks, and of open files (measured). */
const restingMemory = 40 * 1024 * 1024;
/**
 * Bytes per sample of a strip while it is decoded: coefficients and samples of 4 bytes, the smaller levels,
 * the result.
 */
const bytesPerSample = 16;
/** Maximum samples of a strip, all components together. */
export const stripSamples = 3 << 20;

/** Bytes that decoding `samples` samples of a file of `fileSize` bytes takes, in addition to the result. */
export function decodingMemory(samples: number, fileSize: number): number {
  const atATime = Math.min(samples, stripSamples);
  return restingMemory + bytesPerSample * atATime + Math.min(fileSize, 2 * atATime);
}
