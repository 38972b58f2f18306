// What decoding JPEG 2000 holds.

/**
 * What an instance takes with all code-blocks that stay decoded, and what is known of open files (measured).
 */
const restingMemory = 40 * 1024 * 1024;
/**
 * Bytes for each sample of a strip while it is decoded: coefficients and samples of 4 bytes, the smaller
 * levels, the result.
 */
const bytesPerSample = 16;
/** Samples of a strip at most, all components together. */
export const stripSamples = 3 << 20;

/** Bytes that decoding `samples` samples of a file of so many bytes takes, beside the result. */
export function decodingMemory(samples: number, fileSize: number): number {
  const atATime = Math.min(samples, stripSamples);
  return restingMemory + bytesPerSample * atATime + Math.min(fileSize, 2 * atATime);
}
