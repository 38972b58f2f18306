// The frame of all pages of the operator: heading, navigation, and the result of the last form.

import type { Child } from "hono/jsx";
import { pageResponse, type RequestContext } from "../server/index.ts";
import { type Admin, href, type Outcome } from "./admin.ts";

/** The pages in the navigation. */
const sections = {
  status: { path: "/admin/", name: "Status" },
  images: { path: "/admin/browse", name: "Images" },
  caches: { path: "/admin/cache", name: "Caches" },
  configuration: { path: "/admin/config", name: "Configuration" },
  access: { path: "/admin/auth", name: "Access" },
  visitors: { path: "/admin/visitors", name: "Visitors" },
  audit: { path: "/admin/audit", name: "Audit" },
  doctor: { path: "/admin/doctor", name: "Doctor" },
} as const;

export interface AdminDocument {
  /** Plain text; the heading of the page too. */
  readonly title: string;
  readonly section: keyof typeof sections;
  /** JSX, which escapes its values. */
  readonly body: Child;
  /** Shown next to the heading. */
  readonly aside?: Child;
  /** Paths in static/, in addition to the style sheet of all these pages. */
  readonly styles?: readonly string[];
  readonly scripts?: readonly string[];
  readonly modules?: readonly string[];
}

/**
 * Responds with a page of the operator: never stored, never framed, without inline style or script. Shows the
 * result of the form before it, once; a HEAD leaves it for the GET.
 */
export async function adminPage(
  c: RequestContext,
  { service, outcomes }: Admin,
  page: AdminDocument,
  { status = 200 }: { status?: number } = {},
): Promise<Response> {
  const { title, section, body, aside, styles = [], scripts, modules } = page;
  const brought = c.req.method === "HEAD" ? undefined : await outcomes.read(c);
  const { platform, version } = service;
  const operator = c.get("operator");
  const html = (
    <>
      <a class="skip" href="#main">
        To the content
      </a>
      <header class="bar">
        <a class="brand" href={href(c, "/")}>
          smalti
        </a>
        <nav aria-label="Admin">
          {Object.entries(sections).map(([key, { path, name }]) => (
            <a href={href(c, path)} aria-current={key === section ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
      </header>
      <main id="main" tabindex={-1}>
        <div class="heading">
          <h1>{title}</h1>
          {aside}
        </div>
        {brought && <OutcomeNotice outcome={brought.outcome} />}
        {body}
      </main>
      <footer class="quiet">
        smalti {version} on {platform.name} {platform.version}
        {platform.instance === undefined ? "" : `, instance ${platform.instance}`}
        {operator &&
          `. Logged in as ${operator.name}${operator.role === "look" ? ", who may only look" : ""}.`}
      </footer>
    </>
  );
  return pageResponse(
    c,
    {
      title: `${title} · smalti admin`,
      body: String(await html),
      styles: ["admin/admin.css", ...styles],
      ...(scripts && { scripts }),
      ...(modules && { modules }),
      forms: true,
    },
    {
      status,
      headers: {
        "Cache-Control": "no-store",
        "Referrer-Policy": "same-origin",
        ...(brought && { "Set-Cookie": brought.forget }),
      },
    },
  );
}

/**
 * Returns the attributes of a notice at the top of a page that says why a form did nothing: it has the focus
 * when the page opens, so that it is seen and read aloud.
 */
export const refusalNotice = (id: string) =>
  ({ class: "notice bad", role: "alert", id, tabindex: -1, autofocus: true }) as const;

const doneNotice = (id: string) => ({ class: "notice good", role: "status", id }) as const;

function OutcomeNotice({ outcome: { state, text, details } }: { readonly outcome: Outcome }) {
  return (
    <div {...(state === "done" ? doneNotice : refusalNotice)("outcome")}>
      <p>{text}</p>
      {details && (
        <ul>
          {details.map((line) => (
            <li>{line}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
