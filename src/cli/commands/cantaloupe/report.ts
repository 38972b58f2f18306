// The rows of the report of an import: names, and what became of each.

/** What is named, and what is said of it. */
export type ReportRow = readonly [name: string, text: string];

/** Characters of the widest name that has its text on the same line. */
const widest = 48;

/** Returns lines of a report. A text that several names share, or whose name is long, follows below them. */
export function reportLines(rows: readonly ReportRow[]): string[] {
  const byText = new Map<string, string[]>();
  for (const [name, text] of rows) byText.set(text, [...(byText.get(text) ?? []), name]);
  const isShort = (names: readonly string[]) => names.length === 1 && (names[0]?.length ?? 0) <= widest;
  const short = [...byText.values()].filter(isShort).map(([name = ""]) => name.length);
  const wide = Math.max(0, ...short);
  return [...byText].flatMap(([text, names]) =>
    isShort(names)
      ? [`  ${names[0]?.padEnd(wide)}  ${text}`]
      : [...names.map((name) => `  ${name}`), `    ${text}`],
  );
}
