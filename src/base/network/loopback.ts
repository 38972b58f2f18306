// Addresses of this machine itself, which are reachable without a network.

/** True if a URL uses https, or http to this machine. */
export function isSafeTransport({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}

/** True if a URL's host is this machine by its name or address alone (Secure Contexts, section 3.1). */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(.*\.)?localhost$|^127(\.\d+){3}$|^\[::1\]$/.test(hostname);
