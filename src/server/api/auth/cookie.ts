// The session cookie (RFC 6265): viewers' pages on other sites send it, and only over https.

/** Name and path of a session cookie. */
export interface CookieScope {
  readonly name: string;
  readonly path: string;
}

/** Returns the scope of the cookie. `path`: as configured, "" for the path of the public URL `base`. */
export function cookieScope(
  { name, path }: { readonly name: string; readonly path: string },
  base: string,
): CookieScope {
  // A semicolon would end the attribute, so the parent folder is used.
  const [plain = ""] = (path || new URL(base).pathname).split(/\/[^/]*;/);
  return { name, path: plain.replace(/(?<=.)\/+$/, "") || "/" };
}

const attributes = "Secure; HttpOnly; SameSite=None";

/** Returns the Set-Cookie value that starts a session. `expiresAt`: milliseconds since 1970. */
export function sessionCookie({ name, path }: CookieScope, id: string, expiresAt: number): string {
  return `${name}=${id}; Path=${path}; Expires=${new Date(expiresAt).toUTCString()}; ${attributes}`;
}

/** Returns the Set-Cookie value that removes it. */
export const endedCookie = (scope: CookieScope): string => sessionCookie(scope, "", 0);
