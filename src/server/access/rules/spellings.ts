// The spellings of one identifier, to which the same rules must apply.

import { parseUrl } from "../../../base/index.ts";
import { splitPage } from "../../../iiif/index.ts";

/**
 * Returns the forms of an identifier that rules are tried on: with its page suffix and without. Without a
 * suffix it names page 1.
 */
export function spellingsOf(identifier: string): readonly string[] {
  const whole = oneForm(identifier);
  const paged = splitPage(identifier);
  return [whole, paged ? oneForm(paged.identifier) : oneForm(`${identifier};1`)];
}

/**
 * True if two identifiers name one master, or pages of one. URLs that differ only by their query count as
 * one, as in rules. `otherNames` returns further identifiers of the master of an identifier.
 */
export function isSameMaster(
  one: string,
  other: string,
  otherNames: (identifier: string) => readonly string[],
): boolean {
  const namesOf = (identifier: string) =>
    [identifier, ...otherNames(identifier)].flatMap(spellingsOf).map(withoutQuery);
  const known = new Set(namesOf(one));
  return namesOf(other).some((name) => known.has(name));
}

export const withoutQuery = (name: string) => (isUrl(name) ? name.replace(/\?.*$/s, "") : name);

const urlStart = /(^|\/)https?:\/\//i;

export const isUrl = (identifier: string) => urlStart.test(identifier);

/**
 * Normalises the URL that an identifier is, or that follows a source's prefix: scheme and host in lower case,
 * default port and fragment removed, unreserved characters and sub-delimiters decoded, all other escapes in
 * upper case. Slashes and dots are treated as by servers that decode a path before parsing it.
 */
export function oneForm(identifier: string): string {
  const found = identifier.includes("://") ? urlStart.exec(identifier) : null;
  if (!found) return identifier;
  const start = found.index + (found[1] ?? "").length;
  const text = identifier.slice(start);
  const url = parseUrl(text);
  if (!url) return identifier;
  url.hash = "";
  url.pathname = decodeEscapes(url.pathname);
  url.pathname = url.pathname.replace(/\/{2,}/g, "/");
  url.search = decodeEscapes(url.search);
  return identifier.slice(0, start) + url.href;
}

const plain = /[A-Za-z0-9\-._~!$&'()*+,;=:@/]/;

function decodeEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (code) => {
    const char = String.fromCharCode(Number.parseInt(code.slice(1), 16)).replace("\\", "/");
    return plain.test(char) ? char : code.toUpperCase();
  });
}
