// The table of figures as a page.

/** Headings for figures by the beginning of their names, with explanations. */
const sections = [
  [
    "Requests",
    /^http_|^access_/,
    "Classes of routes: image information and images of each version, where redirects of a base URI count as image information; `/health` and `/ready`; the admin pages. All other requests are `other`.",
  ],
  [
    "Rendering",
    /^(admi|refused|delayed|cancelled|yielded|underestimated|jobs|pool_|worker)/,
    "Jobs pass a gate (`render` for pictures, `probe` for reading headers), then a worker runs them.",
  ],
  ["Caches", /^cache_/, "By slot: `render`, `info` and `origin`."],
  ["Sources", /^source_/, "By the name of the source in the configuration."],
  ["Service", /./, ""],
];

/** A Markdown page with all figures. */
export function figuresPage(figures, publishedName) {
  const taken = new Set();
  const parts = sections.map(([title, names, intro]) => {
    const own = Object.keys(figures).filter((name) => names.test(name) && !taken.has(name));
    for (const name of own) taken.add(name);
    const rows = own.map((name) => row(publishedName(name), figures[name]));
    return `## ${title}\n\n${intro ? `${intro}\n\n` : ""}| figure | kind | labels | meaning |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Metrics

Generated from the table of figures (\`src/stats/figures.ts\`) by \`npm run docs\`.

The service counts these figures in one registry, since its start and for this process alone. Names follow the conventions of
Prometheus: times in seconds, sizes in bytes, \`_total\` at the end of the names of counters. Every series exists from the start, except that those of
renders begin with the first render of a pair of formats. No label contains an identifier, a path or an address, so the number of series is bounded by the
configuration.

- A **counter** only grows.
- A **gauge** is read from its part when somebody reads the figures. Folders, servers and shared stores are asked at most every ten seconds. A value that
  the service cannot get is left out.
- A **histogram** counts values in buckets. Where percentiles are named, they are of the latest values, by nearest rank.

The registry also keeps the latest 50 responses of status 4xx or 5xx (time, class of route and status, without path or client), and the
requests per second over the last ten seconds. It does not count requests that the runtime itself refuses because they are not HTTP.

${parts.join("\n")}`;
}

function row(name, { kind, help, labels, buckets, latest }) {
  const of = Object.entries(labels).map(([label, values]) => {
    const shown = typeof values === "string" ? values : values.map((value) => `\`${value}\``).join(", ");
    return `\`${label}\`: ${shown}`;
  });
  const extent = [
    help,
    buckets && `Buckets up to ${buckets.join(", ")}.`,
    latest && `Percentiles of the latest ${latest.toLocaleString("en")}.`,
  ];
  const cells = [`\`${name}\``, kind, of.join("; ") || "none", extent.filter(Boolean).join(" ")];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
