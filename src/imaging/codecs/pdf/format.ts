// PDF as a row of the table of formats.

import type { Cut, SizedSource } from "../cut.ts";
import type { Format } from "../format.ts";
import { pdfDecoder } from "./decoder.ts";
import { pdfFacts } from "./facts.ts";

/** "%PDF-" (ISO 32000-2, section 7.5.2). */
const mark = [0x25, 0x50, 0x44, 0x46, 0x2d];

export const pdf = {
  title: "PDF",
  read: {
    extensions: ["pdf"],
    recognises: (head) => mark.every((byte, i) => head[i] === byte),
    end: "any",
    findCut: pdfCut,
    readFacts: pdfFacts,
    hasSheets: true,
    nsPerPixel: 3,
    decoder: pdfDecoder,
  },
} satisfies Format;

/** The directory is at the end: a file without one is refused when it is opened. */
async function pdfCut(_: SizedSource): Promise<Cut | undefined> {
  return undefined;
}
