// The page /admin/: the state of this process. Complete without a script; dashboard.js updates its texts with
// each frame of the stream, and its charts now and then.

import type { Child } from "hono/jsx";
import {
  type Frame,
  historyStepMs,
  problemsShown,
  type RequestContext,
  type Service,
} from "../../server/index.ts";
import { type AdminPage, href } from "../admin.ts";
import { adminPage } from "../frame.tsx";
import { Chart, type ChartFacts, charts } from "./charts.tsx";
import { liveAttributes, liveElements, type ValueDisplay } from "./live.tsx";
import {
  CacheTable,
  DamagedTable,
  ErrorTable,
  PartTable,
  RequestTable,
  SlowTable,
  SourceTable,
  StageTable,
  type StatusProps,
} from "./tables.tsx";

/** Routes of the page /admin/ and its charts. */
export const dashboardPages: AdminPage = (admin) => [
  {
    path: "/admin/",
    async get(c) {
      const { frames, history } = admin.service.dashboard;
      const frame = await frames({ health: true });
      const clock = new Date(frame.at).toISOString().slice(11, 19);
      return adminPage(c, admin, {
        title: "Status",
        section: "status",
        aside: (
          <span id="live" class="pill live" role="status" data-state="still">
            {`As of ${clock} UTC; reload for newer figures`}
          </span>
        ),
        body: statusOf(c, frame, history),
        styles: ["admin/dashboard.css"],
        modules: ["admin/dashboard.js"],
      });
    },
  },
  // Not counted: the open page requests it by itself.
  { path: chartsPath, counted: false, get: (c) => respondCharts(c, admin.service.dashboard.history) },
];

const chartsPath = "/admin/stats/charts";

type History = Service["dashboard"]["history"];

/** Responds with all charts as a part of a page; the script puts each in its place. */
async function respondCharts(_: RequestContext, history: History): Promise<Response> {
  const samples = history?.read() ?? [];
  const now = Date.now();
  const html = Object.values(charts).map((chart) => <Drawn chart={chart} samples={samples} now={now} />);
  return new Response((await Promise.all(html)).map(String).join(""), {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
      "X-Content-Type-Options": "nosniff",
    },
  });
}

function statusOf(c: RequestContext, frame: Frame, history: History): Child {
  const live = liveElements(frame);
  const shown = { frame, live };
  const image = href(c, "/admin/view/");
  return (
    <div
      id="status"
      data-at={frame.at}
      data-stream={href(c, "/admin/stats/stream")}
      data-charts={history && href(c, chartsPath)}
      data-step={historyStepMs}
    >
      <VerdictSection {...shown} base={href(c, "/admin/")} />
      <Cards {...shown} history={history} />
      <p class="quiet">
        Figures of this process, <span class="path">{frame.instance}</span>, since it started. Entries and
        sizes of a cache that processes share are those of all of them.
      </p>
      <h2 id="routes">Requests</h2>
      <RequestTable {...shown} />
      <p class="quiet">
        Times until the response is ready, of the latest 1,024 requests of each route. p95: 95 of 100 requests
        took at most so long.
      </p>
      <div class="halves">
        <section>
          <h2 id="stages">Where renders spend their time</h2>
          <StageTable {...shown} />
        </section>
        <section>
          <h2 id="errors">Recent failures of the service</h2>
          <ErrorTable {...shown} of="recentErrors" label="errors" />
          <h2 id="client-errors">Recent errors of clients and masters</h2>
          <ErrorTable {...shown} of="recentClientErrors" label="client-errors" />
        </section>
      </div>
      <h2 id="slowest">Slowest images of the last hour</h2>
      <SlowTable {...shown} page={image} />
      <p class="quiet">Below the time is the stage that took most of it.</p>
      <h2 id="damaged">Damaged masters of the last 24 hours</h2>
      <DamagedTable {...shown} page={image} />
      <h2 id="sources">Sources</h2>
      <SourceTable {...shown} />
      <div class="halves">
        <section>
          <h2 id="caches">Caches</h2>
          <CacheTable {...shown} />
        </section>
        <section>
          <h2 id="parts">Other parts</h2>
          <PartTable {...shown} />
        </section>
      </div>
    </div>
  );
}

/** What is wrong, and what to do about it. `base`: address of /admin/. */
function VerdictSection({
  frame: { verdict, problems },
  live: { text, Figure, onlyWith },
  base,
}: StatusProps & { readonly base: string }) {
  const summary = { of: "verdict.text", form: "text" } as const;
  return (
    <section class="verdict" aria-labelledby="verdict" role="status">
      <div data-level="verdict.level" class={verdict.level}>
        <h2 id="verdict" {...liveAttributes(summary)}>
          {text(summary)}
        </h2>
        <ul>
          {Array.from({ length: problemsShown }, (_, i) => {
            const of = { of: `problems.${i}.text`, form: "text" } as const;
            const link = problems[i]?.link ?? "";
            return (
              <li
                {...onlyWith(`problems.${i}`)}
                data-level={`problems.${i}.level`}
                class={problems[i]?.level}
              >
                <a
                  data-href={`problems.${i}.link`}
                  data-base={base}
                  href={link.startsWith("#") ? link : base + link}
                  {...liveAttributes(of)}
                >
                  {text(of)}
                </a>{" "}
                <Figure of={`problems.${i}.advice`} form="text" />
              </li>
            );
          })}
        </ul>
      </div>
    </section>
  );
}

/** The chart of a figure, in a place that the script finds. */
const Drawn = ({
  chart,
  ...drawn
}: Pick<Parameters<typeof Chart>[0], "samples" | "now"> & { readonly chart: ChartFacts }) => (
  <div data-chart={chart.of}>
    <Chart {...chart} {...drawn} />
  </div>
);

function Cards({ frame, live: { Figure, text }, history }: StatusProps & { readonly history: History }) {
  const samples = history?.read();
  const Card = ({ label, chart, vital, children, ...shown }: CardFacts) => (
    <div class={vital ? "card vital" : "card"}>
      <span class="label">{label}</span>
      <strong class="figure" {...liveAttributes(shown)}>
        {text(shown)}
      </strong>
      <span class="quiet">{children}</span>
      {chart && samples && <Drawn chart={chart} samples={samples} now={frame.at} />}
    </div>
  );
  return (
    <section class="cards" aria-label="At a glance">
      <Card vital label="Requests a second" of="rate" form="rate" chart={charts.rate}>
        <Figure of="requests" form="count" /> since the start, <Figure of="inFlight" form="count" /> right now
      </Card>
      <Card vital label="Time of an image (p95)" of="imageMs" form="ms" chart={charts.imageMs}>
        95 of 100 image requests are faster
      </Card>
      <Card vital label="Failures in five minutes" of="failuresLately" form="count" chart={charts.failures}>
        <Figure of="errors" form="count" /> since the start (5xx); <Figure of="clientErrors" form="count" />{" "}
        errors of clients (4xx, 501)
      </Card>
      <Card label="Waiting renders" of="queue.waiting" form="count" chart={charts.waiting}>
        p95 of their wait: <Figure of="queue.p95WaitMs" form="ms" />
      </Card>
      <Card label="Memory" of="memory.resident" form="bytes" chart={charts.memory}>
        objects <Figure of="memory.heap" form="bytes" />, workers <Figure of="memory.workers" form="bytes" />
      </Card>
      <Card label="Images found in the cache" of="caches.0.hitRate" form="percent" chart={charts.hitRate}>
        since the start
      </Card>
      <Card label="Workers at work" of="workers.working" form="count">
        <Figure of="workers.waiting" form="count" /> wait for bytes, <Figure of="workers.idle" form="count" />{" "}
        idle; <Figure of="sidecarBuilds" form="count" /> sidecars being built
      </Card>
      <div class="card">
        <span class="label">Parts that cannot be used</span>
        <strong
          class="figure unhealthy"
          data-state={String(frame.checks?.unhealthy)}
          {...liveAttributes({ of: "checks.unhealthy", form: "count" })}
        >
          {text({ of: "checks.unhealthy", form: "count" })}
        </strong>
        <span class="quiet">
          of <Figure of="checks.all" form="count" /> sources, caches and others
        </span>
      </div>
      <Card label="Running for" of="uptimeSeconds" form="seconds">
        version {frame.version}
      </Card>
    </section>
  );
}

interface CardFacts extends ValueDisplay {
  readonly label: string;
  readonly chart?: ChartFacts;
  /** True for the figures that matter most. */
  readonly vital?: boolean;
  readonly children?: Child;
}
