// The part of docs/coming-from/cantaloupe.md that derives from the table of `smalti import`.

const begin = "<!-- settings: generated from the table of `smalti import` -->";
const end = "<!-- end of the generated settings -->";

/** Returns the page with the tables of the properties between its marks. `rows`: those of Cantaloupe. */
export function cantaloupePage(page, rows) {
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0) throw new Error(`the page has no mark ${begin}`);
  const rest = to < 0 ? page.slice(from + begin.length) : page.slice(to + end.length);
  const taken = tableOf(rows, ({ to, text, missing }) => {
    if (to === undefined) return undefined;
    const names = to
      .split(", ")
      .map((name) => `\`${name}\``)
      .join(", ");
    const otherwise = missing === undefined ? "" : `. Otherwise: ${missing}`;
    return `${names}${text === undefined ? "" : `: ${text}`}${otherwise}`;
  });
  const missing = tableOf(rows, (row) => (row.to === undefined ? row.missing : undefined));
  const unneeded = tableOf(rows, (row) =>
    row.to === undefined && row.missing === undefined ? row.unneeded : undefined,
  );
  const text = [
    begin,
    "",
    "## Settings side by side",
    "",
    "What `smalti import` converts:",
    "",
    ...taken,
    "",
    "What has no equivalent, if you have set it:",
    "",
    ...missing,
    "",
    "What you do not need:",
    "",
    ...unneeded,
    "",
    end,
  ].join("\n");
  return page.slice(0, from) + text + rest;
}

/** Returns a table of the rows that have a text; those with the same one share a line. */
function tableOf(rows, textOf) {
  const byText = new Map();
  for (const [key, row] of Object.entries(rows)) {
    const text = textOf(row);
    if (text !== undefined) byText.set(text, [...(byText.get(text) ?? []), key]);
  }
  const all = Object.keys(rows);
  return [
    "| Cantaloupe | smalti |",
    "|---|---|",
    ...[...byText].map(([text, keys]) => {
      const names = shortened(keys, all).map((key) => `\`${key}\``);
      return `| ${names.join(", ")} | ${escaped(text)} |`;
    }),
  ];
}

/** Returns keys with `GROUP.*` in place of three or more, if these are all of that group. */
function shortened(keys, all) {
  const isWhole = (group) => {
    const members = all.filter((key) => key.startsWith(group));
    return members.length > 2 && members.every((key) => keys.includes(key));
  };
  const names = keys.map((key) => {
    const groups = [...key.matchAll(/\./g)].map(({ index }) => key.slice(0, index + 1));
    const widest = groups.find(isWhole);
    return widest === undefined ? key : `${widest}*`;
  });
  return [...new Set(names)];
}

/** Links of the page for references that the terminal shows as text. */
const links = [
  ["deploy/proxy", "[deploy/proxy](../operations/deploy.md#behind-a-proxy)"],
  ["the list of your methods", "[the list of your methods](#the-delegate-script)"],
  ["docs/how-to/watermark.md", "[watermark](../how-to/watermark.md)"],
];

const escaped = (text) =>
  links.reduce((whole, [plain, link]) => whole.replaceAll(plain, link), text.replaceAll("|", "\\|"));
