// Reads a properties file as Cantaloupe does (PropertiesDocument, since 4.1), and the parts of Java's syntax
// (java.util.Properties) that Cantaloupe does not know: continued lines, escapes, a space as separator.

/** Values by key, without those that are blank: for Cantaloupe they are not set. */
export type Properties = ReadonlyMap<string, string>;

const isComment = (line: string) => line.trim() === "" || /^\s*[#!]/.test(line);

/** A line that sets a property. After a line that ends in a backslash, it is no continuation. */
const isPair = (line: string) => /^\s*[A-Za-z][\w.]*\s*[=:]/.test(line);

/**
 * Parses a properties file. If a key occurs more than once, the first value that is not blank counts, as in
 * Cantaloupe. A backslash at the end of a line continues it, unless the next line is blank, a comment or sets
 * a property: then it ends a folder of Windows. Never throws.
 */
export function parseProperties(text: string): Properties {
  const found = new Map<string, string>();
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  for (let at = 0; at < lines.length; at++) {
    let part = lines[at] as string;
    if (isComment(part)) continue;
    // Parts are looked at alone and joined once: a value of many parts would be copied again for each.
    const before: string[] = [];
    for (let next = lines[at + 1]; endsOpen(part) && next !== undefined; next = lines[at + 1]) {
      if (isComment(next) || isPair(next)) break;
      before.push(part.slice(0, -1));
      part = next.trimStart();
      at++;
    }
    const line = before.join("") + part;
    const [, written = "", value = ""] =
      /^\s*((?:\\.|[^\\=:\s])+)(?:\s*[=:]\s*|\s+|$)(.*)$/s.exec(line) ?? [];
    // A name may be in a comment, which a line break would end.
    const key = replaceEscapes(written).replace(/[\p{Cc}\u2028\u2029]/gu, "");
    if (key !== "" && value.trim() !== "" && !found.has(key)) found.set(key, replaceEscapes(value.trim()));
  }
  return found;
}

/** True if a line ends in an odd number of backslashes. */
function endsOpen(line: string): boolean {
  let first = line.length;
  while (line[first - 1] === "\\") first--;
  return (line.length - first) % 2 === 1;
}

const controls: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f" };

/** Replaces escapes. Other backslashes stay, as in Cantaloupe: in paths of Windows and in patterns. */
function replaceEscapes(text: string): string {
  const isWindowsPath = /^([A-Za-z]:\\|\\\\)/.test(text);
  return text.replace(/\\(u[0-9A-Fa-f]{4}|.)/gs, (whole, escaped: string) => {
    if (escaped.length === 5) return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    if (/[\\=:#! ]/.test(escaped)) return escaped;
    return (isWindowsPath ? undefined : controls[escaped]) ?? whole;
  });
}

/** True for what Cantaloupe reads as true. */
export const isTrue = (value: string | undefined): boolean => /^(true|1)$/i.test(value ?? "");
