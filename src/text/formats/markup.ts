// XML and HTML, pushed in pieces. htmlparser2 reads no document type, so no entity can grow; this adds
// bounds, names without prefixes, and the difference between a file that has ended and one that was cut.

import { Parser } from "htmlparser2";
import { damagedText, type ReadFile, tooLargeText } from "./text-bounds.ts";

/** Attributes of an element, by their names with prefixes. */
export type Attributes = Readonly<Record<string, string>>;

/** What is done with elements, by their names. */
export type ElementTable<Action> = Readonly<Record<string, Action>>;

/** What a format does with the elements of a file. */
export interface MarkupHandler {
  /** `name`: without its prefix; in lower case in HTML. */
  open(name: string, attributes: Attributes): void;
  /** Is called once for each element that ends before the file does. */
  close(name: string): void;
  /** A piece of the text between two tags. */
  text(data: string): void;
  /** True while `<!` and `<?` are text that was not escaped, as in recognized text. */
  isInWord?(): boolean;
}

/** Takes the characters of a file. */
export interface TextConsumer {
  write(text: string): void;
  end(): void;
}

/**
 * Creates the parser of a file in XML or HTML. In XML, what follows the root element is ignored.
 *
 * @throws TextFileError `text_damaged` if the file ends early, `text_too_large` beyond the bounds.
 */
export function createMarkup(mode: "xml" | "html", file: ReadFile, handler: MarkupHandler): TextConsumer {
  const { bounds } = file;
  const isHtml = mode === "html";
  const bound = isHtml ? "htmlDepth" : "depth";
  let [depth, attributes, written] = [0, 0, 0];
  let [hasRoot, hasEnd] = [false, false];
  const parser = new Parser(
    {
      onopentagname() {
        hasRoot = true;
        attributes = 0;
        if (++depth > bounds[bound]) throw tooLargeText(file, bound, "elements inside each other");
      },
      onattribute(_, value) {
        if (++attributes > bounds.attributes)
          throw tooLargeText(file, "attributes", "attributes of an element");
        if (value.length > bounds.attribute)
          throw tooLargeText(file, "attribute", "characters of an attribute");
      },
      onopentag: (name, values) => !hasEnd && handler.open(localName(name), values),
      onclosetag(name, isImplied) {
        depth--;
        if (hasEnd) return;
        handler.close(localName(name));
        // Several pages may stand without a root in HTML; the end of `body` is as good as that of `html`.
        hasEnd = isHtml ? !isImplied && (name === "html" || name === "body") : depth === 0;
      },
      ontext: (data) => !hasEnd && depth > 0 && handler.text(data),
    },
    { xmlMode: !isHtml, recognizeSelfClosing: true, recognizeCDATA: true },
  );
  const write = (text: string) => {
    if (text === "") return;
    written += text.length;
    parser.write(text);
    if (written - parser.endIndex > bounds.token)
      throw tooLargeText(file, "token", "characters of a tag or a comment");
  };
  const writeHtml = withMarksInWords(write, () => handler.isInWord?.() ?? false);
  return {
    write: isHtml ? writeHtml.write : write,
    end() {
      if (isHtml) writeHtml.end();
      if (!hasRoot || (depth > 0 && !hasEnd)) throw damagedText(file, "it ends before its root element does");
      parser.end();
    },
  };
}

const localName = (name: string): string => name.slice(name.indexOf(":") + 1);

/**
 * Writes `&lt;` for a `<` before `!` or `?` inside of a word: OCR of Google has `!'<!--,,,` and `<?«»«?>` as
 * words, which would hide the rest of the page as a comment.
 */
function withMarksInWords(write: (text: string) => void, isInWord: () => boolean): TextConsumer {
  let held = "";
  return {
    write(piece) {
      const text = held + piece;
      const end = text.endsWith("<") ? text.length - 1 : text.length;
      held = text.slice(end);
      let start = 0;
      for (const { index } of text.matchAll(/<[!?]/g)) {
        write(text.slice(start, index));
        start = index;
        if (!isInWord()) continue;
        write("&lt;");
        start++;
      }
      write(text.slice(start, end));
    },
    end: () => write(held),
  };
}
