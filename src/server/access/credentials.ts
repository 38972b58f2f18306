// Credentials of a request: session cookies and a bearer token.

/** Cookies of one name that are tried: a browser sends several if they have different paths. */
const maxCookies = 4;

/**
 * Returns the values of the cookies with a name in a Cookie header (RFC 6265, section 5.4), unchanged, at
 * most four.
 */
export function cookieValues(header: string | undefined, name: string): readonly string[] {
  if (header === undefined) return [];
  const values: string[] = [];
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at < 0 || pair.slice(0, at).trim() !== name) continue;
    const value = pair
      .slice(at + 1)
      .trim()
      .replace(/^"(.*)"$/, "$1");
    if (value !== "" && !values.includes(value)) values.push(value);
    if (values.length === maxCookies) break;
  }
  return values;
}

/**
 * Returns the token of an Authorization header (RFC 6750, section 2.1), or undefined if the header has
 * another form.
 */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9\-._~+/]+=*) *$/i.exec(header ?? "")?.[1];
}
