// The header of a page that PDFium draws.

import type { ImageHeader } from "../../image-header.ts";
import type { Drawing } from "../page/drawing.ts";

const inch = 2.54;

/** Returns the header of a page of a file of one page. */
export function drawnHeader(drawing: Drawing, reason: string): ImageHeader {
  const { width, height, perInch, imageBytes } = drawing;
  return {
    format: "pdf",
    width,
    height,
    bands: 3,
    depth: 8,
    interpretation: "rgb",
    orientation: 1,
    pages: 1,
    variant: "drawn",
    drawn: reason,
    scalable: true,
    resolution: { x: perInch / inch, y: perInch / inch },
    details: { pdfImages: imageBytes },
  };
}

/** Returns the bytes of the decoded images of a page. */
export const imageBytesOf = ({ details }: ImageHeader): number => Number(details?.pdfImages ?? 0);
