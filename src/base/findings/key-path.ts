// Paths of keys, such as those of settings, as text.

/**
 * Formats a path for people: dotted, list items by index from 0, names with other characters than words in
 * quotes.
 */
export function keyPath(path: readonly PropertyKey[]): string {
  return path.map((key) => (/^[\w-]+$/.test(String(key)) ? String(key) : JSON.stringify(key))).join(".");
}

/** Parses a path in the form of {@link keyPath}. */
export const parseKeyPath = (path: string): string[] =>
  (path.match(/"(?:[^"\\]|\\.)*"|[^.]+/g) ?? []).map((key) => (key.startsWith('"') ? JSON.parse(key) : key));
