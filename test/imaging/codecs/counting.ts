// A byte source that counts its reads.

import { type ByteSource, memoryBytes } from "../../../src/base/bytes/byte-source.ts";

export function countingBytes(data: Uint8Array): ByteSource & { total(): number } {
  const inner = memoryBytes(data);
  let total = 0;
  return {
    size: data.length,
    async read(offset, length) {
      const part = await inner.read(offset, length);
      total += part.length;
      return part;
    },
    total: () => total,
  };
}

/** Peak signal-to-noise ratio of samples from 0 to `full`, in dB. */
export function psnr(a: ArrayLike<number>, b: ArrayLike<number>, full = 255): number {
  if (a.length !== b.length) throw new Error(`${a.length} samples against ${b.length}`);
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] as number) - (b[i] as number)) ** 2;
  return 10 * Math.log10((full * full * a.length) / sum);
}
