// The keys of a schema as a table of the reference page.

/**
 * A Markdown table with a row for each leaf of a schema; leaves that differ only in their path, such as those
 * of the three caches, share a row.
 */
export function keyTable(leaves) {
  const rows = new Map();
  for (const leaf of leaves) {
    const { path, text } = row(leaf);
    rows.set(text, [...(rows.get(text) ?? []), path]);
  }
  const lines = [...rows].map(([text, paths]) => `| ${paths.join(", ")} | ${text} |`);
  return `| key | value | default | meaning |\n|---|---|---|---|\n${lines.join("\n")}\n`;
}

/** Returns the path of a leaf with its mark, and the other cells. */
function row({ path, node, optional, of }) {
  const told = of ? `${of.map((word) => `\`${word}\``).join(", ")}: ` : "";
  const meaning = [told + (node.description ?? ""), node.env ? `Environment: \`${node.env}\`.` : ""]
    .filter(Boolean)
    .join(" ")
    .replaceAll("|", "\\|");
  return {
    path: `\`${path}\`${node.edit === "live" ? " ↻" : ""}`,
    text: `${form(node)} | ${optional ? "none" : standard(node)} | ${meaning}`,
  };
}

function form(node) {
  if (node.form) return node.form;
  const options = node.anyOf ?? node.oneOf;
  const size = options?.find((option) => option.form);
  if (size) return size.form;
  const values = node.enum ?? (node.const === undefined ? undefined : [node.const]);
  if (values) return values.map((value) => `\`${value}\``).join(", ");
  if (options) return [...new Set(options.map(form))].join(" or ");
  if (node.type === "array") return `list of ${node.items ? form(node.items) : "values"}`;
  if (node.type === "integer" || node.type === "number") {
    const top = node.maximum < Number.MAX_SAFE_INTEGER ? node.maximum : undefined;
    return top === undefined ? "number" : `${node.minimum} to ${top}`;
  }
  if (typeof node.additionalProperties === "object") return `names with ${form(node.additionalProperties)}`;
  return { string: "text", boolean: "`true`, `false`" }[node.type] ?? String(node.type ?? "text");
}

function standard(node) {
  if (node.default === undefined) return "required";
  if (node.default === "") return "empty";
  return `\`${typeof node.default === "object" ? JSON.stringify(node.default) : node.default}\``;
}
