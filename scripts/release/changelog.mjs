// Sections of CHANGELOG.md, which has the form of https://keepachangelog.com/.

/**
 * The section of a version: its date (`YYYY-MM-DD`, undefined if the heading has none or one that does not
 * exist) and its text without the heading. Undefined if there is no such section.
 */
export function changelogSection(changelog, version) {
  const lines = changelog.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`## [${version}]`));
  if (start < 0) return undefined;
  const rest = lines.slice(start + 1);
  const end = rest.findIndex((line) => line.startsWith("## "));
  const [, date] = / - (\d{4}-\d{2}-\d{2})$/.exec(lines[start].trim()) ?? [];
  return {
    date: date && isDate(date) ? date : undefined,
    text: rest
      .slice(0, end < 0 ? undefined : end)
      .join("\n")
      .trim(),
  };
}

/** True if a day of the form YYYY-MM-DD exists. */
function isDate(text) {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
