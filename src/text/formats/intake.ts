// What all readers of files do: count the bytes, decode them, find the root element, and pass the characters
// on to the reader that this needs.

import { createDecoder } from "./decode-text.ts";
import type { TextConsumer } from "./markup.ts";
import { damagedText, type ReadFile, type TextBounds, textBounds, tooLargeText } from "./text-bounds.ts";

/** A file to be read. */
export interface FileOptions {
  /** As operators know it, for messages. A name in `.txt` is plain text whatever it begins with. */
  readonly name: string;
  /** Bounds other than {@link textBounds}. */
  readonly limits?: Partial<TextBounds>;
}

/** Takes a file in pieces. */
export interface Intake {
  /** Returns false if the rest of the file does not matter. */
  write(bytes: Uint8Array): boolean;
  end(): void;
}

/** Decides by the root element, undefined for a file without markup, who reads; undefined if nobody does. */
export type Choose = (root: string | undefined, file: ReadFile) => TextConsumer | undefined;

export const readFileOf = ({ name, limits }: FileOptions): ReadFile => ({
  name,
  bounds: { ...textBounds, ...limits },
});

/** Creates the reader of a file. Its calls throw TextFileError. */
export function createIntake(file: ReadFile, choose: Choose): Intake {
  const decoder = createDecoder(file);
  let bytes = 0;
  let head = "";
  let consumer: TextConsumer | undefined;
  let isIgnored = false;
  const take = (text: string, isWhole: boolean) => {
    if (isIgnored) return;
    if (consumer) {
      consumer.write(text);
      return;
    }
    head += text;
    const root = head !== "" || isWhole ? rootOf(head, isWhole, file) : "unknown";
    if (root === "unknown") return;
    consumer = choose(root?.name, file);
    isIgnored = !consumer;
    consumer?.write(head);
    head = "";
  };
  return {
    write(chunk) {
      bytes += chunk.length;
      if (bytes > file.bounds.bytes) throw tooLargeText(file, "bytes", "bytes");
      for (let at = 0; at < chunk.length && !isIgnored; at += pieceBytes)
        take(decoder.decode(chunk.subarray(at, at + pieceBytes)), false);
      return !isIgnored;
    },
    end() {
      if (!isIgnored) take(decoder.end(), true);
      consumer?.end();
    },
  };
}

/** Bytes that are decoded together, so that the bound of a token holds. */
const pieceBytes = 2 ** 16;

/** What may come before the root element: white space, instructions, comments, a document type. */
const before = /\s+|<\?.*?\?>|<!--.*?-->|<![a-z][^[>]*(?:\[[^\]]*\]\s*)?>/gisy;
const rootStart = /<([\p{L}_][\p{L}\p{N}_.:-]*)[\s/>]/uy;

/**
 * Returns the name of the root element of a file that begins with `head`; undefined if it has no markup;
 * `unknown` if that needs more of the file.
 */
function rootOf(
  head: string,
  isWhole: boolean,
  file: ReadFile,
): { readonly name: string } | undefined | "unknown" {
  if (/\.txt$/i.test(file.name)) return undefined;
  let at = head.startsWith("\ufeff") ? 1 : 0;
  for (before.lastIndex = at; before.test(head); before.lastIndex = at) at = before.lastIndex;
  rootStart.lastIndex = at;
  const name = rootStart.exec(head)?.[1];
  if (name) return { name };
  const rest = head.slice(at, at + 2);
  const mayBeMarkup = rest === "" || rest === "<" || /^<[!?\p{L}_]/u.test(rest);
  if (!isWhole && mayBeMarkup && head.length <= file.bounds.prolog) return "unknown";
  if (!isWhole && mayBeMarkup) throw tooLargeText(file, "prolog", "characters before its root element");
  return withoutMarkup(rest, file);
}

/** Names of files that hold markup. */
const markupName = /\.(?:xml|alto|page|hocr|x?html?)$/i;

function withoutMarkup(rest: string, file: ReadFile): undefined {
  if (rest === "" && markupName.test(file.name)) throw damagedText(file, "it is empty");
  if (markupName.test(file.name)) throw damagedText(file, "it has no root element");
  return undefined;
}
