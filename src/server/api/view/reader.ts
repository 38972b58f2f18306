// The reader of a page of a document.

import words from "../../../../translations/view.json" with { type: "json" };
import { type Reader as ReaderOf, readerIn } from "../http/representation/reader.ts";

/** Texts of these pages in one language; placeholders `{…}` are replaced with values. */
type Words = (typeof words)["en"];

export type Reader = ReaderOf<Words>;

/** Returns the reader of an Accept-Language field. */
export const readerOf = (field: string | null): Reader => readerIn<Words>(words, field);
