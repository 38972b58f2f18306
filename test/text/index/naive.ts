// A search as anybody would write it who had never heard of an index: it walks over each page, letter by
// letter. It knows the rules, and shares no code with the index.

import type { PageText } from "../../../src/text/page-text.ts";

/** Letters of a word, or one character of a script without spaces. */
interface Piece {
  readonly text: string;
  /** True for a character that follows another one with nothing between them. */
  readonly isAttached: boolean;
}

/** A piece on a page, which leads from one place to another. */
interface Step extends Piece {
  readonly from: number;
  readonly to: number;
}

const isHan = (letter: string | undefined) => letter !== undefined && /[\u4e00-\u9fff]/.test(letter);

function plain(text: string): string {
  return text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
}

/** Returns the pieces of words that follow each other. */
function piecesOf(words: readonly string[]): { piece: Piece; word: number }[] {
  const pieces: { piece: Piece; word: number }[] = [];
  let before: string | undefined;
  words.forEach((text, word) => {
    let run = "";
    const end = () => {
      if (run !== "") pieces.push({ piece: { text: run, isAttached: false }, word });
      run = "";
    };
    for (const letter of plain(text)) {
      if (isHan(letter)) {
        end();
        pieces.push({ piece: { text: letter, isAttached: isHan(before) }, word });
      } else if (/[a-z0-9]/.test(letter)) run += letter;
      else end();
      before = letter;
    }
    end();
  });
  return pieces;
}

/** A query as a test makes it. */
export interface NaiveClause {
  readonly words: readonly string[];
  readonly kind: "word" | "phrase" | "prefix";
}

export const textOf = (clauses: readonly NaiveClause[]): string =>
  clauses
    .map(({ words, kind }) => {
      if (kind === "phrase") return `"${words.join(" ")}"`;
      return kind === "prefix" ? `${words[0]}*` : words[0];
    })
    .join(" ");

function stepsOf(page: PageText): { steps: Step[]; words: number[] } {
  const words = page.lines.flatMap((line) => line.words);
  const pieces = piecesOf(words.map(({ text }) => text));
  const steps: Step[] = pieces.map(({ piece }, place) => ({ ...piece, from: place, to: place + 1 }));
  words.forEach(({ joined }, word) => {
    if (!joined) return;
    const places = pieces.flatMap((one, place) =>
      one.word === word || one.word === word + 1 ? [place] : [],
    );
    const whole = piecesOf([joined]);
    whole.forEach(({ piece }, index) => {
      const from = places[0]! + index;
      const to = index === whole.length - 1 ? places.at(-1)! + 1 : from + 1;
      steps.push({ ...piece, from, to });
    });
  });
  return { steps, words: pieces.map(({ word }) => word) };
}

/** Returns the places of a page that a clause leads over, the longest way from each beginning. */
function waysOf(steps: readonly Step[], { words, kind }: NaiveClause): [from: number, to: number][] {
  const pieces = piecesOf(words).map(({ piece }) => piece);
  if (pieces.length === 0) return [];
  const ends = (place: number, index: number): number[] => {
    const wanted = pieces[index];
    if (!wanted) return [place];
    const isPrefix =
      kind === "prefix" && index === pieces.length - 1 && !isHan(wanted.text) && wanted.text.length > 1;
    return steps
      .filter(
        ({ from, text, isAttached }) =>
          from === place &&
          (isPrefix ? text.startsWith(wanted.text) : text === wanted.text) &&
          (index === 0 || !wanted.isAttached || isAttached),
      )
      .flatMap(({ to }) => ends(to, index + 1));
  };
  const places = [...new Set(steps.map(({ from }) => from))].sort((one, other) => one - other);
  return places.flatMap((place) => {
    const found = ends(place, 0);
    return found.length > 0 ? [[place, Math.max(...found) - 1] as [number, number]] : [];
  });
}

/** Returns the first and last words of the hits on a page. */
export function naiveHits(page: PageText, clauses: readonly NaiveClause[]): [first: number, last: number][] {
  const { steps, words } = stepsOf(page);
  const asked = [...new Map(clauses.map((clause) => [keyOf(clause), clause])).values()].filter(
    (clause) => piecesOf(clause.words).length > 0,
  );
  const ways = asked.map((clause) => waysOf(steps, clause));
  if (asked.length === 0 || ways.some((found) => found.length === 0)) return [];
  const all = ways.flatMap((found, clause) => found.map(([from, to]) => ({ from, to, clause })));
  all.sort((one, other) => one.from - other.from || one.clause - other.clause);
  const hits: { from: number; to: number; clauses: number[] }[] = [];
  for (const { from, to, clause } of all) {
    const open = hits.at(-1);
    if (open && asked.length > 1 && from <= open.from + 12 && !open.clauses.includes(clause)) {
      open.to = Math.max(open.to, to);
      open.clauses.push(clause);
    } else hits.push({ from, to, clauses: [clause] });
  }
  return hits.map(({ from, to }) => [words[from]!, words[to]!]);
}

/** Clauses that ask for the same are one. */
function keyOf({ words, kind }: NaiveClause): string {
  const pieces = piecesOf(words).map(({ piece }) => piece);
  const last = pieces.at(-1)?.text ?? "";
  const isPrefix = kind === "prefix" && last.length > 1;
  const isForms = kind === "word" && pieces.length === 1 && !isHan(last);
  const isSame = pieces.map(({ text, isAttached }, index) => [text, index > 0 && isAttached]);
  return JSON.stringify([isSame, isPrefix ? "prefix" : isForms ? "forms" : "exact"]);
}
