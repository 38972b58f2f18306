// The authorization services that image information has to name, for either protocol.

import { authPaths, loginAddress, probeAddress } from "../../../iiif/index.ts";
import type { Fault } from "../finding.ts";
import type { LoginWalk } from "../walk.ts";
import { addressFault } from "./addresses.ts";

interface DescribedService {
  readonly id?: unknown;
  readonly "@id"?: unknown;
  readonly type?: unknown;
  readonly profile?: unknown;
  readonly service?: unknown;
}

/** Maximum nesting of services: probe, login, token. */
const deepest = 4;

/** Returns a service and all nested ones. */
function allServices(value: unknown, depth = 0): DescribedService[] {
  if (depth > deepest) return [];
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return list
    .filter((each): each is DescribedService => typeof each === "object" && each !== null)
    .flatMap((each) => [each, ...allServices(each.service, depth + 1)]);
}

/** Returns what is missing among the services of image information, or has another address. */
export function serviceFaults(service: unknown, walk: LoginWalk): (Fault | undefined)[] {
  const { base, target, profile } = walk;
  const found = allServices(service);
  // A rule may name several profiles, of which each has a login service of its own.
  const others = new Set(
    target.profiles
      .filter((name) => name !== target.profile)
      .flatMap((name) => [loginAddress(base, name, 1), loginAddress(base, name, 2)]) as unknown[],
  );
  const findNamed = (type: string) => found.find((each) => each.type === type && !others.has(each.id))?.id;
  const named1 = (uri: RegExp) =>
    found.find(
      (each) => typeof each.profile === "string" && uri.test(each.profile) && !others.has(each["@id"]),
    )?.["@id"];
  if (found.length === 0)
    return [
      {
        code: "no_services",
        text: "info.json names no authorization service",
        expected: "the services of Authorization Flow 2.0 and Authentication 1.0",
        advice:
          "The service that responds considers this image public: restart it if its configuration is older, and check that no proxy rewrites or caches info.json.",
      },
    ];
  const probe = addressFault(
    "the probe service",
    findNamed("AuthProbeService2"),
    probeAddress(base, target.identifier),
    walk,
  );
  if (profile.access_service.backend === "header") return [probe];
  const services2 = [
    ["the login service", findNamed("AuthAccessService2"), loginAddress(base, target.profile, 2)],
    ["the token service", findNamed("AuthAccessTokenService2"), base + authPaths.token],
    ["the logout service", findNamed("AuthLogoutService2"), base + authPaths.logout],
  ] as const;
  const services1 = [
    [
      "the login service of 1.0",
      named1(/\/auth\/1\/(login|clickthrough|kiosk|external)$/),
      loginAddress(base, target.profile, 1),
    ],
    ["the token service of 1.0", named1(/\/auth\/1\/token$/), base + authPaths.token1],
    ["the logout service of 1.0", named1(/\/auth\/1\/logout$/), base + authPaths.logout1],
  ] as const;
  return [
    missingFault("services_missing", "Authorization Flow 2.0", [
      ["the probe service", findNamed("AuthProbeService2")],
      ...services2,
    ]),
    missingFault("services1_missing", "Authentication 1.0", services1),
    probe,
    ...[...services2, ...services1]
      .filter(([, seen]) => seen !== undefined)
      .map(([what, seen, wanted]) => addressFault(what, seen, wanted, walk)),
  ];
}

function missingFault(
  code: string,
  protocol: string,
  rows: readonly (readonly [string, unknown, ...unknown[]])[],
): Fault | undefined {
  const missing = rows.filter(([, seen]) => seen === undefined).map(([what]) => what);
  if (missing.length === 0) return undefined;
  return {
    code,
    text: `info.json lacks ${missing.join(", ")}`,
    expected: `all services of ${protocol}`,
    advice:
      "The service writes them: find out which proxy or program in between rewrites info.json, or responds with a file of its own. Today's viewers log in with version 1.0.",
  };
}
