// Doubts about addresses: ranges that let everybody in, and proxies behind which all readers look alike.

import {
  doubtAt,
  doubtsAt,
  type Finding,
  isLoopbackHost,
  parseRange,
  parseUrl,
} from "../../../base/index.ts";
import { coveredSpaces, hasHostBits, isPrivate, overlap } from "./ranges.ts";
import type { AccessLocation, AccessSettings } from "./settings.ts";

/** Yields doubts about the lists of kiosks and of proxies. */
export function* addressDoubts(settings: AccessSettings, location: AccessLocation): Iterable<Finding> {
  yield* proxyDoubts(settings);
  yield* hiddenReaders(settings, location);
  for (const [name, { pattern, kiosk }] of Object.entries(settings.auth.profiles))
    if (pattern === "kiosk") yield* kioskDoubts(name, kiosk.allowed_ips, settings, location);
}

const proxiesOf = ({ auth, trusted_proxies }: AccessSettings) => [
  ...trusted_proxies,
  ...auth.trusted_proxies,
];

/** Yields doubts about headers that anybody may send, and about proxies that match everybody. */
function* proxyDoubts(settings: AccessSettings): Iterable<Finding> {
  const { auth, trusted_proxies } = settings;
  if (proxiesOf(settings).length === 0)
    for (const [name, { access_service: service }] of Object.entries(auth.profiles))
      if (service.backend === "header")
        yield doubtAt(
          ["auth", "profiles", name, "access_service", "header"],
          `no proxy is named in trusted_proxies, so anyone who bypasses the proxy and sends ${service.header} has access; name the addresses that the proxy connects from`,
        );
  const lists = [
    [["trusted_proxies"], trusted_proxies],
    [["auth", "trusted_proxies"], auth.trusted_proxies],
  ] as const;
  for (const [path, list] of lists) {
    const spaces = coveredSpaces(list.map(parseRange));
    if (spaces.length > 0)
      yield doubtAt(
        path,
        `takes everybody with ${spaces.join(" and ")} for a proxy, so any client can claim any address with X-Forwarded-For; name only the addresses of the proxies`,
      );
  }
}

function* kioskDoubts(
  name: string,
  allowed: readonly string[],
  settings: AccessSettings,
  location: AccessLocation,
): Iterable<Finding> {
  const path = ["auth", "profiles", name, "kiosk", "allowed_ips"];
  const spaces = coveredSpaces(allowed.map(parseRange));
  if (spaces.length > 0)
    return yield doubtAt(
      path,
      `admits everybody with ${spaces.join(" and ")}, so this profile protects nothing; name only the addresses of the room`,
    );
  for (const [at, text] of allowed.entries())
    yield* doubtsAt([...path, at], rangeDoubt(text, settings, location));
}

/** Shortest prefix of a public range that can be the network of one institution, by address length. */
const shortest = { 32: 8, 128: 19 } as const;

function rangeDoubt(text: string, settings: AccessSettings, location: AccessLocation): string | undefined {
  const range = parseRange(text);
  const proxy = proxiesOf(settings).find((each) => overlap(parseRange(each), range));
  if (proxy !== undefined)
    return `${text} overlaps with the trusted proxies ${proxy}: a request of a proxy without X-Forwarded-For is admitted, whoever the reader is; remove the addresses of proxies`;
  if (isPrivate(range))
    return mayHaveProxy(settings, location)
      ? `${text} is a private network, and no proxy is named in trusted_proxies: if a proxy in this network is in front, all of its readers are admitted; name its addresses there or, if there is none, set base_url to the address of this service`
      : undefined;
  if (range.prefix < shortest[range.bits])
    return `${text} has more addresses than any institution, so strangers are admitted; correct the number after the /`;
  if (hasHostBits(range))
    return `${text} admits the whole network of ${range.prefix} bits, not only the address; write the address without /${range.prefix}, or the first address of the network`;
  return undefined;
}

/**
 * True if an unnamed proxy may be in front: false if readers connect to an address of this network directly.
 */
function mayHaveProxy(settings: AccessSettings, { runtime }: AccessLocation): boolean {
  if (proxiesOf(settings).length > 0 || runtime === "workerd") return false;
  const { base_url } = settings;
  // A public https address has a doubt of its own.
  if (isPublicHttps(base_url)) return false;
  const { hostname = "" } = parseUrl(base_url) ?? {};
  if (isLoopbackHost(hostname)) return false;
  try {
    return !isPrivate(parseRange(hostname.replace(/^\[|\]$/g, "")));
  } catch {
    return true;
  }
}

/** Readers are distinguished by their addresses, which a proxy hides unless it is trusted to report them. */
function* hiddenReaders(settings: AccessSettings, { runtime }: AccessLocation): Iterable<Finding> {
  const { auth, base_url } = settings;
  // Only workerd speaks https itself; the other runtimes need a proxy for it.
  if (proxiesOf(settings).length > 0 || runtime === "workerd" || !isPublicHttps(base_url)) return;
  const own = Object.values(auth.profiles).filter(({ access_service: { backend } }) => backend === "builtin");
  const patterns = new Set(own.map(({ pattern }) => pattern));
  const follows = [
    ...(patterns.has("active") ? ["one reader's wrong passwords lock everybody out for a while"] : []),
    ...(patterns.has("kiosk") ? ["kiosk.allowed_ips admits either everybody or nobody"] : []),
  ];
  if (follows.length > 0)
    yield doubtAt(
      ["trusted_proxies"],
      `base_url is https, so a proxy must be in front of this service, but trusted_proxies names none, so all readers seem to have the address of the proxy: ${follows.join(", and ")}. Add the proxy's addresses here, such as [127.0.0.1] if it runs on the same machine, and configure it to send X-Forwarded-For`,
    );
}

function isPublicHttps(address: string): boolean {
  const url = parseUrl(address);
  return url?.protocol === "https:" && !isLoopbackHost(url.hostname);
}
