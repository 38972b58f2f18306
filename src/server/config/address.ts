// Parses listening addresses in their usual forms.

export interface Address {
  /** undefined for all interfaces. */
  readonly hostname?: string;
  readonly port: number;
}

/** Parses `:8080`, `127.0.0.1:8080`, `localhost:8080`, `[::1]:8080`. Throws RangeError for anything else. */
export function parseAddress(text: string): Address {
  const found = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9.-]*)):(\d{1,5})$/.exec(text);
  const port = Number(found?.[3]);
  if (!found || port > 65535)
    throw new RangeError("expected an address such as :8080, 127.0.0.1:8080 or [::1]:8080");
  const hostname = found[1] ?? found[2];
  return hostname ? { hostname, port } : { port };
}

/**
 * Returns a listening address with another host, or an address in place of it, and the same port. Throws
 * RangeError for anything else.
 */
export function withHost(address: string, host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const changed = `${bare.includes(":") ? `[${bare}]` : bare}:${parseAddress(address).port}`;
  const { hostname } = parseAddress(changed);
  if (hostname === undefined) throw new RangeError("expected a host");
  return changed;
}

/** Returns a listening address with another port, and the same interfaces. */
export const withPort = (address: string, port: number): string => address.replace(/\d+$/, String(port));
