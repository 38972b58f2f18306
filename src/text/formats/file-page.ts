// Pages of a file of text, as its reader returns them.

import type { PageText } from "../page-text.ts";
import type { MarkupHandler } from "./markup.ts";

export interface FilePage {
  /** Number of the picture in its file, from 0: the position of the page, unless the file says another. */
  readonly index: number;
  readonly text: PageText;
  /** Name of the picture that was recognized, without folders. Programs write others than the present one. */
  readonly imageName?: string;
}

/** What a format has to offer to its parser: the elements, and at the end the pages. */
export interface PageHandler extends MarkupHandler {
  /** Returns the pages; undefined if the file is none of this format, after all. */
  finish(): readonly FilePage[] | undefined;
}

/** Returns a page with the name of its picture from a path of any system; tabs alone are no name. */
export function filePage(index: number, text: PageText, path: string | undefined): FilePage {
  const imageName = path?.trim().split(/[\\/]/).at(-1);
  return { index, text, ...(imageName && { imageName }) };
}
