// Addresses of this machine itself, which no network stands before.

/** Whether a URL is of https, or of http to this machine. */
export function isSafeTransport({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}

/** Whether a host of a URL is this machine by its name or address alone (Secure Contexts, section 3.1). */
export const isLoopbackHost = (hostname: string): boolean =>
  /^(.*\.)?localhost$|^127(\.\d+){3}$|^\[::1\]$/.test(hostname);
