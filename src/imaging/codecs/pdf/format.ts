// PDF as a row of the table of formats.

import type { Cut, SizedSource } from "../cut.ts";
import type { Format } from "../format.ts";
import { pdfDecoder } from "./decoder.ts";
import { findPdfHeader } from "./directory/object-table.ts";
import { pdfFacts } from "./facts.ts";

export const pdf = {
  title: "PDF",
  read: {
    extensions: ["pdf"],
    recognises: (head) => findPdfHeader(head) >= 0,
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
