// The reader of a page of a document.

import { type Reader as ReaderOf, readerIn } from "../http/representation/reader.ts";
import { type Words, words } from "./words.ts";

export type Reader = ReaderOf<Words>;

/** Returns the reader of an Accept-Language field. */
export const readerOf = (field: string | null): Reader => readerIn(words, field);
