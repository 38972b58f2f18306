// What a submitted form of /admin/config would change, with a button that saves it.

import type { ConfigFileView, RequestContext } from "../../server/index.ts";
import { href } from "../admin.ts";
import { type Attempt, idOf, MadeFrom, withUnit } from "./form.tsx";

interface ReviewProps {
  readonly c: RequestContext;
  readonly view: ConfigFileView;
  readonly attempt: Attempt | undefined;
}

/**
 * The changes, key by key: the text of the file is not shown, since it may hold secrets. The section has the
 * focus when the page opens.
 */
export function Review({ c, view, attempt }: ReviewProps) {
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
