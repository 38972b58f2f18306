// The findings of the login doctor, step by step.

import { countFindings, type Finding } from "../../base/index.ts";
import { FindingList } from "../finding-list.tsx";

/** Requires the style sheet admin/diagnosis.css. */
export function LoginFindings({
  findings,
  origin,
}: {
  readonly findings: readonly Finding[];
  readonly origin: string;
}) {
  const problems = countFindings(findings, "problem");
  return (
    <section aria-labelledby="logins" id="login-findings">
      <h2 id="logins">Logins of readers</h2>
      <div class={`notice ${problems === 0 ? "good" : "bad"}`} role="status">
        <p>
          {problems === 0
            ? "No problem was found"
            : `${problems} problem${problems === 1 ? " was" : "s were"} found`}
          {`, as a viewer at ${origin}.`}
        </p>
      </div>
      <FindingList findings={findings} />
    </section>
  );
}
