// Faults of a profile that a start refuses: incompatible patterns and backends, and missing options.

import type { Backend, Pattern, ProfileOptions } from "./options.ts";

/** Reasons for impossible combinations; all others are possible. */
const refusedPairs: { readonly [P in Pattern]: Partial<Readonly<Record<Backend, string>>> } = {
  clickthrough: {
    oidc: "a provider asks for a login; use the pattern active",
  },
  active: {
    header: "a header has no login page; use the pattern external",
  },
  kiosk: {
    header: "a header would admit readers from any address; use the pattern external, or the backend builtin",
    external: "a kiosk shows no page; use the backend builtin",
    oidc: "a kiosk shows no page; use the backend builtin",
  },
  external: {
    builtin:
      "readers log in elsewhere, so this service has no page for it; use the pattern active or clickthrough, or another backend",
  },
};

/** Adds the faults for which a start refuses a profile, by their paths below it. */
export function addProfileFaults(
  name: string,
  { pattern, access_service: service, kiosk }: ProfileOptions,
  add: (path: readonly string[], message: string) => void,
): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    add(
      [],
      "expected a name of letters, digits, dots, dashes or underscores, because it is part of addresses",
    );
  const pair = refusedPairs[pattern][service.backend];
  if (pair !== undefined)
    add(["access_service", "backend"], `${service.backend} does not go with pattern ${pattern}: ${pair}`);
  if (service.backend === "builtin") {
    const { users, htpasswd_file } = service;
    const hasUsers = Object.keys(users).length > 0;
    if (pattern === "active" && !hasUsers && htpasswd_file === "")
      add(["access_service", "users"], "is missing; pattern active needs users or htpasswd_file");
    if (pattern !== "active" && (hasUsers || htpasswd_file !== ""))
      add(
        ["access_service", hasUsers ? "users" : "htpasswd_file"],
        `is for pattern active; pattern ${pattern} asks for no password`,
      );
  }
  if (pattern === "kiosk" && kiosk.allowed_ips.length === 0)
    add(["kiosk", "allowed_ips"], "is missing; pattern kiosk needs the addresses that have access");
  if (pattern !== "kiosk" && kiosk.allowed_ips.length > 0)
    add(["kiosk", "allowed_ips"], `is for pattern kiosk; pattern ${pattern} ignores addresses`);
}
