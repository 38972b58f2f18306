// Writes docs/configuration.md and docs/configuration.schema.json from the schema, and docs/figures.md from the table of figures;
// with --check it only compares.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { figuresPage } from "./figures-page.mjs";
import { keyTable } from "./key-table.mjs";

const root = new URL("..", import.meta.url).pathname;
const folder = mkdtempSync(join(root, "node_modules/.docs-"));
const bundle = join(folder, "schema.mjs");
await build({
  stdin: {
    contents: `export { configTree } from "./config/schema.ts"; export { leaves } from "./config/walk.ts"; export { figures, publishedName } from "./stats/figures.ts";`,
    resolveDir: join(root, "src"),
  },
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  logLevel: "warning",
});
const { leaves, configTree, figures, publishedName } = await import(pathToFileURL(bundle).href);
rmSync(folder, { recursive: true });

const files = {
  "docs/configuration.md": reference(),
  "docs/configuration.schema.json": `${JSON.stringify({ title: "smalti configuration", ...configTree() }, null, 2)}\n`,
  "docs/figures.md": figuresPage(figures, publishedName),
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

/** A heading for the keys that begin alike, and what to know before reading them. */
function sections() {
  return [
    [
      "Server",
      /^[a-z_]+$|^aliases/,
      "Where the service listens, what it is called from outside, and how long it waits.",
    ],
    [
      "Log",
      /^log\./,
      "Lines go to standard error. Changes of the level count at once, so that a running server can be made to talk.",
    ],
    ["Error reports", /^errors\./, "[Operations](operations.md#error-reports) shows what a report holds."],
    ["Metrics", /^metrics\./, "[Figures](figures.md) lists what the service counts."],
    [
      "Tracing",
      /^tracing\./,
      "Spans of requests and their stages, for a collector of OpenTelemetry: [tracing](tracing.md) says what they hold.",
    ],
    ["Caching by browsers", /^http\./, ""],
    ["Caps", /^limits\./, "Both answer at once with `Retry-After`; nothing is queued for them."],
    [
      "Images",
      /^image\./,
      "Limits that are 0 are not enforced and not advertised. `max` is always reduced to the limits; other sizes over a limit are 400. The limits hold for the size that is asked for, before rotation: a quarter turn swaps its sides, and other angles enlarge the answer to the box around the turned picture, whose sides are at most its diagonal.",
    ],
    [
      "Sources",
      /^sources/,
      "A list. The source with the longest prefix that an identifier begins with serves it; the one without a prefix, else the first, is the default. Names and prefixes are each used once. Without sources the bundled picture `sample` is served.",
    ],
    [
      "Presentation",
      /^presentation\./,
      "Manifests and collections of the folders of the sources: [presentation](presentation.md) shows what they hold and how manifest files add to them.",
    ],
    [
      "Overlay",
      /^overlay\./,
      "A picture, such as a watermark, that is laid on every image answer: [overlay](overlay.md) shows what the keys do.",
    ],
    [
      "Caches",
      /^cache\./,
      "Three slots: `render` keeps answers, `info` facts of masters (size, tiles), `origin` what stands between a master and its answers. All can be off; only speed changes. A slot that names no `backend` keeps its default one. A folder that is named in `path` and cannot be used is no reason not to start: the slot goes on without it, and the start text, the log, `/ready` and `smalti check` say why. Only the default folder gives way to memory (at most 64 MiB), with one warning.",
    ],
    [
      "Hooks",
      /^hook\./,
      "Functions of the operator's that map identifiers and gate images: [hooks](hooks.md) says what they see and may answer.",
    ],
    [
      "Authorization",
      /^auth\./,
      "Who may see which images: [authorization](authorization.md) says how rules, profiles and sessions work together. Without the section `auth` nothing is gated. Names under `auth.profiles` stand in addresses.",
    ],
    [
      "Content states",
      /^content_state\./,
      "Links to a page or a detail of it, which any viewer that knows the Content State API can open, and addresses that the service keeps for such links.",
    ],
    [
      "Model Context Protocol",
      /^mcp\./,
      "Images for AI clients: [MCP](mcp.md) says what they can do with them, and how to connect one.",
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
    throw new Error(`no section of docs/configuration.md for ${left.map(({ path }) => path).join(", ")}`);
  return `# Configuration

Generated from the schema by \`npm run docs\`; the same as a [JSON Schema](configuration.schema.json) for editors.

The file is YAML, named by \`-config FILE\` or \`SERVICE_CONFIG\`. File names in it are relative to its folder. Every key has a
default, so an empty file is a valid one, and a key without a value counts as not written. An unknown key or a value of the
wrong form stops the start with a message that names the key; \`smalti check -config FILE\` finds that without starting, prints
the configuration with all defaults, and warns of folders and servers that cannot be used from where it runs.

- **Durations** are whole numbers with a unit: \`500ms\`, \`30s\`, \`5m\`, \`24h\`, \`7d\`.
- **Sizes** are \`64KiB\`, \`256MiB\`, \`10GiB\`, \`1TiB\` or plain bytes.
- **\`[]\`** in a key stands for each item of a list, **\`*\`** for each name that you choose.
- **\`redis\`, \`s3\`:** before a meaning are the backends or types that have the key; it is an unknown one to others.
- **Numbers and words** may stand in quotes or not: \`depth: 8\`, \`tile_size: "512"\`, \`name: 007\`. \`yes\`, \`on\`, \`no\` and \`off\` are
  \`true\` and \`false\` where those are meant, and \`true\` and \`false\` are \`on\` and \`off\`. What has no single reading is refused.
- **Environment variables** named below override the file.
- **↻** marks keys that a running server takes over from the changed file on SIGHUP (Node, Deno, Bun). The other keys count at
  the next start; the log names those that changed and wait. A broken file changes nothing and is logged.

A start to copy:

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
