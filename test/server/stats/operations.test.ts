// The examples and the page for operators, held to the table of figures and to the programs that read them.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import {
  type FigureName,
  type FigureRow,
  figures,
  publishedName,
} from "../../../src/server/stats/figures.ts";
import { hasPromtool, promtool } from "../../promtool.ts";
import { exampleSite, hasNginx } from "../../servers/nginx.ts";

const docs = fileURLToPath(new URL("../../../docs/", import.meta.url));
const read = (name: string) => readFileSync(join(docs, name), "utf8");
const folder = mkdtempSync(join(tmpdir(), "smalti-operations-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Published names with what their series have. */
const rows = new Map<string, FigureRow>();
for (const name of Object.keys(figures) as FigureName[]) {
  const row: FigureRow = figures[name];
  const endings = row.kind === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  for (const ending of endings) rows.set(publishedName(name) + ending, row);
}

interface Dashboard {
  readonly panels: readonly {
    readonly description?: string;
    readonly targets?: readonly { readonly expr: string }[];
    readonly fieldConfig?: { readonly defaults: { readonly thresholds?: Thresholds } };
  }[];
}
interface Thresholds {
  readonly steps: readonly { readonly color: string; readonly value: number | null }[];
}
const dashboard = JSON.parse(read("examples/operations/grafana-dashboard.json")) as Dashboard;
const ofDashboard = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}
const alerts = (
  parse(read("examples/operations/alerts.yml")) as { groups: { rules: Alert[] }[] }
).groups.flatMap(({ rules }) => rules);

/**
 * Returns the faults in the figures of an expression: names that do not exist, labels and values that a
 * figure does not have.
 */
function faultsOf(expression: string): string[] {
  return [...expression.matchAll(/(smalti_\w+)(?:\{([^}]*)\})?/g)].flatMap(([, name = "", selector = ""]) => {
    const row = rows.get(name);
    if (!row) return [`${name} does not exist`];
    return [...selector.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].flatMap(
      ([, label = "", operator, value = ""]) => {
        if (label === "instance") return [];
        const values = row.labels[label];
        if (values === undefined) return [`${name} has no label ${label}`];
        if (typeof values === "string") return [];
        const isPattern = operator === "=~" || operator === "!~";
        const meant = isPattern ? value.split("|").map((each) => new RegExp(`^(${each})$`)) : [value];
        return meant
          .filter((one) => !values.some((each) => (one instanceof RegExp ? one.test(each) : one === each)))
          .map((one) => `${name} has no ${label} ${one}`);
      },
    );
  });
}

/** Returns faults in the grouping labels of an expression. */
function groupingFaults(expression: string): string[] {
  const names = [...expression.matchAll(/smalti_\w+/g)].map(([name]) => name);
  const known = new Set([
    "instance",
    "le",
    ...names.flatMap((name) => Object.keys(rows.get(name)?.labels ?? {})),
  ]);
  const used = [...expression.matchAll(/\b(?:by|ignoring|on) \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
    list.split(/,\s*/),
  );
  return used.filter((label) => !known.has(label));
}

describe("the dashboard", () => {
  test("names only figures, labels and values that exist", () => {
    expect(ofDashboard.length).toBeGreaterThan(30);
    expect(ofDashboard.flatMap(faultsOf)).toEqual([]);
    expect(ofDashboard.flatMap(groupingFaults)).toEqual([]);
  });

  test.skipIf(!hasPromtool)("holds expressions that Prometheus takes", () => {
    const rules = ofDashboard.map((expr, i) => ({
      record: `panel:${i}`,
      expr: expr.replaceAll("$__rate_interval", "5m").replaceAll("$instance", ".*"),
    }));
    const file = join(folder, "dashboard.yml");
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
    const { status, output } = promtool(["check", "rules", file]);
    expect(output).toContain(`${rules.length} rules found`);
    expect(status).toBe(0);
  });
});

test("the colours of the dashboard change where alerts fire", () => {
  const named = dashboard.panels.flatMap(({ description = "", fieldConfig }) => {
    const alert = alerts.find(({ alert }) => description.includes(alert));
    return alert ? [{ alert, steps: fieldConfig?.defaults.thresholds?.steps ?? [] }] : [];
  });
  expect(named.length).toBeGreaterThan(7);
  for (const { alert, steps } of named) {
    const limits = [...alert.expr.matchAll(/[<>] ([\d.]+)(?! \*)/g)].map(([, limit]) => Number(limit));
    const shown = Math.max(...steps.map(({ value }) => value ?? 0));
    // Any dropped line is one too many: "more than 0" is at least 1.
    expect(
      limits.map((limit) => limit || 1),
      alert.alert,
    ).toContain(shown);
  }
});

describe("the alert rules", () => {
  test("name only figures, labels and values that exist", () => {
    const text = read("examples/operations/alerts.yml");
    expect([...text.matchAll(/smalti_\w+/g)].length).toBeGreaterThan(10);
    expect(faultsOf(text)).toEqual([]);
    expect(groupingFaults(text).filter((label) => label !== "job")).toEqual([]);
  });

  test.skipIf(!hasPromtool)("load, and so does the configuration of Prometheus", () => {
    const { status, output } = promtool([
      "check",
      "config",
      join(docs, "examples/operations/prometheus.yml"),
    ]);
    expect(output).toContain(`${alerts.length} rules found`);
    expect(status).toBe(0);
  });

  test("name the entry of each alert in the documentation that the service serves", () => {
    const page = "https://images.example.org/static/docs/operations/troubleshooting.html";
    expect(alerts.map(({ annotations }) => annotations.runbook_url)).toEqual(
      alerts.map(({ alert }) => `${page}#${alert.toLowerCase()}`),
    );
  });

  test("compare percentiles with bounds of buckets, between which a percentile is only estimated", () => {
    const compared = alerts.flatMap(({ alert, expr }) => {
      const [, name = "", limit] =
        /^histogram_quantile\(.*?(smalti_\w+)\{.* > ([\d.]+)\s*$/s.exec(expr) ?? [];
      return limit === undefined ? [] : [{ alert, buckets: rows.get(name)?.buckets, limit: Number(limit) }];
    });
    expect(compared.map(({ alert }) => alert)).toEqual(["SmaltiSlowImages", "SmaltiQueueLong"]);
    for (const { alert, buckets, limit } of compared) expect(buckets, alert).toContain(limit);
  });

  const fires = test.skipIf(!hasPromtool);

  fires("fire for values that are not stored and for dropped log lines", () => {
    /** Of 60 values a minute 6 are lost, 3 for each reason; and 2, which is 3 %. */
    const of = (instance: string) => ({ instance, slot: "render" });
    const input = [
      growing("cache_failed_writes_total", of("bad"), 3),
      growing("cache_dropped_writes_total", of("bad"), 3),
      growing("cache_writes_total", of("bad"), 54),
      growing("cache_failed_writes_total", of("good"), 2),
      growing("cache_dropped_writes_total", of("good"), 0),
      growing("cache_writes_total", of("good"), 58),
      growing("log_dropped_lines_total", { instance: "bad" }, 2),
      growing("log_dropped_lines_total", { instance: "good" }, 0),
    ];
    testAlerts(input, [
      { at: "5m", alert: "SmaltiCacheWritesFail", fires: [] },
      {
        at: "40m",
        alert: "SmaltiCacheWritesFail",
        fires: [{ slot: "render", summary: "10% of the values for the render slot of bad are not stored" }],
      },
      {
        at: "40m",
        alert: "SmaltiLogLinesDropped",
        fires: [{ summary: "the log of bad lacks 30 lines of the last 15 minutes" }],
      },
    ]);
  });

  fires("fire for failures of responses to readers, not for those of probes and of admin pages", () => {
    const requests = (instance: string, route: string, status: string, each: number) =>
      growing("http_requests_total", { instance, route, status }, each);
    const input = [
      // /ready responds with 503 every five seconds.
      requests("good", "health", "5xx", 12),
      requests("good", "admin", "5xx", 12),
      requests("good", "iiif/3 image", "2xx", 100),
      requests("good", "iiif/3 image", "5xx", 2),
      // Probes that succeed hide no failures.
      requests("bad", "health", "2xx", 1000),
      requests("bad", "iiif/3 image", "2xx", 95),
      requests("bad", "iiif/3 image", "5xx", 5),
      // Nobody asks for images, and the only responses are those to probes.
      requests("quiet", "health", "5xx", 12),
      requests("quiet", "iiif/3 image", "2xx", 0),
      requests("quiet", "iiif/3 image", "5xx", 0),
    ];
    const summary = "5% of the responses of bad to readers are errors of the service";
    testAlerts(input, [
      { at: "30m", alert: "SmaltiServerErrors", fires: [{ severity: "critical", summary }] },
    ]);
  });

  fires(
    "fire if readers wait, if strangers have used what they may for long, and if many are refused",
    () => {
      const limits = (instance: string, name: string, outcome: string, each: number) =>
        growing("visitor_limits_total", { instance, class: name, outcome }, each);
      const requests = (instance: string, name: string, each: number) =>
        growing("visitor_requests_total", { instance, class: name }, each);
      const pool = (instance: string, values: string) => ({
        series: `smalti_visitor_pool_used_ratio{instance="${instance}",pool="strangers"}`,
        values,
      });
      testAlerts(
        [
          ...["good", "bad"].flatMap((instance) => [
            requests(instance, "reader", 50),
            requests(instance, "viewer", 50),
            requests(instance, "crawler", 1000),
          ]),
          limits("bad", "reader", "waited", 8),
          limits("bad", "viewer", "waited", 2),
          limits("good", "reader", "waited", 2),
          limits("good", "crawler", "waited", 900),
          limits("bad", "crawler", "refused", 90),
          limits("good", "crawler", "refused", 30),
          pool("bad", "0.2x9 1.1x50"),
          pool("good", "1.1x9 0.2x50"),
        ],
        [
          {
            at: "40m",
            alert: "SmaltiReadersWait",
            fires: [{ summary: "10% of the requests of readers at bad wait for a budget" }],
          },
          { at: "20m", alert: "SmaltiStrangersUsedUp", fires: [] },
          {
            at: "40m",
            alert: "SmaltiStrangersUsedUp",
            fires: [{ summary: "strangers have used what they may at bad" }],
          },
          {
            at: "40m",
            alert: "SmaltiVisitorsRefused",
            fires: [{ summary: "bad refuses 1.5 requests a second of visitors above their budget" }],
          },
        ],
      );
    },
  );

  fires("fire for slow images only if images are that slow", () => {
    const bounds = figures.http_request_duration.buckets;
    /** 80 of 100 images a minute take 100 ms, the others `seconds`. */
    const images = (instance: string, seconds: number) =>
      [...bounds, "+Inf"].map((le) => {
        const count = le === "+Inf" || seconds <= Number(le) ? 100 : Number(le) >= 0.1 ? 80 : 0;
        const labels = { instance, route: "iiif/3 image", le: String(le) };
        return growing("http_request_duration_seconds_bucket", labels, count);
      });
    testAlerts(
      [...images("good", 1.1), ...images("bad", 4)],
      [
        {
          at: "30m",
          alert: "SmaltiSlowImages",
          fires: [{ summary: "more than one image in twenty takes longer than 2.5 s on bad" }],
        },
      ],
    );
  });
});

/** A series that grows by the same amount each minute. */
function growing(name: string, labels: Readonly<Record<string, string>>, each: number) {
  const all = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return { series: `smalti_${name}{${all.join(",")}}`, values: `0+${each}x60` };
}

/**
 * Lets promtool evaluate the rules for series of an hour, and expects alerts of the instance `bad` only.
 * Each expected alert has its summary and the labels that differ from the usual ones.
 */
function testAlerts(
  input_series: readonly object[],
  expected: readonly {
    readonly at: string;
    readonly alert: string;
    readonly fires: readonly ({ readonly summary: string } & Readonly<Record<string, string>>)[];
  }[],
): void {
  const alert_rule_test = expected.map(({ at, alert, fires }) => {
    const runbook_url = alerts.find((each) => each.alert === alert)?.annotations.runbook_url;
    const exp_alerts = fires.map(({ summary, ...labels }) => ({
      exp_labels: { severity: "warning", instance: "bad", ...labels },
      exp_annotations: { summary, runbook_url },
    }));
    return { eval_time: at, alertname: alert, exp_alerts };
  });
  const file = join(folder, "alerts.test.yml");
  const rule_files = [join(docs, "examples/operations/alerts.yml")];
  const tests = [{ interval: "1m", input_series, alert_rule_test }];
  writeFileSync(file, JSON.stringify({ rule_files, evaluation_interval: "1m", tests }));
  const { status, output } = promtool(["test", "rules", file]);
  expect(output).toContain("SUCCESS");
  expect(status).toBe(0);
}

test("the page for operators names only figures that exist, and the reference has them all", () => {
  const namesOf = (page: string) => new Set(read(page).match(/(?<=`)smalti_\w+/g));
  const published = (Object.keys(figures) as FigureName[]).map(publishedName);
  expect([...namesOf("operations/monitoring.md")].filter((name) => !published.includes(name))).toEqual([]);
  expect([...namesOf("reference/metrics.md")].sort()).toEqual([...published].sort());
});

test.skipIf(!hasNginx)("nginx takes the example for it", () => {
  mkdirSync(join(folder, "cache"));
  const site = exampleSite({ folder, port: 8099 });
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(" ");
  writeFileSync(
    join(folder, "nginx.conf"),
    `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary} ${site} }`,
  );
  const { status, stderr } = spawnSync(
    "sh",
    ["-c", `PATH="$PATH:/usr/sbin" nginx -t -p ${folder} -c ${folder}/nginx.conf`],
    {
      encoding: "utf8",
    },
  );
  expect(stderr).toContain("syntax is ok");
  expect(status).toBe(0);
});
