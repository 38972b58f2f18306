// Writes docs/configuration.md and docs/configuration.schema.json from the schema; with --check it only compares.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = new URL("..", import.meta.url).pathname;
const folder = mkdtempSync(join(root, "node_modules/.docs-"));
const bundle = join(folder, "walk.mjs");
await build({
  entryPoints: [join(root, "src/config/walk.ts")],
  outfile: bundle,
  bundle: true,
  format: "esm",
  platform: "neutral",
  mainFields: ["module", "main"],
  logLevel: "warning",
});
const { leaves, jsonSchema } = await import(pathToFileURL(bundle).href);
rmSync(folder, { recursive: true });

const files = {
  "docs/configuration.md": reference(),
  "docs/configuration.schema.json": `${JSON.stringify({ title: "smalti configuration", ...jsonSchema() }, null, 2)}\n`,
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

function reference() {
  const rows = leaves().map(({ path, node }) => {
    const notes = [node.description ?? "", node.env ? `Environment: \`${node.env}\`.` : ""]
      .filter(Boolean)
      .join(" ");
    return `| \`${path}\` | ${form(node)} | ${standard(node)} | ${node.edit === "live" ? "at once" : "restart"} | ${notes.replaceAll("|", "\\|")} |`;
  });
  return `# Configuration

Generated from the schema by \`npm run docs\`; the same as a [JSON Schema](configuration.schema.json) for editors.

The file is YAML, named by \`-config FILE\` or \`SERVICE_CONFIG\`. File names in it are relative to its folder. Every key has a
default, so an empty file is a valid one. An unknown key or a value of the wrong form stops the start with a message that
names the key; \`smalti check -config FILE\` tells without starting, and prints the configuration with all defaults.

Durations are written \`500ms\`, \`30s\`, \`5m\`, \`24h\`, \`7d\`; sizes \`64KiB\`, \`256MiB\`, \`10GiB\` or plain bytes. Keys marked
"at once" are read again on SIGHUP (Node, Deno, Bun); the others count at the next start.

| key | value | default | a change counts | meaning |
|---|---|---|---|---|
${rows.join("\n")}

## Example

\`\`\`yaml
addr: ":8080"
base_url: "https://images.example.org"
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
`;
}

function form(node) {
  if (node.enum) return node.enum.map((value) => `\`${value}\``).join(", ");
  if (node.const !== undefined) return `\`${node.const}\``;
  const options = node.anyOf ?? node.oneOf;
  if (options) return [...new Set(options.map(form))].join(" or ");
  if (node.type === "array") return `list of ${node.items ? form(node.items) : "values"}`;
  const names = { integer: "number", string: "text", boolean: "`true`, `false`" };
  return names[node.type] ?? String(node.type ?? "text");
}

function standard(node) {
  if (node.default === undefined) return "required";
  return `\`${JSON.stringify(node.default)}\``;
}
