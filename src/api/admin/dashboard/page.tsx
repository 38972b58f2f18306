// The page /admin/: the state of this process. Complete without a script; dashboard.js updates its texts with
// each frame of the stream.

import type { Child } from "hono/jsx";
import type { Frame } from "../../../dashboard/frame.ts";
import { problemsShown } from "../../../dashboard/verdict.ts";
import { type AdminPage, href } from "../admin.ts";
import { adminPage } from "../frame.tsx";
import { liveAttributes, liveElements, Spark, type ValueDisplay } from "./live.tsx";
import {
  CacheTable,
  DamagedTable,
  ErrorTable,
  PartTable,
  RequestTable,
  SlowTable,
  SourceTable,
  StageTable,
} from "./tables.tsx";

/** Its routes. */
export const dashboardPages: AdminPage = (admin) => [
  {
    path: "/admin/",
    async get(c) {
      const frame = await admin.service.dashboard.frames({ health: true });
      const clock = new Date(frame.at).toISOString().slice(11, 19);
      return adminPage(c, admin, {
        title: "Status",
        section: "status",
        aside: (
          <span id="live" class="pill live" role="status" data-state="still">
            {`As of ${clock} UTC; reload for newer figures`}
          </span>
        ),
        body: statusOf(frame, {
          stream: href(c, "/admin/stats/stream"),
          image: href(c, "/admin/view/"),
        }),
        styles: ["admin/dashboard.css"],
        modules: ["admin/dashboard.js"],
      });
    },
  },
];

/** Addresses of the stream, and of the page of an image without its identifier. */
interface Places {
  readonly stream: string;
  readonly image: string;
}

function statusOf(frame: Frame, { stream, image }: Places): Child {
  const live = liveElements(frame);
  const shown = { frame, live };
  return (
    <div id="status" data-stream={stream}>
      <p class="quiet whose">
        Figures of this process, <span class="path">{frame.instance}</span>, since it started. Entries and
        bytes of a cache that processes share are those of all of them.
      </p>
      <Verdict {...shown} base={image.replace(/view\/$/, "")} />
      <Cards {...shown} />
      <h2 id="routes">Requests</h2>
      <RequestTable {...shown} />
      <p class="quiet">Times until the response is there, of the latest 1,024 requests of each route.</p>
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

/** Shows current problems. `base`: address of /admin/. */
function Verdict({
  frame,
  live: { text, onlyWith },
  base,
}: {
  frame: Frame;
  live: ReturnType<typeof liveElements>;
  base: string;
}) {
  return (
    <section class="verdict" aria-labelledby="verdict" role="status">
      <h2 id="verdict">Now</h2>
      <ul>
        {Array.from({ length: problemsShown }, (_, i) => {
          const of = { of: `problems.${i}.text`, form: "text" } as const;
          const link = frame.problems[i]?.link ?? "";
          return (
            <li
              {...onlyWith(`problems.${i}`)}
              data-level={`problems.${i}.level`}
              class={frame.problems[i]?.level}
            >
              <a
                data-href={`problems.${i}.link`}
                data-base={base}
                href={link.startsWith("#") ? link : base + link}
                {...liveAttributes(of)}
              >
                {text(of)}
              </a>
            </li>
          );
        })}
      </ul>
      <p class="well" data-empty="problems" hidden={frame.problems.length > 0}>
        All is well.
      </p>
    </section>
  );
}

function Cards({ frame, live: { Figure, text } }: { frame: Frame; live: ReturnType<typeof liveElements> }) {
  const Card = ({ label, spark, children, ...shown }: CardFacts) => (
    <div class="card">
      <span class="label">{label}</span>
      <strong class="figure" {...liveAttributes(shown)}>
        {text(shown)}
      </strong>
      <span class="quiet">{children}</span>
      {spark && <Spark of={shown.of} />}
    </div>
  );
  return (
    <section class="cards" aria-label="At a glance">
      <Card label="Requests a second" of="rate" form="rate" spark>
        <Figure of="requests" form="count" /> since the start
      </Card>
      <Card label="In flight" of="inFlight" form="count" spark>
        requests without their answer
      </Card>
      <Card label="Waiting for a permit" of="queue.waiting" form="count" spark>
        p95 wait <Figure of="queue.p95WaitMs" form="ms" />
      </Card>
      <Card label="Memory" of="memory.resident" form="bytes" spark>
        objects <Figure of="memory.heap" form="bytes" />, workers <Figure of="memory.workers" form="bytes" />
      </Card>
      <Card label="Failures" of="errors" form="count">
        of the service (5xx); <Figure of="clientErrors" form="count" /> errors of clients (4xx, 501)
      </Card>
      <Card label="Workers at work" of="workers.working" form="count">
        <Figure of="workers.waiting" form="count" /> wait for bytes, <Figure of="workers.idle" form="count" />{" "}
        idle, <Figure of="sidecarBuilds" form="count" /> sidecars in the making
      </Card>
      <Card label="Uptime" of="uptimeSeconds" form="seconds">
        version {frame.version}
      </Card>
      <div class="card">
        <span class="label">Unhealthy</span>
        <strong
          class="figure unhealthy"
          data-state={String(frame.checks?.unhealthy)}
          {...liveAttributes({ of: "checks.unhealthy", form: "count" })}
        >
          {text({ of: "checks.unhealthy", form: "count" })}
        </strong>
        <span class="quiet">
          of <Figure of="checks.all" form="count" /> sources, caches and other parts
        </span>
      </div>
    </section>
  );
}

interface CardFacts extends ValueDisplay {
  readonly label: string;
  /** True if its last minute is drawn. */
  readonly spark?: boolean;
  readonly children?: Child;
}
