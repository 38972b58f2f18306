// A finding of a doctor: something that is in order, worth knowing, slow or wrong.

/**
 * From worst to best. `problem`: something is wrong or refused; `slow`: responses are right but late; `note`:
 * worth knowing; `good`: in order.
 */
export const findingLevels = ["problem", "slow", "note", "good"] as const;
export type FindingLevel = (typeof findingLevels)[number];

/** Its texts contain no cookie, token or password, and no query of an address. */
export interface Finding {
  readonly level: FindingLevel;
  /** For programs; stays the same. */
  readonly code: string;
  /** The step of a login that it is about, and the profile if it concerns only one. */
  readonly step?: string;
  readonly profile?: string;
  /** The fact, in a sentence or two. */
  readonly text: string;
  /** The expected state. */
  readonly expected?: string;
  /** How to fix it. */
  readonly advice?: string;
  /** Commands that do it, one a line, ready for a shell. */
  readonly command?: string;
}

/** Returns the subject of a finding, to precede its text; "" if the text names it. */
export const subjectOf = ({ step = "", profile }: Finding): string =>
  profile === undefined ? step : `${profile}: ${step}`;

/** Counts the findings of a level. */
export const countFindings = (findings: readonly Finding[], wanted: FindingLevel): number =>
  findings.filter(({ level }) => level === wanted).length;
