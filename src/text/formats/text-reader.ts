// Reads files of text, as they come from text recognition: ALTO, PAGE, hOCR, plain text.

import type { FilePage, PageHandler } from "./file-page.ts";
import { createIntake, type FileOptions, type Intake, readFileOf } from "./intake.ts";
import { createMarkup } from "./markup.ts";
import { createPlain } from "./plain.ts";
import { formatOf, markupFormats, type TextFormat } from "./text-formats.ts";

/** The text of a file; `other` for markup that is no text, such as METS or TEI. */
export type TextFile =
  | { readonly format: TextFormat; readonly pages: readonly FilePage[] }
  | { readonly format: "other"; readonly root: string };

/** Takes a file in pieces of any size and returns its text. */
export interface TextReader {
  /**
   * Returns false if the rest of the file does not matter.
   *
   * @throws TextFileError for a damaged file or one beyond its bounds.
   */
  write(bytes: Uint8Array): boolean;
  /** @throws TextFileError as above. */
  end(): TextFile;
}

/**
 * Creates the reader of one file. Boxes are in the units of its pages. It keeps the words that it has read,
 * and of the file itself at most two pieces.
 */
export function createTextReader(options: FileOptions): TextReader {
  let result: () => TextFile = () => ({ format: "plain", pages: [] });
  const intake: Intake = createIntake(readFileOf(options), (root, file) => {
    if (root === undefined) {
      const plain = createPlain(file);
      result = () => ({ format: "plain", pages: plain.finish() });
      return plain;
    }
    const format = formatOf(root);
    const other: TextFile = { format: "other", root: root.slice(root.indexOf(":") + 1) };
    result = () => other;
    if (!format) return undefined;
    const { mode, create } = markupFormats[format];
    const handler: PageHandler = create(file);
    result = () => {
      const pages = handler.finish();
      return pages ? { format, pages } : other;
    };
    return createMarkup(mode, file, handler);
  });
  return {
    write: intake.write,
    end() {
      intake.end();
      return result();
    },
  };
}

/**
 * Reads a file from its pieces, as {@link createTextReader} does; the rest of other files is not asked for.
 */
export async function readTextFile(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: FileOptions,
): Promise<TextFile> {
  const reader = createTextReader(options);
  for await (const piece of pieces) if (!reader.write(piece)) break;
  return reader.end();
}
