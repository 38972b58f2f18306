// The latest access decisions, as a section of /admin/auth: gated images first, all others through links.

import type {
  DecisionKind,
  DecisionRecord,
  RequestContext,
  Service,
  Subject,
  Verdict,
} from "../server/index.ts";
import { folderPath, imagePath } from "./addresses.ts";
import { href } from "./admin.ts";

/** Number of recorded decisions shown. */
const shown = 64;

interface View {
  readonly text: string;
  /** Kinds of decisions that it shows; all if absent. */
  readonly kinds?: readonly DecisionKind[];
  /** Explains what the view shows. */
  readonly about: string;
}

/** Views by the value of `show` in the address of the page; the first is the default. */
const views: Readonly<Record<string, View>> = {
  gated: { text: "Gated images", kinds: ["denied", "granted"], about: "on gated images" },
  denied: {
    text: "Denied",
    kinds: ["denied"],
    about: "in which a caller got no image, or a reduced one",
  },
  lists: {
    text: "Lists and documents",
    kinds: ["listed"],
    about:
      "on pages and documents that list gated images; “allow in part” means that some were left out or shown as locked",
  },
  all: { text: "All", about: "of every kind, including those on public images" },
};

/** The section. */
export function Decisions({ c, service }: { readonly c: RequestContext; readonly service: Service }) {
  const wanted = new URLSearchParams(c.get("target").query).get("show") ?? "";
  const show = Object.hasOwn(views, wanted) ? wanted : "gated";
  const { kinds, about } = views[show]!;
  const decisions = service.decisions.latest(kinds).slice(0, shown);
  return (
    <section>
      <h2 id="decisions">Latest decisions</h2>
      <nav class="views" aria-label="Decisions to show">
        {Object.entries(views).map(([name, { text }]) => (
          <a
            href={`${href(c, "/admin/auth")}?show=${name}#decisions`}
            aria-current={name === show ? "page" : undefined}
          >
            {text}
          </a>
        ))}
      </nav>
      {decisions.length === 0 ? (
        <p>None yet {about}. They appear here when somebody requests such images.</p>
      ) : (
        <>
          <p class="quiet">
            The latest of this process {about}, at most {shown}, the newest first. The status is that of the
            response: an image that was allowed may still be missing (404).
          </p>
          <section class="scroll" tabindex={0} aria-labelledby="decisions">
            <table class="grid stack">
              <thead>
                <tr>
                  <th scope="col">Time (UTC)</th>
                  <th scope="col">Requested</th>
                  <th scope="col">Profile</th>
                  <th scope="col">Verdict</th>
                  <th scope="col" class="number">
                    Status
                  </th>
                </tr>
              </thead>
              <tbody>
                {decisions.map((record) => (
                  <Row c={c} record={record} />
                ))}
              </tbody>
            </table>
          </section>
        </>
      )}
    </section>
  );
}

function Row({ c, record }: { readonly c: RequestContext; readonly record: DecisionRecord }) {
  const { at, subject, identifier, profile, gated, verdict, status } = record;
  const { name, path } = subjects[subject];
  const address = path?.(identifier);
  const text = name(identifier);
  return (
    <tr>
      <td data-label="Time">
        <time datetime={new Date(at).toISOString()} title={timeOf(at)}>
          {shortTimeOf(at)}
        </time>
      </td>
      <td data-label="Requested" class={subject === "image" ? "path" : undefined}>
        {address === undefined ? text : <a href={href(c, address)}>{text}</a>}
      </td>
      <td data-label="Profile">{profile || <span class="quiet">{gated ? "–" : "public"}</span>}</td>
      <td data-label="Verdict">
        <span class={`pill ${verdict.startsWith("allow") ? "good" : "warn"}`}>{verdicts[verdict]}</span>
      </td>
      <td data-label="Status" class="number">
        {status ?? <span title="The response has not been sent yet.">–</span>}
      </td>
    </tr>
  );
}

/** Verdicts for people. */
const verdicts = {
  allow: "allow",
  "allow in part": "allow in part",
  deny: "deny",
  "deny → substitute": "deny, reduced image sent",
  "deny → redirect": "deny, redirected",
} as const satisfies Readonly<Record<Verdict, string>>;

interface Naming {
  readonly name: (identifier: string) => string;
  /** Returns the address of the admin page about it, if there is one. */
  readonly path?: (identifier: string) => string;
}

/** Names of the subjects. A document may be of a folder, of an image, or of neither. */
const subjects: Readonly<Record<Subject, Naming>> = {
  image: { name: (identifier) => identifier, path: imagePath },
  page: { name: (folder) => (folder === "" ? "start page" : `list of ${folder}`), path: folderPath },
  list: { name: (folder) => `list of ${folder || "the top folder"}, over MCP`, path: folderPath },
  document: { name: (identifier) => `IIIF document of ${identifier || "the top folder"}` },
};

/** Formats date and time in UTC, to the second. */
export const timeOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace("T", " ");

/** Without the date if it is today. */
const shortTimeOf = (ms: number) => {
  const [date, time = ""] = timeOf(ms).split(" ");
  return date === timeOf(Date.now()).split(" ")[0] ? time : timeOf(ms);
};
