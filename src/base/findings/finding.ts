// A finding: what is wrong, slow, worth knowing or in order, how bad it is, and what to do.

import { keyPath } from "./key-path.ts";

/**
 * From worst to best. `problem`: something is wrong or refused; `slow`: responses are right but late; `note`:
 * worth knowing, or accepted but doubtful; `good`: in order.
 */
export const findingLevels = ["problem", "slow", "note", "good"] as const;
export type FindingLevel = (typeof findingLevels)[number];

/** A position in a text, from 1. */
export interface Position {
  readonly line: number;
  /** Absent if only the line is known. */
  readonly column?: number;
}

/** Its texts contain no cookie, token or password, and no query of an address. */
export interface Finding {
  readonly level: FindingLevel;
  /** For programs; stays the same. Absent if only people read the finding. */
  readonly code?: string;
  /** The access profile, if the step of a login concerns only one. */
  readonly profile?: string;
  /** The file that it is about, if there are several. */
  readonly file?: string;
  readonly position?: Position;
  /**
   * What it is about: a key of the configuration or of a file, an identifier, the step of a login, a part of
   * a page. Absent if the text says it, or if it is about everything.
   */
  readonly where?: string;
  /** The fact, in a sentence or two. */
  readonly text: string;
  /** The expected state. */
  readonly expected?: string;
  /** How to fix it. */
  readonly advice?: string;
  /** Commands that do it, one a line, ready for a shell. */
  readonly command?: string;
}

/** Keys and indexes that lead to a setting, from the top of the configuration. */
export type SettingPath = readonly PropertyKey[];

/** Creates a finding about a setting that is refused. */
export const problemAt = (path: SettingPath, text: string, position?: Position): Finding => ({
  level: "problem",
  where: keyPath(path),
  text,
  ...(position && { position }),
});

/** Creates a finding about a setting that is accepted but doubtful. */
export const doubtAt = (path: SettingPath, text: string): Finding => ({
  level: "note",
  where: keyPath(path),
  text,
});

/** Creates such a finding, as a list; an empty one if there is no text. */
export const doubtsAt = (path: SettingPath, text: string | undefined): readonly Finding[] =>
  text === undefined ? [] : [doubtAt(path, text)];

/** Sorts findings, the worst first, and keeps the order of those of one level. */
export const worstFirst = <T extends Pick<Finding, "level">>(findings: readonly T[]): T[] =>
  findings.toSorted((a, b) => findingLevels.indexOf(a.level) - findingLevels.indexOf(b.level));

/** Counts the findings of a level. */
export const countFindings = (findings: readonly Finding[], wanted: FindingLevel): number =>
  findings.filter(({ level }) => level === wanted).length;
