// The form of the login doctor, and its findings step by step.

import { countFindings, type Finding } from "../../../lib/finding.ts";
import { FindingList } from "../finding-list.tsx";
import type { LoginDoctor, LoginQuestion, LoginReport } from "./login-doctor.ts";

export function LoginSection({
  action,
  doctor,
  question,
  report,
}: {
  readonly action: string;
  readonly doctor: LoginDoctor;
  readonly question?: LoginQuestion;
  readonly report?: LoginReport;
}) {
  const { base, origin } = doctor;
  const wrong = report && "refused" in report ? report : undefined;
  return (
    <section aria-labelledby="logins" id="login-doctor">
      <h2 id="logins">Logins of readers</h2>
      {base === undefined ? (
        <p>There is no section auth in the configuration, so that there are no logins to look at.</p>
      ) : (
        <>
          <p>
            Walks through the logins at <code class="path">{base}</code>, as a viewer on another site does,
            and says which step fails and what to change. It asks nothing but this service at its own address,
            and where profiles log in; it begins one session for each profile that needs no person, and ends
            it.
          </p>
          {wrong && wrong.field === undefined && (
            <div class="notice bad" role="alert">
              <p>{wrong.refused}</p>
            </div>
          )}
          {report && "findings" in report && <Findings report={report} />}
          <form class="fields" method="post" action={`${action}#login-doctor`}>
            <Field
              name="origin"
              label="Origin of the viewer"
              hint={`Without one: ${origin}.`}
              value={question?.origin ?? ""}
              wrong={wrong?.field === "origin" ? wrong.refused : undefined}
            />
            <Field
              name="identifier"
              label="Identifier of an image that needs a login"
              hint="If it is empty: one image of each profile."
              value={question?.identifier ?? ""}
              wrong={wrong?.field === "identifier" ? wrong.refused : undefined}
            />
            <div class="actions">
              <button type="submit">Examine the logins</button>
              <span class="quiet">This takes up to 45 s.</span>
            </div>
          </form>
        </>
      )}
    </section>
  );
}

function Field({
  name,
  label,
  hint,
  value,
  wrong,
}: {
  readonly name: keyof LoginQuestion;
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly wrong: string | undefined;
}) {
  const described = wrong === undefined ? `${name}-hint` : `${name}-wrong ${name}-hint`;
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <input
        id={name}
        name={name}
        value={value}
        autocomplete="off"
        spellcheck={false}
        aria-describedby={described}
        {...(wrong !== undefined && { "aria-invalid": "true" as const })}
      />
      {wrong !== undefined && (
        <p class="wrong" id={`${name}-wrong`}>
          {wrong}
        </p>
      )}
      <p class="quiet" id={`${name}-hint`}>
        {hint}
      </p>
    </div>
  );
}

function Findings({
  report: { findings, origin },
}: {
  readonly report: Extract<LoginReport, { readonly findings: readonly Finding[] }>;
}) {
  const problems = countFindings(findings, "problem");
  return (
    <>
      <div class={`notice ${problems === 0 ? "good" : "bad"}`} role="status">
        <p>
          {problems === 0
            ? "No problem was found"
            : `${problems} problem${problems === 1 ? " was" : "s were"} found`}
          {`, as a viewer at ${origin}.`}
        </p>
      </div>
      <FindingList findings={findings} />
    </>
  );
}
