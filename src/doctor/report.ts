// The findings of the doctor as text, one line for each step, and as JSON.

import type { Finding } from "./finding.ts";

/** Lines for a terminal. What is expected and what to change stand below a problem. */
export function reportText(findings: readonly Finding[]): string {
  const wide = Math.max(...findings.map((finding) => placeText(finding).length));
  const lines = findings.flatMap((finding) => {
    const line = `${finding.state.padEnd(7)}  ${placeText(finding).padEnd(wide)}  ${plain(finding.came)}`;
    if (finding.state !== "problem") return [line];
    const indent = " ".repeat(9);
    return [
      `${line} [${finding.code}]`,
      `${indent}expected: ${plain(finding.expected)}`,
      `${indent}change:   ${plain(finding.change)}`,
    ];
  });
  const count = problemCount(findings);
  const end =
    count === 0 ? "No problem was found." : `${count} problem${count === 1 ? " was" : "s were"} found.`;
  return `${[...lines, "", end].join("\n")}\n`;
}

/** What an answer holds does not command the terminal. */
const plain = (text: string) => text.replace(/\p{C}+/gu, " ");

const placeText = ({ profile, step }: Finding) => (profile === undefined ? step : `${profile}: ${step}`);

export const problemCount = (findings: readonly Finding[]): number =>
  findings.filter(({ state }) => state === "problem").length;
