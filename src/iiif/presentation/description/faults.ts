// Faults in an operator's description, by path, in words that help to fix them.

import { findNearest } from "../../../base/index.ts";

/** A fault; callers that know the file add its name and line. */
export interface Fault {
  /** Keys and indexes from 0 on the path to it. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** A path within the description, and the list for its faults. */
export interface FaultPath {
  readonly path: readonly (string | number)[];
  readonly faults: Fault[];
}

/**
 * Converts a value to its form in documents of 3.0; returns undefined, after recording a fault, if it cannot.
 */
export type Reader<T = unknown> = (value: unknown, at: FaultPath) => T | undefined;

/** Returns the path of a key or list item inside another path. */
export function inside(at: FaultPath, key: string | number): FaultPath {
  return { path: [...at.path, key], faults: at.faults };
}

/** Faults of one description that are noted: more than people read. */
const maxNoted = 200;

/** Notes a fault, unless there are many already. */
export function fault(at: FaultPath, message: string): undefined {
  if (at.faults.length < maxNoted) at.faults.push({ path: at.path, message });
}

/** Notes an unexpected value. */
export function noteUnexpected(at: FaultPath, expected: string, value: unknown): undefined {
  return fault(at, `expected ${expected}, received ${describeValue(value)}`);
}

/**
 * Notes an unknown word, with the nearest known one: a search that is only worthwhile for the first faults.
 */
export function unknownWord(at: FaultPath, what: string, word: string, known: readonly string[]): undefined {
  if (at.faults.length >= maxSearches || word.length > maxWordLength) return fault(at, what);
  const candidates = known.filter(({ length }) => length <= maxWordLength).slice(0, maxCandidates);
  const lower = candidates.map((each) => each.toLowerCase());
  const meant = findNearest(word, candidates) ?? findNearest(word, lower);
  const spelled = candidates[lower.indexOf(meant?.toLowerCase() ?? "")];
  const hint =
    spelled === undefined ? `known ones: ${some(known)}` : `did you mean ${JSON.stringify(spelled)}?`;
  return fault(at, `${what}; ${hint}`);
}

const maxSearches = 20;
const maxCandidates = 2000;
const maxWordLength = 100;

/** Maximum faults, as many as people read. */
const max = 30;
const some = (words: readonly string[]) =>
  words.slice(0, max).join(", ") + (words.length > max ? ` and ${words.length - max} more` : "");

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "keys and values";
  return quote(value);
}

/** Returns a value in quotes, shortened if it is long; numbers without quotes. */
export function quote(value: unknown): string {
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
}
