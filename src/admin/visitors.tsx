// /admin/visitors: what readers and crawlers use, and what limits do to them, or would do.

import { type RequestContext, type Service, type Visitors, visitorClasses } from "../server/index.ts";
import { type AdminPage, href } from "./admin.ts";
import { adminPage } from "./frame.tsx";

/** Rows of each list of those who use most. */
const shown = 20;

/** Routes of /admin/visitors. */
export const visitorPages: AdminPage = (admin) => [
  {
    path: "/admin/visitors",
    get: (c) =>
      adminPage(c, admin, {
        title: "Visitors",
        section: "visitors",
        body: <Body c={c} service={admin.service} />,
      }),
  },
];

interface Props {
  readonly c: RequestContext;
  readonly service: Service;
}

function Body({ c, service }: Props) {
  const visitors = service.visitors.current();
  const { mode, listed_origins: listed } = service.config().crawlers;
  if (!visitors)
    return (
      <p>
        Readers are not told from crawlers. Set <code>crawlers.mode</code> to <code>observe</code> in the{" "}
        <a href={href(c, "/admin/config")}>configuration</a> to see here who uses what, and what limits would
        do.
      </p>
    );
  return (
    <>
      <p class="quiet">
        {mode === "observe"
          ? "Nothing is limited: the last three columns say what mode: limit would have done since this process started."
          : "Since this process started. Visitors are networks; nothing about a person is stored."}
      </p>
      <Classes visitors={visitors} isObserved={mode === "observe"} />
      <Heaviest
        title="Networks"
        about="Shortened to /24 and /48. To let one use as much as it likes, add it to crawlers.known_networks."
        rows={visitors.heaviest("networks", shown)}
      />
      <Heaviest
        title="Sites that show these images"
        about="To let the tiles of a site's viewer go first, add its origin to crawlers.listed_origins."
        rows={visitors.heaviest("origins", shown)}
        note={(name) => (listed.includes(name) ? "listed" : "")}
      />
      <Heaviest
        title="Crawlers and programs"
        about="As they name themselves."
        rows={visitors.heaviest("agents", shown)}
      />
    </>
  );
}

/** Names of the classes for people. */
const names: Readonly<Record<(typeof visitorClasses)[number], string>> = {
  known: "known",
  viewer: "own viewer",
  listed: "listed site",
  reader: "reader",
  newcomer: "newcomer",
  crawler: "crawler",
  program: "program",
};

function Classes({ visitors, isObserved }: { readonly visitors: Visitors; readonly isObserved: boolean }) {
  const counts = visitors.counts();
  const total = visitorClasses.reduce((sum, name) => sum + counts[name].megapixels, 0);
  return (
    <section class="scroll" tabindex={0} aria-label="Classes of visitors">
      <table class="grid stack">
        <thead>
          <tr>
            {["Class", "Requests", "Megapixels", "Share", "Seconds of work"].map((text, at) => (
              <th scope="col" class={at === 0 ? undefined : "number"}>
                {text}
              </th>
            ))}
            {(isObserved
              ? ["Would wait", "Would be limited", "Would be refused"]
              : ["Waited", "Limited", "Refused"]
            ).map((text) => (
              <th scope="col" class="number">
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {visitorClasses.map((name) => {
            const { requests, megapixels, ms, waited, limited, refused } = counts[name];
            const cells = [
              ["Requests", requests],
              ["Megapixels", Math.round(megapixels)],
              ["Share", total === 0 ? "–" : `${Math.round((megapixels / total) * 100)} %`],
              ["Seconds of work", (ms / 1000).toFixed(1)],
              ["waited", waited],
              ["limited", limited],
              ["refused", refused],
            ] as const;
            return (
              <tr>
                <th scope="row">{names[name]}</th>
                {cells.map(([label, value]) => (
                  <td class="number" data-label={label}>
                    {value}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

interface HeaviestProps {
  readonly title: string;
  readonly about: string;
  readonly rows: ReturnType<Visitors["heaviest"]>;
  readonly note?: (name: string) => string;
}

function Heaviest({ title, about, rows, note }: HeaviestProps) {
  return (
    <section>
      <h2>{title}</h2>
      <p class="quiet">{about}</p>
      {rows.length === 0 ? (
        <p>None yet.</p>
      ) : (
        <table class="grid stack">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col" class="number">
                Megapixels
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ name, amount }) => (
              <tr>
                <td data-label="Name" class="path">
                  {name || "unknown"} <span class="quiet">{note?.(name)}</span>
                </td>
                <td data-label="Megapixels" class="number">
                  {Math.round(amount)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
