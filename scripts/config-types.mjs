// Types of the configuration as programs write it, from its JSON Schema: src/server/start/config.d.ts.

const head = `// Types of the configuration, generated from its schema by \`npm run docs\`. Keys with defaults may be absent.

`;

/** Returns the declaration of \`Config\` for a JSON Schema. */
export const configTypes = (schema) => `${head}export interface Config ${objectType(schema, "")}\n`;

/** Returns the type of a node; `indent`: that of the line it begins in. */
function typeOf(node, indent) {
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.enum) return node.enum.map((each) => JSON.stringify(each)).join(" | ");
  const members = [...(node.anyOf ?? []), ...(node.oneOf ?? [])];
  if (members.length > 0) return [...new Set(members.map((each) => typeOf(each, indent)))].join(" | ");
  if (node.type === "object") return objectType(node, indent);
  if (node.type === "array") return arrayType(node, indent);
  return (
    { string: "string", number: "number", integer: "number", boolean: "boolean", null: "null" }[node.type] ??
    "unknown"
  );
}

function arrayType({ items, prefixItems }, indent) {
  if (prefixItems) return `readonly [${prefixItems.map((each) => typeOf(each, indent)).join(", ")}]`;
  return items ? `ReadonlyArray<${typeOf(items, indent)}>` : "readonly unknown[]";
}

function objectType({ properties = {}, required = [], additionalProperties }, indent) {
  const inner = `${indent}  `;
  const lines = Object.entries(properties).map(([name, node]) => {
    const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
    const type = typeOf(node, inner);
    const member = required.includes(name) ? `${key}: ${type}` : `${key}?: ${type} | undefined`;
    return `${comment(node, inner)}${inner}readonly ${member};\n`;
  });
  if (typeof additionalProperties === "object" && lines.length === 0)
    return `Readonly<Record<string, ${typeOf(additionalProperties, indent)}>>`;
  return `{\n${lines.join("")}${indent}}`;
}

/** The description of a key, and its default if that is a plain value, as a comment of lines that fit. */
function comment({ description, default: usual }, indent) {
  const about =
    typeof usual === "object" || usual === undefined ? [] : [`Default: \`${JSON.stringify(usual)}\`.`];
  const words = [...(description ? [description] : []), ...about]
    .join(" ")
    .replaceAll("*/", "*\\/")
    .split(" ");
  if (words[0] === "") return "";
  const lines = [""];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (indent.length + longer.length + 2 <= 103 || lines.at(-1) === "") lines[lines.length - 1] = longer;
    else lines.push(` ${word}`);
  }
  if (lines.length === 1) return `${indent}/**${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} *${line}\n`).join("")}${indent} */\n`;
}
