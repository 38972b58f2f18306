// The examples and the page for operators, held to the table of figures and to the programs that read them.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { type FigureName, type FigureRow, figures, publishedName } from "../../src/stats/figures.ts";
import { hasPromtool, promtool } from "../promtool.ts";
import { hasNginx } from "../servers/nginx.ts";

const docs = fileURLToPath(new URL("../../docs/", import.meta.url));
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
  readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
}
const dashboard = JSON.parse(read("examples/operations/grafana-dashboard.json")) as Dashboard;
const ofDashboard = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/**
 * Returns the faults in the figures of an expression: names that do not exist, labels and values that a
 * figure does not have.
 */
function faultsOf(expression: string): string[] {
  return [...expression.matchAll(/(smalti_\w+)(?:\{([^}]*)\})?/g)].flatMap(([, name = "", selector = ""]) => {
    const row = rows.get(name);
    if (!row) return [`${name} does not exist`];
    return [...selector.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].flatMap(
      ([, label = "", operator, value = ""]) => {
        if (label === "instance") return [];
        const values = row.labels[label];
        if (values === undefined) return [`${name} has no label ${label}`];
        if (typeof values === "string") return [];
        const isMeant = operator === "=~" ? new RegExp(`^(${value})$`) : undefined;
        return values.some((each) => isMeant?.test(each) ?? each === value)
          ? []
          : [`${name} has no ${label} ${value}`];
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
    expect(output).toContain("14 rules found");
    expect(status).toBe(0);
  });
});

test("the page for operators documents every figure, and no other", () => {
  const text = read("operations/monitoring.md");
  const named = new Set([...text.matchAll(/`(smalti_\w+)`/g)].map(([, name]) => name));
  const published = (Object.keys(figures) as FigureName[]).map(publishedName);
  expect([...named].sort()).toEqual([...published].sort());
});

test.skipIf(!hasNginx)("nginx takes the example for it", () => {
  mkdirSync(join(folder, "cache"));
  const site = `${read("../deploy/proxy/nginx-site.conf")}${read("../deploy/proxy/nginx.conf").replace("/var/cache/nginx/smalti", join(folder, "cache"))}`;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
    .join(" ");
  writeFileSync(
    join(folder, "nginx.conf"),
    `pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary} ${site.replace("listen 80;", "listen 127.0.0.1:8099;")} }`,
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
