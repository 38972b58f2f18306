// The session cookie (RFC 6265): it is sent along by the pages of viewers on other sites, and only over
// https.

/** Name and path of a session cookie. */
export interface CookiePlace {
  readonly name: string;
  readonly path: string;
}

/** The place of the cookie. `path`: as configured, "" for the path of the public URL `base`. */
export function cookiePlace(
  { name, path }: { readonly name: string; readonly path: string },
  base: string,
): CookiePlace {
  // A semicolon would end the attribute; the folder above is the next best.
  const [plain = ""] = (path || new URL(base).pathname).split(/\/[^/]*;/);
  return { name, path: plain.replace(/(?<=.)\/+$/, "") || "/" };
}

const attributes = "Secure; HttpOnly; SameSite=None";

/** Returns the Set-Cookie value that starts a session. `expiresAt`: milliseconds since 1970. */
export function sessionCookie({ name, path }: CookiePlace, id: string, expiresAt: number): string {
  return `${name}=${id}; Path=${path}; Expires=${new Date(expiresAt).toUTCString()}; ${attributes}`;
}

/** The value of Set-Cookie that takes it away again. */
export const endedCookie = (place: CookiePlace): string => sessionCookie(place, "", 0);
