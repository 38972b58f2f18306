// The table of figures as a page.

import { figureAdvice } from "./figure-advice.mjs";

/** Headings for figures by the beginning of their names, with explanations. */
const sections = [
  [
    "Requests",
    /^http_|^access_/,
    "`health` is `/health` and `/ready`. Redirects of a base URI count as image information.",
  ],
  [
    "Rendering",
    /^(admi|refused|delayed|cancelled|yielded|underestimated|jobs|pool_|worker)/,
    "Jobs pass a gate (`render` for pictures, `probe` for reading headers), then a worker runs them.",
  ],
  ["Caches", /^cache_/, "A slot is `render`, `info`, `origin`, `text` or `changes`."],
  ["Sources", /^source_/, ""],
  ["Service", /./, ""],
];

/** A Markdown page with all figures. Throws if a figure has no advice, or an advice no figure. */
export function figuresPage(figures, publishedName) {
  const unknown = Object.keys(figureAdvice).filter((name) => !(name in figures));
  if (unknown.length > 0)
    throw new Error(`scripts/figure-advice.mjs: no figure is named ${unknown.join(", ")}`);
  const missing = Object.keys(figures).filter((name) => !(name in figureAdvice));
  if (missing.length > 0)
    throw new Error(`scripts/figure-advice.mjs: say what to do if ${missing.join(", ")} is unusual`);
  const taken = new Set();
  const parts = sections.map(([title, names, intro]) => {
    const own = Object.keys(figures).filter((name) => names.test(name) && !taken.has(name));
    for (const name of own) taken.add(name);
    const shared = sharedLabels(own.map((name) => figures[name].labels));
    const rows = own.map((name) => row(publishedName(name), figures[name], figureAdvice[name], shared));
    const labels = [...shared].map((label) => `- ${label}`).join("\n");
    const head = [intro, labels && `Labels of several figures:\n\n${labels}`].filter(Boolean).join(" ");
    return `## ${title}\n\n${head ? `${head}\n\n` : ""}| figure | kind | labels | meaning | if it is unusual |\n|---|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Metrics

Generated from the table of figures (\`src/server/stats/figures.ts\`) by \`npm run docs\`.

The service counts these figures since its start, for this process alone: times in seconds, sizes in bytes. Labels contain no identifiers, paths or addresses. Requests that
the runtime itself refuses because they are not HTTP are not counted.

A **counter** only grows. A **gauge** is read when somebody asks, from folders, servers and shared stores at most every ten seconds; a value that the service cannot get
is left out. A **histogram** counts values in buckets; percentiles are of the latest values, by nearest rank.

${parts.join("\n")}`;
}

/** Returns the labels that several figures have with the same values, as text. */
function sharedLabels(all) {
  const texts = all.flatMap((labels) => Object.entries(labels).map(textOf));
  return new Set(texts.filter((text, at) => texts.indexOf(text) !== at));
}

const textOf = ([label, values]) =>
  `\`${label}\`: ${typeof values === "string" ? values : values.map((value) => `\`${value}\``).join(", ")}`;

function row(name, { kind, help, labels, buckets, latest }, advice, shared) {
  const of = Object.entries(labels).map((entry) =>
    shared.has(textOf(entry)) ? `\`${entry[0]}\`` : textOf(entry),
  );
  const extent = [
    help,
    buckets && `Buckets up to ${buckets.join(", ")}.`,
    latest && `Percentiles of the latest ${latest.toLocaleString("en")}.`,
  ];
  const cells = [`\`${name}\``, kind, of.join("; "), extent.filter(Boolean).join(" "), advice];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
