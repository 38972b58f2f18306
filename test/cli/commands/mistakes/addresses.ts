// Mistakes in addresses and headers that let strangers in.

import type { Mistake } from "./mistake.ts";

const allowed = (ranges: unknown, says: RegExp, key = "auth.profiles.room.kiosk.allowed_ips.0"): Mistake => ({
  what: `a kiosk for ${JSON.stringify(ranges)}`,
  plant({ auth }) {
    auth.profiles.room.kiosk.allowed_ips = ranges;
  },
  key,
  says,
});
const all = "auth.profiles.room.kiosk.allowed_ips";

export const addresses: readonly Mistake[] = [
  allowed(["0.0.0.0/0"], /admits everybody with IPv4/, all),
  allowed(["::/0"], /admits everybody with IPv6/, all),
  allowed(["2000::/3"], /admits everybody with IPv6/, all),
  allowed(["0.0.0.0/1", "128.0.0.0/1"], /admits everybody with IPv4/, all),
  allowed(["0.0.0.0/2", "64.0.0.0/2", "198.51.100.0/24"], /admits everybody with IPv4/, all),
  allowed(["0.0.0.0/0", "::/0"], /admits everybody with IPv4 and IPv6/, all),
  allowed(["198.0.0.0/7"], /more addresses than any institution/),
  allowed(["2001::/16"], /more addresses than any institution/),
  allowed(["198.51.100.7/24"], /the whole network of 24 bits/),
  allowed(["127.0.0.1"], /overlaps with the trusted proxies 127\.0\.0\.1/),
  allowed(["198.51.100.0/33"], /expected an address or range/),
  allowed(["198.51.100.*"], /expected an address or range/),
  allowed(["reading-room.example.org"], /expected an address or range/),
  allowed([], /is missing; pattern kiosk needs the addresses/, all),
  {
    what: "a private network while no proxy is named",
    plant(config) {
      config.base_url = "";
      config.trusted_proxies = [];
      config.auth.profiles.room.kiosk.allowed_ips = ["10.20.0.0/16"];
    },
    key: "auth.profiles.room.kiosk.allowed_ips.0",
    says: /private network, and no proxy is named/,
  },
  {
    what: "a kiosk behind a proxy that is not named",
    plant(config) {
      config.trusted_proxies = [];
    },
    key: "trusted_proxies",
    says: /kiosk\.allowed_ips admits either everybody or nobody/,
  },
  {
    what: "a header while no proxy is named",
    plant(config) {
      config.trusted_proxies = [];
    },
    key: "auth.profiles.header.access_service.header",
    says: /anyone who bypasses the proxy and sends X-Remote-User has access/,
  },
  {
    what: "all addresses as proxies",
    plant(config) {
      config.trusted_proxies = ["0.0.0.0/0"];
    },
    key: "trusted_proxies",
    says: /takes everybody with IPv4 for a proxy/,
  },
  {
    what: "all addresses as proxies of logins",
    plant({ auth }) {
      auth.trusted_proxies = ["::/0"];
    },
    key: "auth.trusted_proxies",
    says: /takes everybody with IPv6 for a proxy/,
  },
  {
    what: "a proxy by its name",
    plant(config) {
      config.trusted_proxies = ["proxy.example.org"];
    },
    key: "trusted_proxies.0",
    says: /expected an address or range/,
  },
  ...["Authorization", "X-Forwarded-For", "X-Forwarded-Proto", "Via", "X-Real-IP", "User-Agent"].map(
    (header): Mistake => ({
      what: `the header ${header} as a reader's name`,
      plant({ auth }) {
        auth.profiles.header.access_service.header = header;
      },
      key: "auth.profiles.header.access_service.header",
      says: /expected a header that only the proxy sends/,
    }),
  ),
];
