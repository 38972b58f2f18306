// Writes the generated pages of docs/reference/: the configuration and its JSON Schema from the schema, and
// the metrics from the table of figures, and the command line from its commands; also the settings of
// Cantaloupe side by side from the table of `smalti import`, the sizes of the houses of src/, and the alert
// rules for Kubernetes from those for Prometheus. With --check it only compares.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { cantaloupePage } from "./cantaloupe-page.mjs";
import { commandsPage } from "./commands-page.mjs";
import { configTypes } from "./config-types.mjs";
import { figuresPage } from "./figures-page.mjs";
import { withHouses } from "./houses.mjs";
import { keyTable } from "./key-table.mjs";
import { vulnerabilities } from "./vulnerabilities.mjs";
import { vulnerabilitiesPage } from "./vulnerabilities-page.mjs";

const root = new URL("..", import.meta.url).pathname;
/** Heading of the keys with which several parts reach a server. */
const connections = "Buckets and Redis";
const folder = mkdtempSync(join(root, "node_modules/.docs-"));
const bundle = join(folder, "schema.mjs");
await build({
  stdin: {
    contents: `export { configTree } from "./server/config/schema.ts"; export { leaves } from "./server/config/walk.ts"; export { figures, publishedName } from "./server/stats/figures.ts"; export { cantaloupeRows } from "./cli/commands/cantaloupe/table.ts"; export { commands } from "./cli/commands/rows.ts"; export { flagLines, usageLine } from "./cli/commands/help.ts"; export { exitCodes } from "./cli/commands/command.ts";`,
    resolveDir: join(root, "src"),
  },
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "node",
  packages: "external",
  define: { SMALTI_VERSION: '""' },
  logLevel: "warning",
});
const { leaves, configTree, figures, publishedName, cantaloupeRows, ...commandLine } = await import(
  pathToFileURL(bundle).href
);
rmSync(folder, { recursive: true });

const files = {
  "docs/reference/configuration.md": reference(),
  "docs/reference/configuration.schema.json": `${JSON.stringify({ title: "smalti configuration", ...configTree() }, null, 2)}\n`,
  "src/server/start/config.d.ts": configTypes(configTree()),
  "docs/reference/metrics.md": figuresPage(figures, publishedName),
  "docs/reference/command-line.md": commandsPage(commandLine),
  "docs/coming-from/cantaloupe.md": cantaloupePage(
    readFileSync(join(root, "docs/coming-from/cantaloupe.md"), "utf8"),
    cantaloupeRows,
  ),
  "docs/contributing/architecture.md": withHouses(
    root,
    readFileSync(join(root, "docs/contributing/architecture.md"), "utf8"),
  ),
  "docs/contributing/vulnerabilities.md": vulnerabilitiesPage(vulnerabilities),
  "deploy/kubernetes/monitoring/alerts.yaml": prometheusRule(),
};

let stale = false;
for (const [name, text] of Object.entries(files)) {
  const path = join(root, name);
  if (process.argv.includes("--check")) {
    let current = "";
    try {
      current = readFileSync(path, "utf8");
    } catch {}
    if (current !== text) {
      stale = true;
      console.error(`${name} is stale: run npm run docs`);
    }
  } else writeFileSync(path, text);
}
process.exit(stale ? 1 : 0);

/** The alert rules as a resource of the Prometheus operator. */
function prometheusRule() {
  const rules = readFileSync(join(root, "docs/examples/operations/alerts.yml"), "utf8");
  const groups = rules.slice(rules.indexOf("groups:"));
  return `# Generated from docs/examples/operations/alerts.yml by \`npm run docs\`.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: { name: smalti }
spec:
${groups.replace(/^(?=.)/gm, "  ")}`;
}

/** A heading for the keys that begin alike, and what to know before reading them. */
function sections() {
  return [
    ["Server", /^[a-z_]+$|^aliases/, "Where the service listens, and its public address."],
    ["Log", /^log\./, "The log goes to standard error."],
    [
      "Error reports",
      /^errors\./,
      "[Monitoring](../operations/monitoring.md#error-reports) shows what a report holds.",
    ],
    ["Metrics", /^metrics\./, "[Metrics](metrics.md) lists what the service counts."],
    ["Tracing", /^tracing\./, "[Spans](../operations/tracing.md) for an OpenTelemetry collector."],
    ["Caching by browsers", /^http\./, ""],
    ["Caps", /^limits\./, "A request above a cap is refused immediately, with `Retry-After`."],
    ["Operators", /^admin\./, "Who may use the [admin pages](../operations/admin.md#several-operators)."],
    [
      "Crawlers",
      /^(?:crawlers|robots)\./,
      "What crawlers may fetch, and who may use how much: [crawlers](../operations/crawlers.md).",
    ],
    [
      "Signed links",
      /^signed_links\./,
      "Links that open an image to [anyone who has them](../how-to/signed-links.md).",
    ],
    [
      "Images",
      /^image\./,
      "A limit of 0 is off. `max` is reduced to the limits; other sizes above a limit are 400. Limits apply to the size in the request, before rotation.",
    ],
    [
      connections,
      /^(?:sources\[\]|cache\.\w+|auth\.session\.\w+)\.(?:bucket|region|endpoint|path_style|anonymous|\w+_key_env|session_token_env|addr|db|tls|password_env)$|^(?:cache\.\w+|auth\.session\.redis)\.(?:url|token_env)$/,
      "How sources, caches and sessions reach a bucket (`s3`: from `bucket` to `session_token_env`) or Redis (`redis`: the others).",
    ],
    [
      "Sources",
      /^sources/,
      "Where masters are: [sources](../concepts/sources.md). Names and prefixes have to be unique. Without sources the service serves the bundled picture `sample`.",
    ],
    [
      "Presentation",
      /^presentation\./,
      "[Manifests and collections](../concepts/presentation.md) of the folders.",
    ],
    ["Search", /^search\./, "[An OpenSearch of yours](../how-to/searchable-book.md#3-search)."],
    ["Overlay", /^overlay\./, "A [watermark](../how-to/watermark.md) on every derivative."],
    [
      "Caches",
      /^cache\./,
      "[Caching](../concepts/caching.md) helps you choose. Each slot may be off; only speed changes. If a folder cannot be used, the service starts without it, and `/ready` and `smalti check` say why.",
    ],
    [
      "Hooks",
      /^hook\./,
      "[Functions of your own](../concepts/hooks.md) that map identifiers and decide who may see images.",
    ],
    [
      "Authorization",
      /^auth\./,
      "[Who may see which images](../concepts/authorization.md). Without this section nothing is gated. Names of profiles are part of addresses.",
    ],
    ["Content states", /^content_state\./, "Links to a page or a detail, and where they are stored."],
    ["Model Context Protocol", /^mcp\./, "[Images for AI clients](../how-to/mcp.md)."],
  ];
}

function reference() {
  const all = leaves(configTree());
  const taken = new Set();
  const parts = sections().map(([title, keys, intro]) => {
    const own = all.filter(({ path }) => keys.test(path) && !taken.has(path));
    for (const { path } of own) taken.add(path);
    // The introduction says which backends have the keys of a connection.
    const rows = title === connections ? own.map(({ of, ...leaf }) => leaf) : own;
    return `## ${title}\n\n${intro ? `${intro}\n\n` : ""}${keyTable(rows)}`;
  });
  const left = all.filter(({ path }) => !taken.has(path));
  if (left.length > 0)
    throw new Error(
      `no section of docs/reference/configuration.md for ${left.map(({ path }) => path).join(", ")}`,
    );
  return `# Configuration

Generated from the schema by \`npm run docs\`; the same as a [JSON Schema](configuration.schema.json) for editors.

Name the YAML file with \`-config FILE\` or \`SERVICE_CONFIG\`. Every key has a default, so an empty file is valid; paths are relative to the file's folder.
A mistake keeps the service from starting, with a message that names the key. Check a file, and see all its defaults, with \`smalti check -config FILE\`.

| | |
|---|---|
| Durations | whole numbers with a unit: \`500ms\`, \`30s\`, \`5m\`, \`24h\`, \`7d\` |
| Sizes | \`64KiB\`, \`256MiB\`, \`10GiB\`, \`1TiB\` or plain bytes |
| \`[]\`, \`*\` in a key | each item of a list; each name that you choose |
| \`redis\`, \`s3\`: before a meaning | only these backends or types have the key |
| Quotes | optional: \`depth: 8\`, \`tile_size: "512"\`, \`name: 007\`. A value that could be read in two ways is refused |
| \`true\`, \`false\` | also \`yes\`, \`on\`, \`no\`, \`off\`; a key that is \`on\` or \`off\` also takes \`true\` and \`false\` |
| Environment variables | override the file, if they are named below |
| ↻ | a running server takes the key over on SIGHUP (Node, Deno, Bun). Other changes wait for the next start, and the log names them. If the file has mistakes, nothing changes |

An example to copy:

\`\`\`yaml
addr: ":8080"
base_url: "https://images.example.org"
trusted_proxies: ["10.0.0.0/8"]
sources:
  - { name: scans, type: filesystem, root: ./scans }
  - { name: maps, type: filesystem, root: /srv/maps, prefix: maps/ }
cache:
  render: { backend: filesystem, path: ./cache/render, max_bytes: 20GiB, ttl: 7d }
image:
  max_output_area: 25000000
limits:
  max_in_flight_per_ip: 32
\`\`\`

${parts.join("\n")}`;
}
