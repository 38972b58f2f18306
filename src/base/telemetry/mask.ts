// Paths, identifiers and URLs as they may be logged: clients put addresses with passwords, queries and
// session ids into them (RFC 3986, sections 3.2.1 and 3.4).

import { parseUrl } from "../network/parse-url.ts";

const mask = "***";

/** Characters of a path that are logged at most. */
const maxLength = 500;

/**
 * Masks a raw path: user information, queries, fragments and the values of path parameters, even if
 * percent-encoded, possibly several times. Other segments stay. At most 500 characters.
 */
export function maskPath(path: string): string {
  if (path.length <= maxLength && !/[%?#;@&]/.test(path)) return path;
  const masked = withoutUserInfo(path).split("/").map(maskSegment).join("/");
  return masked.length > maxLength ? `${masked.slice(0, maxLength)}…` : masked;
}

/** Masks a decoded identifier. */
export function maskIdentifier(identifier: string): string {
  const masked = maskText(withoutUserInfo(identifier));
  return masked.length > maxLength ? `${masked.slice(0, maxLength)}…` : masked;
}

/**
 * User information of a URL may contain unencoded `/`: it extends to the last `@`, encoded or not. Two
 * searches find it, since one expression for everything would take time quadratic in the number of slashes.
 */
function withoutUserInfo(path: string): string {
  let at = -1;
  for (const { index } of path.matchAll(/@|%(?:25)*40/gi)) at = index;
  const scheme = at < 0 ? null : /https?(?::|%(?:25)*3A)\/+/i.exec(path);
  if (!scheme || scheme.index > at) return path;
  return path.slice(0, scheme.index + scheme[0].length) + mask + path.slice(at);
}

function maskSegment(segment: string): string {
  let text = segment;
  for (let depth = 0; /%[0-7][0-9a-f]/i.test(text); depth++) {
    if (depth === 4) return mask; // no name is encoded this often: its contents are unknown
    text = text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
  const masked = maskText(text);
  return masked === text ? segment : masked.replace(/[/?#\s]/g, encodeURIComponent);
}

function maskText(text: string): string {
  const at = text.lastIndexOf("@");
  const named = at > 0 && text.lastIndexOf(":", at) >= 0 ? mask + text.slice(at) : text;
  return (
    named
      .replace(/([?#]).+$/s, `$1${mask}`)
      // The token of a signed link, added to an address that has no query.
      .replace(/&sig=.+$/s, `&sig=${mask}`)
      .replace(/;([^;=/]*)=[^;/]*/g, `;$1=${mask}`)
  );
}

/**
 * Replaces user information and each value in a query or fragment of the URLs in a text with `***`. This
 * includes percent-encoded URLs, as in a path, and credentials without a scheme (`user:password@host`,
 * `//user:password@host`). A value with `{identifier}` stays: it is a template.
 */
export function maskUrls(text: string): string {
  // Client input is logged: every step takes time linear in the length of the text.
  return /[:@]|%3A/i.test(text) ? text.replace(/[^\s"'`<>]+/g, maskWord) : text;
}

function maskWord(word: string): string {
  const [before = "", ...urls] = word.split("://");
  if (urls.length > 0) return [before, ...urls.map(maskRest)].join("://");
  if (/%3A%2F%2F/i.test(word))
    return word
      .split(/([/?#&])/)
      .map(reencode)
      .join("");
  return word.replace(/^(\/*)[^:@/]*:[^@]+@(?=.)/, `$1${mask}@`);
}

/** Masks the part after the `://` of a URL. In an invalid URL a password may contain any character. */
function maskRest(rest: string): string {
  const userInfo = parseUrl(`http://${rest}`) ? /^[^/?#\\]*@/ : /^.*@/;
  const [, path = "", query = ""] = /^([^?#]*)(.*)$/.exec(rest.replace(userInfo, `${mask}@`)) ?? [];
  return path.replace(/%3F[^/]*/gi, reencode) + maskQuery(query);
}

/** Parts with a name keep it. */
function maskQuery(query: string): string {
  return query.replace(/([?&;#])([^?&;#=]*)(=?)([^?&;#]*)/g, (part, mark, name, equals, value) => {
    if (part.includes("{identifier}") || name + value === "") return part;
    return equals ? `${mark}${name}=${value && mask}` : `${mark}${mask}`;
  });
}

/** A percent-encoded URL, or a query from its `?` on, masked and encoded again. */
function reencode(encoded: string): string {
  try {
    const text = decodeURIComponent(encoded);
    const masked = text.startsWith("?") ? maskQuery(text) : maskUrls(text);
    return masked === text ? encoded : encodeURIComponent(masked);
  } catch {
    return mask; // not decodable: its contents are unknown
  }
}
