// Converts texts of manifests that may be HTML to plain text (Presentation API 3.0, section 4.5).

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

/**
 * Removes the elements from HTML, that is, text that begins with `<` and ends with `>`. Returns any other
 * text unchanged.
 */
export function plainText(text: string): string {
  const html = text.trim();
  if (!html.startsWith("<") || !html.endsWith(">")) return text;
  return (
    html
      // In one pass: the text ends with the end of an element, so each look for one ends there at the latest.
      .replace(/<(br\b|\/p\b)?[^>]*>/gi, (_, breaks?: string) => (breaks ? " " : ""))
      .replace(/&(\w+|#\d{1,7}|#x[\da-f]{1,6});/gi, characterOf)
      .replace(/\s+/g, " ")
      .trim()
  );
}

function characterOf(reference: string, name: string): string {
  if (!name.startsWith("#")) return named[name] ?? reference;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : reference;
}
