// The number of bands that a profile is for.

/** True if a profile describes samples with one or three bands (ICC.1:2022, 7.2). */
export function fitsBands(icc: Uint8Array, bands: 1 | 3): boolean {
  const text = (from: number) => String.fromCharCode(...icc.subarray(from, from + 4));
  return icc.length > 132 && text(36) === "acsp" && text(16) === (bands === 1 ? "GRAY" : "RGB ");
}
