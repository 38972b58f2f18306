// Divides colours that were stored premultiplied by their alpha.

/**
 * Works in place; `bands` with alpha last, `full` its largest value. Fully transparent pixels stay unchanged.
 */
export function unpremultiply(data: Uint8Array | Uint16Array, bands: number, full: 255 | 65535): void {
  for (let i = 0; i < data.length; i += bands) {
    const alpha = data[i + bands - 1]!;
    if (alpha === 0 || alpha === full) continue;
    for (let b = 0; b < bands - 1; b++)
      data[i + b] = Math.min(full, Math.round((data[i + b]! * full) / alpha));
  }
}
