// Writes the generated pages of docs/reference/: the configuration and its JSON Schema from the schema, and
// the metrics from the table of figures, and the command line from its commands; also the settings of
// Cantaloupe side by side from the table of `smalti import`, and the alert rules for Kubernetes from those
// for Prometheus. With --check it only compares.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { cantaloupePage } from "./cantaloupe-page.mjs";
import { commandsPage } from "./commands-page.mjs";
import { figuresPage } from "./figures-page.mjs";
import { keyTable } from "./key-table.mjs";

const root = new URL("..", import.meta.url).pathname;
const folder = mkdtempSync(join(root, "node_modules/.docs-"));
const bundle = join(folder, "schema.mjs");
await build({
  stdin: {
    contents: `export { configTree } from "./config/schema.ts"; export { leaves } from "./config/walk.ts"; export { figures, publishedName } from "./stats/figures.ts"; export { cantaloupeRows } from "./commands/cantaloupe/table.ts"; export { commands } from "./commands/rows.ts"; export { flagLines, usageLine } from "./commands/help.ts"; export { exitCodes } from "./commands/command.ts";`,
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
  "docs/reference/metrics.md": figuresPage(figures, publishedName),
  "docs/reference/command-line.md": commandsPage(commandLine),
  "docs/coming-from/cantaloupe.md": cantaloupePage(
    readFileSync(join(root, "docs/coming-from/cantaloupe.md"), "utf8"),
    cantaloupeRows,
  ),
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
    [
      "Server",
      /^[a-z_]+$|^aliases/,
      "Where the service listens, by which address clients reach it, and how long it waits.",
    ],
    [
      "Log",
      /^log\./,
      "The log goes to standard error. A running server takes over changes of the keys with ↻.",
    ],
    [
      "Error reports",
      /^errors\./,
      "[Monitoring](../operations/monitoring.md#error-reports) shows what a report holds.",
    ],
    ["Metrics", /^metrics\./, "[Metrics](metrics.md) lists what the service counts."],
    [
      "Tracing",
      /^tracing\./,
      "Spans of requests and their stages, for an OpenTelemetry collector: [tracing](../operations/tracing.md) says what they contain.",
    ],
    ["Caching by browsers", /^http\./, ""],
    [
      "Caps",
      /^limits\./,
      "A request above a cap is refused at once, with `Retry-After`; the service does not queue it.",
    ],
    [
      "Images",
      /^image\./,
      "The service neither enforces nor advertises limits that are 0. It always reduces `max` to the limits; other sizes above a limit are 400. The limits apply to the size in the request, before rotation. A rotation by 90 or 270 degrees swaps the sides. Other angles enlarge the derivative to the box around the rotated image, whose sides are at most the image's diagonal.",
    ],
    [
      "Sources",
      /^sources/,
      "A list of sources. An identifier belongs to the source with the longest prefix with which the identifier begins. The default source is the one without a prefix, else the first. No two sources may have the same name or the same prefix. Without sources the service serves the bundled picture `sample`.",
    ],
    [
      "Presentation",
      /^presentation\./,
      "Manifests and collections of the folders of the sources: [presentation](../concepts/presentation.md) shows what they contain and how manifest files add to them.",
    ],
    [
      "Overlay",
      /^overlay\./,
      "A picture, such as a watermark, that lies on every derivative: [overlay](../how-to/overlay.md) shows what the keys do.",
    ],
    [
      "Caches",
      /^cache\./,
      "There are three slots: `render` caches derivatives, `info` facts of masters (size, tiles), and `origin` what the service has read or made of a master before it renders. You may switch off all of them; only speed changes. A slot without `backend` has its default one. If the service cannot use the folder in `path`, it starts all the same, without this slot, and the start text, the log, `/ready` and `smalti check` say why. If it cannot use the default folder, the slot is in memory instead (at most 64 MiB), with one warning.",
    ],
    [
      "Hooks",
      /^hook\./,
      "Functions of your own that map identifiers and decide who may see images: [hooks](../concepts/hooks.md) says what they receive and may return.",
    ],
    [
      "Authorization",
      /^auth\./,
      "Who may see which images: [authorization](../concepts/authorization.md) says how rules, profiles and sessions work together. Without the section `auth` the service gates nothing. Names under `auth.profiles` are part of addresses.",
    ],
    [
      "Content states",
      /^content_state\./,
      "Links to a page or a detail of it, which any viewer that knows the Content State API can open, and addresses at which the service stores such links.",
    ],
    [
      "Model Context Protocol",
      /^mcp\./,
      "Images for AI clients: [MCP](../how-to/mcp.md) says what they can do with them, and how to connect one.",
    ],
  ];
}

function reference() {
  const all = leaves(configTree());
  const taken = new Set();
  const parts = sections().map(([title, keys, intro]) => {
    const rows = all.filter(({ path }) => keys.test(path) && !taken.has(path));
    for (const { path } of rows) taken.add(path);
    return `## ${title}\n\n${intro ? `${intro}\n\n` : ""}${keyTable(rows)}`;
  });
  const left = all.filter(({ path }) => !taken.has(path));
  if (left.length > 0)
    throw new Error(
      `no section of docs/reference/configuration.md for ${left.map(({ path }) => path).join(", ")}`,
    );
  return `# Configuration

Generated from the schema by \`npm run docs\`; the same as a [JSON Schema](configuration.schema.json) for editors.

The file is YAML; \`-config FILE\` or \`SERVICE_CONFIG\` names it. File names in it are relative to its folder. Every top-level key
has a default, so an empty file is valid, and a key without a value counts as left out. If a key is unknown or a value has the
wrong form, the service does not start, and a message names the key. \`smalti check -config FILE\` finds that without starting, prints
the configuration with all defaults, and warns of folders and servers that it cannot use from the machine where it runs.

- **Durations** are whole numbers with a unit: \`500ms\`, \`30s\`, \`5m\`, \`24h\`, \`7d\`.
- **Sizes** are \`64KiB\`, \`256MiB\`, \`10GiB\`, \`1TiB\` or plain bytes.
- **\`[]\`** in a key stands for each item of a list, **\`*\`** for each name that you choose.
- **\`redis\`, \`s3\`:** before a meaning names the backends or types that have the key; for others the key is unknown.
- **Numbers and words** may be in quotes or not: \`depth: 8\`, \`tile_size: "512"\`, \`name: 007\`. For a key that is \`true\` or \`false\`, you
  may also write \`yes\`, \`on\`, \`no\` and \`off\`; for one that is \`on\` or \`off\`, also \`true\` and \`false\`. The service refuses values that it could read in two ways.
- **Environment variables** named below override the file.
- **↻** marks keys that a running server takes over from the changed file on SIGHUP (Node, Deno, Bun). Changes of other keys take effect at
  the next start; the log names these keys. If the file has mistakes, the service changes nothing and logs them.

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
