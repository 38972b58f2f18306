// Findings of the doctors as a list on a page: what is so, what should be, and what to do.

import { type Finding, type FindingLevel, subjectOf } from "../base/index.ts";

/** Label and style of a level. */
const levels = {
  problem: { word: "Problem", pill: "pill bad" },
  slow: { word: "Slow", pill: "pill warn" },
  note: { word: "Note", pill: "pill" },
  good: { word: "Good", pill: "pill good" },
} as const satisfies Record<FindingLevel, { word: string; pill: string }>;

/** Requires the style sheet admin/diagnosis.css. */
export function FindingList({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <ul class="findings">
      {findings.map((finding) => (
        <Item finding={finding} />
      ))}
    </ul>
  );
}

function Item({ finding }: { readonly finding: Finding }) {
  const { level, code, text, expected, advice, command } = finding;
  const { word, pill } = levels[level];
  const subject = subjectOf(finding);
  return (
    <li data-code={code}>
      <span class={pill}>{word}</span>
      <div>
        <p>
          {subject !== "" && <strong>{subject}</strong>} {text}
        </p>
        {expected && <p class="quiet">Expected: {expected}</p>}
        {advice && <p class={expected ? undefined : "quiet"}>{advice}</p>}
        {command?.split("\n").map((line) => (
          <div class="command">
            <code class="path">{line}</code>
            <button type="button" class="plain copy" data-copy={line} aria-label="Copy this command" hidden>
              Copy
            </button>
          </div>
        ))}
      </div>
    </li>
  );
}
