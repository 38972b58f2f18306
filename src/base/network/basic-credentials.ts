// Credentials in requests (RFC 7617).

/** Returns the value of the header `Authorization` for a name and password, in UTF-8. */
export const basicCredentials = (name: string, password: string): string =>
  `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(`${name}:${password}`)))}`;
