// Contents of the page /admin/config: the form, the changes that wait for a restart, and the effective
// configuration.

import { type Finding, positionText } from "../../base/index.ts";
import { type ConfigFileView, effectiveYaml, type RequestContext, type Service } from "../../server/index.ts";
import { href } from "../admin.ts";
import { fieldsOfConfig } from "../editing/edit.ts";
import { refusalNotice } from "../frame.tsx";
import { type Attempt, Form, idOf, MadeFrom, withUnit } from "./form.tsx";

interface BodyProps {
  readonly c: RequestContext;
  readonly service: Service;
  readonly view: ConfigFileView;
  readonly attempt?: Attempt | undefined;
}

/** Everything below the heading. */
export function ConfigurationBody({ c, service, view, attempt }: BodyProps) {
  const running = new Map(
    fieldsOfConfig(service.config(), service.platform.env).map(({ field, value }) => [field.path, value]),
  );
  const { path } = service.configFile ?? {};
  return (
    <>
      {attempt && attempt.result.kind !== "changed" && <RefusalNotice view={view} attempt={attempt} />}
      <Review c={c} view={view} attempt={attempt} />
      {view.obstacle !== undefined && (
        <p class="notice" id="obstacle">
          Nothing can be saved here: {view.obstacle}.
        </p>
      )}
      {view.problems.length > 0 && !attempt && <ProblemsOfFile problems={view.problems} />}
      <Waiting service={service} view={view} />
      <form class="search" id="find" hidden>
        <input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting, such as timeout"
          autocomplete="off"
        />
        <span class="quiet" role="status" />
      </form>
      <div class="configuration">
        <section aria-labelledby="edit">
          <h2 id="edit">Settings</h2>
          <p class="quiet">
            A change of a setting marked <b>live</b> takes effect when it is saved, of the others at the next
            start.
            {path !== undefined && (
              <>
                {" "}
                Saved to <span class="path">{path}</span>, where all else stays as it is.
              </>
            )}
          </p>
          <Form c={c} view={view} attempt={attempt} running={running} />
        </section>
        <section aria-labelledby="effective">
          <h2 id="effective">Running configuration</h2>
          <p class="quiet">
            Every setting as this process uses it, with all defaults and what the environment overrides.
            Secrets are masked.
          </p>
          <div class="copied">
            <button type="button" class="plain copy" data-copy-of="running" hidden>
              Copy
            </button>
            <pre id="running" tabindex={0}>
              {effectiveYaml(service.config())}
            </pre>
          </div>
          <p class="unseen" role="status" id="copied" />
        </section>
      </div>
    </>
  );
}

/** Says why a form was not saved, with links to the fields. It has the focus when the page opens. */
function RefusalNotice({
  view,
  attempt: { result },
}: {
  readonly view: ConfigFileView;
  readonly attempt: Attempt;
}) {
  return (
    <div {...refusalNotice("refused")}>
      <p>{refusalText(result)}</p>
      {result.kind === "refused" && (
        <ul>
          {view.fields
            .filter(({ field }) => result.wrong.has(field.path))
            .map(({ field }) => (
              <li>
                <a href={`#${idOf(field)}`}>{field.label}</a>: {result.wrong.get(field.path)}
              </li>
            ))}
          {result.others.map((problem) => (
            <li>
              In the file{problem.position && `, ${positionText(problem)}`}
              {problem.where === "" ? "" : ", at "}
              <span class="path">{problem.where}</span>: {problem.text}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function refusalText(result: Attempt["result"]): string {
  switch (result.kind) {
    case "stale":
      return "Nothing was saved: the file has changed since this form was made. Below, the fields that you changed have your values, next to those of the file if they differ; all others have those of the file. Review and save again to use yours.";
    case "failed":
      return `Nothing was saved: ${result.reason}.`;
    default:
      return "Nothing was saved. Correct these:";
  }
}

function ProblemsOfFile({ problems }: { readonly problems: readonly Finding[] }) {
  return (
    <div class="notice bad" id="problems">
      <p>
        The file has problems, so that the service would not start with it, and goes on with what it read
        before:
      </p>
      <ul>
        {problems.map((problem) => (
          <li>
            {problem.position && `${positionText(problem)}: `}
            {problem.where !== "" && <span class="path">{problem.where}: </span>}
            {problem.text}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Lists the keys whose values in the file differ from those in effect, no matter who wrote them. */
function Waiting({ service, view }: { readonly service: Service; readonly view: ConfigFileView }) {
  if (!view.config) return null;
  const { takes, waits } = service.compare(view.config);
  return (
    <>
      {waits.length > 0 && (
        <div class="notice warn" id="waiting">
          <p>In the file, and waiting for the next start of this process:</p>
          <Keys paths={waits} />
        </div>
      )}
      {takes.length > 0 && (
        <div class="notice warn" id="unread">
          <p>
            Changed in the file by other hands, and not read yet; the next save or a SIGHUP has them taken:
          </p>
          <Keys paths={takes} />
        </div>
      )}
    </>
  );
}

const Keys = ({ paths }: { readonly paths: readonly string[] }) => (
  <ul>
    {paths.map((path) => (
      <li class="path">{path}</li>
    ))}
  </ul>
);

interface ReviewProps {
  readonly c: RequestContext;
  readonly view: ConfigFileView;
  readonly attempt: Attempt | undefined;
}

/**
 * The changes, key by key: the text of the file is not shown, since it may hold secrets. The section has the
 * focus when the page opens.
 */
function Review({ c, view, attempt }: ReviewProps) {
  if (attempt?.result.kind !== "changed") return null;
  const { changed } = attempt.result;
  const rows = view.fields.filter(({ field }) => changed.includes(field.path));
  return (
    <section class="notice" id="review" aria-labelledby="review-title" tabindex={-1} autofocus>
      <h2 id="review-title">
        {rows.length === 1 ? "One change to the file" : `${rows.length} changes to the file`}
      </h2>
      <ul class="diff">
        {rows.map(({ field, value }) => (
          <li>
            <a href={`#${idOf(field)}`}>{field.label}</a>{" "}
            <span class="quiet">
              {field.edit === "live" ? "takes effect when it is saved" : "takes effect at the next start"}
            </span>
            <del>
              <span aria-hidden="true">− </span>
              {field.path}: {withUnit(field, value)}
            </del>
            <ins>
              <span aria-hidden="true">+ </span>
              {field.path}: {withUnit(field, attempt.values.get(field.path)?.trim() ?? "")}
            </ins>
          </li>
        ))}
      </ul>
      <form class="actions" method="post" action={href(c, "/admin/config")}>
        <MadeFrom view={view} />
        {[...attempt.values].map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit">Save {rows.length === 1 ? "this change" : "these changes"}</button>
        <a class="button plain" href={href(c, "/admin/config")}>
          Discard
        </a>
      </form>
    </section>
  );
}
