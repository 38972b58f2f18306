// Parses comma-separated values (RFC 4180): fields in double quotes may contain commas, line breaks and
// doubled quotes.

export interface CsvRow {
  readonly fields: readonly string[];
  /** Line of its first character, from 1. */
  readonly line: number;
}

/**
 * Returns the rows of a text, without empty lines. Throws an Error that names the line for a misplaced quote.
 */
export function parseCsv(text: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let fields: string[] = [];
  let line = 1;
  let begins = 1;
  const form = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/gy;
  for (
    let at = text.startsWith("\u{feff}") ? 1 : 0;
    at < text.length || fields.length > 0;
    at = form.lastIndex
  ) {
    form.lastIndex = at;
    const found = form.exec(text);
    if (!found)
      throw new Error(
        `line ${line}: expected a field, or one in double quotes, and then a comma or the end of the line`,
      );
    const [, quoted, plain = "", end] = found;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += quoted?.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ",") continue;
    if (fields.length > 1 || fields[0] !== "" || quoted !== undefined) rows.push({ fields, line: begins });
    fields = [];
    if (end !== "") begins = ++line;
    else break;
  }
  return rows;
}
