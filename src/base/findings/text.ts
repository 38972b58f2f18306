// Findings as text: a line each, for a log, a terminal or the message of an error.

import { maskUrls } from "../telemetry/mask.ts";
import type { Finding } from "./finding.ts";

/** Formats a position as "line 3, column 5", or "line 3" if the column is unknown; "" without a position. */
export const positionText = ({ position }: Pick<Finding, "position">): string =>
  position === undefined
    ? ""
    : `line ${position.line}${position.column === undefined ? "" : `, column ${position.column}`}`;

/** Returns what a finding is about, to precede its text; "" if the text names it. */
export const subjectOf = ({ where = "", profile }: Finding): string =>
  profile === undefined ? where : `${profile}: ${where}`;

/** Formats a finding in one line, such as "line 3, column 5: log.level: expected …". */
export function findingLine(finding: Finding): string {
  const { file = "", position, text } = finding;
  const found = [file, positionText(finding)].filter((part) => part !== "").join(", ");
  const after = position && position.column === undefined ? ", " : ": ";
  const subject = subjectOf(finding);
  return `${found === "" ? "" : found + after}${subject === "" ? "" : `${subject}: `}${text}`;
}

/** Formats findings as lines under their number. `subject`: what has problems, with its verb. */
export function findingList(findings: readonly Finding[], subject: string): string {
  const count = findings.length === 1 ? "a problem" : `${findings.length} problems`;
  return [`${subject} ${count}:`, ...findings.map((each) => maskUrls(`  ${findingLine(each)}`))].join("\n");
}
