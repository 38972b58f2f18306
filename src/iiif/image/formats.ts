// Output formats by their names in requests (Image API 3.0 section 4.5, 2.1 alike).

const mediaTypes = {
  jpg: "image/jpeg",
  png: "image/png",
  tif: "image/tiff",
  webp: "image/webp",
  jp2: "image/jp2",
} as const;

export type Format = keyof typeof mediaTypes;

/** Returns the Content-Type of a format. */
export function mediaType(format: Format): string {
  return mediaTypes[format];
}
