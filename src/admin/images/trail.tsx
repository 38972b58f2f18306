// Breadcrumbs: the position of a page in the sources, from the root down.

import type { RequestContext, Trail as Steps } from "../../server/index.ts";
import { folderPath } from "../addresses.ts";
import { href } from "../admin.ts";

/** The last step is the page itself. */
export function Trail({ c, trail }: { readonly c: RequestContext; readonly trail: Steps }) {
  if (trail.length === 0) return null;
  const steps = [{ identifier: "", name: "Images" }, ...trail];
  return (
    <nav class="trail" aria-label="Where you are">
      <ol>
        {steps.map(({ identifier, name }, at) =>
          at === steps.length - 1 ? (
            <li aria-current="page">{name}</li>
          ) : (
            <li>
              <a href={href(c, folderPath(identifier))}>{name}</a>
            </li>
          ),
        )}
      </ol>
    </nav>
  );
}
