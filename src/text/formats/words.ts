// Words as they are stored: without white space, control characters and invisible hyphens.

/** What separates words: white space, and control characters, which damaged files hold. */
const separators = /[\s\p{Cc}]+/u;
/** What words do not hold: separators, and what nobody sees. */
const foreign = /[\s\p{Cc}\u00ad]/u;

/** Hyphens at the end of a line: the usual ones, `¬` of some programs, the soft and the double one. */
const lastHyphen = /[-\u2010¬\u00ad⸗]$/u;
const wordPart = /\p{L}\p{M}*[-\u2010¬\u00ad⸗]$/u;

/**
 * Returns the words of a text. A soft hyphen at the end of a word, where it was printed, becomes a plain one;
 * others are removed, and byte order marks too, which some programs leave in the middle of words.
 */
export function splitWords(text: string): string[] {
  if (!foreign.test(text)) return text === "" ? [] : [text];
  return text
    .replaceAll("\ufeff", "")
    .split(separators)
    .map((word) => word.replace(/\u00ad$/, "-").replaceAll("\u00ad", ""))
    .filter((word) => word !== "");
}

/** A part of a word that two lines share, as ALTO marks it (SUBS_TYPE, SUBS_CONTENT). */
export interface WordHalf {
  readonly half: 1 | 2;
  /** The whole word, if the file says it. */
  readonly whole: string;
}

/** The end or the beginning of a line. */
export interface LineEnd {
  readonly text: string;
  readonly part?: WordHalf | undefined;
}

/**
 * Returns the whole word that ends a line and begins the next one, undefined if they are two words. What the
 * file says counts: its whole word, of the first part or else of the second. Otherwise a hyphen after a
 * letter joins a word to one that begins in lower case.
 */
export function joinedWord(first: LineEnd, second: LineEnd): string | undefined {
  const bare = first.text.replace(lastHyphen, "");
  const isMarked = first.part?.half === 1 || second.part?.half === 2;
  if (isMarked) return markedWord(bare, first.part, second);
  const isPart = wordPart.test(first.text) && /^\p{Ll}/u.test(second.text);
  return isPart ? bare + second.text : undefined;
}

function markedWord(bare: string, part: WordHalf | undefined, second: LineEnd): string | undefined {
  const [own, other] = [part?.whole ?? "", second.part?.whole ?? ""];
  if (part?.half === 2 || second.part?.half === 1) return undefined;
  if (part && second.part)
    return own === "" || other === "" || own === other ? own || other || bare + second.text : undefined;
  // Only one of the two is marked: the lines may follow each other by chance.
  const whole = own || other;
  if (whole === "") return bare + second.text;
  return lettersOf(whole) === lettersOf(bare + second.text) ? whole : undefined;
}

const lettersOf = (text: string): string => text.replace(/[^\p{L}\p{N}]/gu, "").toLowerCase();
