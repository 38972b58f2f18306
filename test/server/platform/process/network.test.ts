// Which addresses of the interfaces of a machine others can use.

import { expect, test } from "vitest";
import { networkAddresses } from "../../../../src/server/platform/process/network.ts";

type Interfaces = NonNullable<Parameters<typeof networkAddresses>[0]>;

const interfaces = (all: Readonly<Record<string, readonly string[]>>): Interfaces =>
  Object.fromEntries(
    Object.entries(all).map(([name, addresses]) => [
      name,
      addresses.map((address) => {
        const common = { address, netmask: "", mac: "", internal: name === "lo", cidr: null };
        return address.includes(":")
          ? { ...common, family: "IPv6" as const, scopeid: 0 }
          : { ...common, family: "IPv4" as const };
      }),
    ]),
  );

test.each([
  [{ lo: ["127.0.0.1", "::1"], eth0: ["192.0.2.5", "2001:db8::5", "fe80::1"] }, ["192.0.2.5"]],
  [{ lo: ["127.0.0.1"], eth0: ["fe80::1", "2001:db8::5"] }, ["2001:db8::5"]],
  [
    { docker0: ["172.17.0.1"], "br-12ab": ["172.18.0.1"], veth1: ["169.254.1.1"], wlan0: ["192.0.2.6"] },
    ["192.0.2.6"],
  ],
  [{ "vEthernet (WSL)": ["172.20.0.1"], "Wi-Fi": ["192.0.2.7"] }, ["192.0.2.7"]],
  [{ eth0: ["169.254.7.7"] }, []],
  [{ lo: ["127.0.0.1"] }, []],
  [{ a: ["192.0.2.1", "192.0.2.2"], b: ["192.0.2.3", "192.0.2.4"] }, ["192.0.2.1", "192.0.2.2", "192.0.2.3"]],
] as const)("of %j are %j", (all, addresses) => {
  expect(networkAddresses(interfaces(all))).toEqual(addresses);
});
