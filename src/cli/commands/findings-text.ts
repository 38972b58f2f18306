// Formats the findings of both doctors, and the facts of an image, for a terminal.

import { countFindings, type Finding, subjectOf } from "../../base/index.ts";
import type { Section } from "../../doctor/index.ts";

/** Returns a line for each finding, followed by what is expected and what to do. */
export function findingLines(findings: readonly Finding[]): string[] {
  const wide = Math.max(0, ...findings.map((finding) => subjectOf(finding).length));
  return findings.flatMap((finding) => {
    const { level, code, text, expected } = finding;
    const about = wide === 0 ? "" : `${subjectOf(finding).padEnd(wide)}  `;
    const name = level === "problem" ? ` [${code}]` : "";
    return [
      `${level.padEnd(7)}  ${about}${removeControls(text)}${name}`,
      ...(expected === undefined ? [] : [`${indent}expected:   ${removeControls(expected)}`]),
      ...adviceLines(finding, indent),
    ];
  });
}

/** Returns what to do about a finding, followed by a line for each command. */
export const adviceLines = ({ advice, command }: Finding, indent: string): string[] => [
  ...(advice === undefined ? [] : [`${indent}what to do: ${removeControls(advice)}`]),
  ...(command === undefined ? [] : command.split("\n").map((line) => `${indent}  ${line}`)),
];

const indent = " ".repeat(9);

/** Returns the last line: the number of problems, and of reasons why an image is slow. */
export function verdictText(findings: readonly Finding[]): string {
  const problems = countFindings(findings, "problem");
  const slow = countFindings(findings, "slow");
  const counts = [
    ...(problems > 0 ? [`${problems} problem${problems === 1 ? "" : "s"}`] : []),
    ...(slow > 0 ? [`${slow} reason${slow === 1 ? "" : "s"} why it is slow`] : []),
  ];
  return counts.length === 0
    ? "No problem was found."
    : `${counts.join(" and ")} ${problems + slow === 1 ? "was" : "were"} found.`;
}

/** Returns the facts by section, each section after an empty line. */
export function sectionLines(sections: readonly Section[]): string[] {
  const wide = Math.max(0, ...sections.flatMap(({ facts }) => facts.map(({ label }) => label.length)));
  return sections.flatMap(({ title, facts }) => [
    "",
    title,
    ...facts.map(({ label, text }) => `  ${label.padEnd(wide)}  ${removeControls(text)}`),
  ]);
}

/** Removes control characters, so that text from a file or a response cannot control the terminal. */
export const removeControls = (text: string): string => text.replace(/\p{C}+/gu, " ");

/** Removes control characters from a text of several lines, except its line breaks. */
export const plainLines = (text: string): string => text.split("\n").map(removeControls).join("\n");

/**
 * Replaces only the control characters of a text of several lines, so that a text with a format of its own,
 * such as YAML, keeps its meaning.
 */
export const withoutControls = (text: string): string => text.replace(/[^\P{Cc}\n\t]/gu, " ");
