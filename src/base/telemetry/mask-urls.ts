// URLs as they may be shown: user information and the values of a query are often secrets (RFC 3986, sections
// 3.2.1 and 3.4).

import { parseUrl } from "../network/parse-url.ts";

const mask = "***";

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
