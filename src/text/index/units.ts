// Cuts a word of a page, or of a query, into units: what a search can find. Letters and digits without a
// break are one unit ("l'eau" and "well-known" have two). In scripts that are written without spaces each
// character is one, since nothing in the text says where their words end.

import { clusters, foldCluster, isAscii } from "./fold.ts";

/**
 * `letters`: a run of letters and digits. `syllable`: a character of a script whose words have spaces around
 * them but are searched by their parts. `character`: one of a script without spaces.
 */
export type UnitKind = "letters" | "syllable" | "character";

export interface Unit {
  /** Folded; at most `maxUnitLength` code units. */
  readonly text: string;
  readonly kind: UnitKind;
  /** Offsets in the NFC form of the word: of its first code unit, and of the one after its last. */
  readonly start: number;
  readonly end: number;
  /** As printed; at most `maxUnitLength` code units. */
  readonly surface: string;
  /** True if nothing is between it and the unit before, or the beginning of its word. */
  readonly isAttached: boolean;
  /** True if something is between it and the end of its word. */
  readonly isClosed?: boolean;
}

/** Longer runs of letters are noise; they are found by their beginning. */
export const maxUnitLength = 64;

/** Scripts without spaces between words. */
const characterScripts = [
  "Han",
  "Hiragana",
  "Katakana",
  "Bopomofo",
  "Yi",
  "Thai",
  "Lao",
  "Khmer",
  "Myanmar",
  "Tai_Le",
  "New_Tai_Lue",
  "Tai_Tham",
  "Tai_Viet",
];

const isCharacter = new RegExp(`^[${characterScripts.map((script) => `\\p{scx=${script}}`).join("")}]`, "u");

/** Returns true if a text begins with a character, or a punctuation mark, of a script without spaces. */
export const isWithoutSpaces = (text: string): boolean => isCharacter.test(text);

const isSyllable = /^\p{scx=Hangul}/u;
const isLetter = /^[\p{L}\p{N}]/u;
const isMark = /^\p{M}/u;
const asciiRuns = /[a-z0-9]+/g;

/** Returns the units of a word, in their order. */
export function unitsOf(word: string): Unit[] {
  if (!isAscii(word)) return unitsOfClusters(word.normalize("NFC"));
  return Array.from(word.toLowerCase().matchAll(asciiRuns), ({ 0: run, index }) =>
    letterUnit(run, word, index, index + run.length),
  );
}

function letterUnit(run: string, word: string, start: number, end: number): Unit {
  const surface = word.slice(start, Math.min(end, start + maxUnitLength));
  return { text: run.slice(0, maxUnitLength), kind: "letters", start, end, surface, isAttached: start === 0 };
}

function unitsOfClusters(word: string): Unit[] {
  const units: Unit[] = [];
  let run = "";
  let runStart = 0;
  let runEnd = 0;
  /** True if something separates the next unit from the one before. */
  let isApart = false;
  const endRun = () => {
    if (run !== "") units.push(letterUnit(run, word, runStart, runEnd));
    run = "";
  };
  for (const { 0: cluster, index: start } of word.matchAll(clusters)) {
    const end = start + cluster.length;
    // A cluster may fold to several characters, as a ligature does.
    for (const { part, kind: own } of partsOf(cluster)) {
      // A mark without its letter continues a run.
      const kind = own === "mark" ? (run === "" ? undefined : "letters") : own;
      if (kind === "letters") {
        if (run === "") runStart = start;
        run += part;
        runEnd = end;
        isApart = false;
        continue;
      }
      endRun();
      if (kind)
        units.push({
          text: part.slice(0, maxUnitLength),
          kind,
          start,
          end,
          surface: cluster.slice(0, maxUnitLength),
          isAttached: !isApart,
        });
      isApart = kind === undefined;
    }
  }
  endRun();
  // What follows the last unit separates it from the next word.
  const last = units.at(-1);
  if (isApart && last) units[units.length - 1] = { ...last, isClosed: true };
  return units;
}

/** A folded character of a cluster; without a kind it separates units. */
interface Part {
  readonly part: string;
  readonly kind: UnitKind | "mark" | undefined;
}

/** Parts of clusters of one code unit, since they take a microsecond to find. */
const knownParts = new Map<string, readonly Part[]>();

function partsOf(cluster: string): readonly Part[] {
  const known = knownParts.get(cluster);
  if (known) return known;
  const parts = (foldCluster(cluster).match(clusters) ?? []).map((part) => ({ part, kind: kindOf(part) }));
  if (cluster.length === 1) knownParts.set(cluster, parts);
  return parts;
}

function kindOf(part: string): Part["kind"] {
  if (!isLetter.test(part)) return isMark.test(part) ? "mark" : undefined;
  if (isCharacter.test(part)) return "character";
  return isSyllable.test(part) ? "syllable" : "letters";
}

/**
 * Returns true if two units that follow each other are searched as a pair: characters with nothing between
 * them, also from word to word, since OCR cuts text without spaces anywhere; syllables within one word.
 */
export function arePaired(one: Unit, next: Unit, areInOneWord: boolean): boolean {
  if (one.kind === "letters" || next.kind === "letters" || !next.isAttached) return false;
  if (areInOneWord) return true;
  return one.kind === "character" && next.kind === "character" && !one.isClosed;
}
