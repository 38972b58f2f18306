// Paths and identifiers as they may be logged: clients put addresses with passwords, queries and session ids into them.

const mask = "***";

/** Characters of a path that are logged at most. */
const longest = 500;

/**
 * A raw path without user information, queries, fragments and the values of path parameters, also where these are percent-encoded,
 * several times perhaps. Segments without any stay as they are. At most 500 characters.
 */
export function maskPath(path: string): string {
  if (path.length <= longest && !/[%?#;@]/.test(path)) return path;
  const masked = withoutUserInfo(path).split("/").map(maskSegment).join("/");
  return masked.length > longest ? `${masked.slice(0, longest)}…` : masked;
}

/** The same for a decoded identifier. */
export function maskIdentifier(identifier: string): string {
  const masked = maskText(withoutUserInfo(identifier));
  return masked.length > longest ? `${masked.slice(0, longest)}…` : masked;
}

/**
 * User information of a URL may hold `/` where its client did not encode it: it goes to the last `@`, encoded perhaps. Found by two
 * searches, since an expression for the whole takes a time that grows with the square of the slashes.
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
    if (depth === 4) return mask; // nobody encodes a name so often: it is not known what it holds
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
  return named.replace(/([?#]).+$/s, `$1${mask}`).replace(/;([^;=/]*)=[^;/]*/g, `;$1=${mask}`);
}
