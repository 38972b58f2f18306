// The page /admin/visitors: what readers and crawlers use, what limits do to them or would do, and rules to
// copy into the configuration.

import {
  type CrawlerOptions,
  createDenials,
  createListed,
  poolNames,
  type RequestContext,
  type Service,
  type Visitors,
  visitorClasses,
} from "../../server/index.ts";
import { type AdminPage, href } from "../admin.ts";
import { adminPage } from "../frame.tsx";
import { ruleFor, ruleForAgent } from "./rules.ts";

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
        styles: ["admin/visitors.css"],
        scripts: ["admin/copy.js"],
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
  const { crawlers } = service.config();
  if (!visitors)
    return (
      <p>
        Readers are not told from crawlers. Set <code>crawlers.mode</code> to <code>observe</code> in the{" "}
        <a href={href(c, "/admin/config")}>configuration</a> to see here who uses what, and what limits would
        do.
      </p>
    );
  const isObserved = crawlers.mode === "observe";
  const isListed = createListed(crawlers.listed_origins);
  const isDenied = createDenials(crawlers.denied_agents);
  return (
    <>
      <p class="quiet">
        {isObserved
          ? "Nothing is limited: the last three columns say what mode: limit would have done since this process started."
          : "Since this process started. Visitors are networks; nothing about a person is stored."}
      </p>
      <Classes visitors={visitors} isObserved={isObserved} />
      {crawlers.proof !== "off" && <Proofs visitors={visitors} isObserved={isObserved} />}
      <Pools visitors={visitors} crawlers={crawlers} />
      <Heaviest
        title="Networks"
        about="Shortened to /24 and /48. The rule lets one use as much as it likes."
        rows={visitors.heaviest("networks", shown)}
        note={(name) => (crawlers.known_networks.includes(name) ? "known" : "")}
        rule={(name) => ruleFor("known_networks", crawlers, name)}
      />
      <Heaviest
        title="Sites that show these images"
        about="The rule lets the tiles of a site's viewer go before those of strangers."
        rows={visitors.heaviest("origins", shown)}
        note={(name) => (isListed(name) ? "listed" : "")}
        rule={(name) => (isListed(name) ? undefined : ruleFor("listed_origins", crawlers, name))}
      />
      <Heaviest
        title="Crawlers and programs"
        about="As they name themselves. The rule denies everything to agents that contain the name."
        rows={visitors.heaviest("agents", shown)}
        note={(name) => (isDenied?.(name) ? "denied" : "")}
        rule={(name) => (isDenied?.(name) || isJudged.test(name) ? undefined : ruleForAgent(crawlers, name))}
      />
      <p class="unseen" role="status" id="copied" />
    </>
  );
}

/** Names of crawlers that the configuration verifies; a rule would deny the real ones too. */
const isJudged = / \((?:verified|claimed|unknown)\)$/;

/** Names of the classes for people. */
const names: Readonly<Record<(typeof visitorClasses)[number], string>> = {
  known: "known",
  viewer: "own viewer",
  listed: "listed site",
  reader: "reader",
  newcomer: "newcomer",
  crawler: "crawler",
  program: "program",
  claimed: "claims to be a crawler",
};

const percentOf = (part: number, total: number) =>
  total === 0 ? "–" : `${Math.round((part / total) * 100)} %`;

function Classes({ visitors, isObserved }: { readonly visitors: Visitors; readonly isObserved: boolean }) {
  const counts = visitors.counts();
  const sum = (of: "megapixels" | "ms") => visitorClasses.reduce((all, name) => all + counts[name][of], 0);
  const all = { megapixels: sum("megapixels"), ms: sum("ms") };
  const outcomes = isObserved
    ? ["Would wait", "Would be limited", "Would be refused"]
    : ["Waited", "Limited", "Refused"];
  const rows = visitorClasses.map((name) => {
    const { requests, megapixels, ms, waited, limited, refused } = counts[name];
    return {
      name: names[name],
      cells: [
        requests,
        Math.round(megapixels),
        percentOf(megapixels, all.megapixels),
        (ms / 1000).toFixed(1),
        percentOf(ms, all.ms),
        ...[waited, limited, refused],
      ],
    };
  });
  return (
    <Table
      label="Classes of visitors"
      heads={["Class", "Requests", "Megapixels", "of all", "Seconds of work", "of all", ...outcomes]}
      rows={rows}
    />
  );
}

function Proofs({ visitors, isObserved }: { readonly visitors: Visitors; readonly isObserved: boolean }) {
  const { asked, solved, wrong } = visitors.proofs();
  return (
    <p>
      {isObserved
        ? `Browsers that would have been asked to calculate: ${asked}.`
        : `Browsers that were asked to calculate: ${asked}; right results: ${solved}; wrong ones: ${wrong}.`}
    </p>
  );
}

function Pools({ visitors, crawlers }: { readonly visitors: Visitors; readonly crawlers: CrawlerOptions }) {
  return (
    <section>
      <h2>Budgets that networks share</h2>
      <p class="quiet">Above 100 %, those who use more than their part wait.</p>
      <Table
        label="Budgets that networks share"
        heads={["Budget", "of the time", "used now"]}
        rows={poolNames.map((name) => ({
          name,
          cells: [
            `${name === "programs" ? crawlers.newcomers / 2 : crawlers[name]} %`,
            percentOf(visitors.poolUse(name), 1),
          ],
        }))}
      />
    </section>
  );
}

interface TableProps {
  readonly label: string;
  /** Headings of the columns. */
  readonly heads: readonly string[];
  readonly rows: readonly { readonly name: string; readonly cells: readonly (string | number)[] }[];
}

function Table({ label, heads, rows }: TableProps) {
  return (
    <section class="scroll" tabindex={0} aria-label={label}>
      <table class="grid stack">
        <thead>
          <tr>
            {heads.map((text, at) => (
              <th scope="col" class={at === 0 ? undefined : "number"}>
                {text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, cells }) => (
            <tr>
              <th scope="row">{name}</th>
              {cells.map((value, at) => (
                <td class="number" data-label={heads[at + 1]}>
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface HeaviestProps {
  readonly title: string;
  readonly about: string;
  readonly rows: ReturnType<Visitors["heaviest"]>;
  /** Returns what the configuration says of a name; empty if that is nothing. */
  readonly note: (name: string) => string;
  /** Returns the rule that it may be given, as YAML. */
  readonly rule: (name: string) => string | undefined;
}

function Heaviest({ title, about, rows, note, rule }: HeaviestProps) {
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
                <td>
                  <span class="path">{name || "unknown"}</span> <span class="quiet">{note(name)}</span>
                  <Rule name={name} yaml={rule(name)} />
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

/** A rule to copy, which can be read and selected without a script too. */
function Rule({ name, yaml }: { readonly name: string; readonly yaml: string | undefined }) {
  if (yaml === undefined) return null;
  return (
    <details class="rule">
      <summary>
        Rule<span class="unseen"> for {name}</span>
      </summary>
      <pre tabindex={0}>{yaml}</pre>
      <button type="button" class="plain" data-copy={yaml} aria-label={`Copy the rule for ${name}`} hidden>
        Copy
      </button>
    </details>
  );
}
