// Addresses of one network in all their spellings. The forms of addresses are those of the RFCs.

import { expect, test } from "vitest";
import { networkOf, visitorNetworks } from "../../../src/base/network/client-network.ts";

test.each([
  ["addresses of one link", ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2::"]],
  [
    "spellings of an IPv6 address (RFC 5952, section 2)",
    [
      "2001:db8::1",
      "2001:DB8:0:0::1",
      "2001:0db8:0000:0000:0000:0000:0000:0001",
      "[2001:db8::1]",
      " 2001:db8::1 ",
    ],
  ],
  ["zones of a link-local address (RFC 4007, section 11)", ["fe80::1%eth0", "fe80::1%25eth1", "fe80::2"]],
  [
    "forms of an IPv4 address",
    [
      "198.51.100.7",
      "::ffff:198.51.100.7", // RFC 4291, section 2.5.5.2
      "::FFFF:c633:6407",
      "64:ff9b::198.51.100.7", // RFC 6052, section 2.1
      "64:ff9b::c633:6407",
      "2002:c633:6407::1", // RFC 3056, section 2
      "2002:c633:6407:ffff::2",
      "2001:0:c000:201:8000:63bf:39cc:9bf8", // RFC 4380, section 4: each bit of the address is inverted
    ],
  ],
  ["texts that are no addresses", ["", "unknown", "198.51.100", "2001:db8::1::2", "198.51.100.256"]],
])("%s are one network", (_, addresses) => {
  expect(new Set(addresses.map((address) => networkOf(address))).size).toBe(1);
});

test.each([
  ["2001:db8:1:2::1", "2001:db8:1:3::1"],
  ["198.51.100.7", "198.51.100.8"],
  ["64:ff9b::198.51.100.7", "64:ff9b::198.51.100.8"],
  ["64:ff9b:1::198.51.100.7", "198.51.100.7"], // a prefix of the operator's own (RFC 8215)
  ["2002:c633:6407::1", "2002:c633:6408::1"],
  ["::c633:6407", "198.51.100.7"],
  ["198.51.100.7", "unknown"],
])("%s and %s are two", (one, other) => {
  expect(networkOf(one)).not.toBe(networkOf(other));
});

test("a site has one network of 48 bits", () => {
  expect(networkOf("2001:db8:1:2::1", 48)).toBe(networkOf("2001:db8:1:ffff::1", 48));
  expect(networkOf("2001:db8:1::1", 48)).not.toBe(networkOf("2001:db8:2::1", 48));
  expect(networkOf("2001:db8:1:2::1", 48)).not.toBe(networkOf("2001:db8:1:2::1"));
});

test("all clients without an address are one network", () => {
  expect(networkOf(undefined)).toBe(networkOf("unknown"));
});

test.each([
  ["192.0.2.7", "192.0.2.250", true],
  ["192.0.2.7", "192.0.3.7", false],
  ["::ffff:192.0.2.7", "192.0.2.9", true],
  ["2001:db8:1:2::1", "2001:db8:1:2:ffff::1", true],
  ["2001:db8:1:2::1", "2001:db8:1:3::1", false],
])("visitors from %s and %s are of one network: %s", (one, other, same) => {
  expect(visitorNetworks(one).network === visitorNetworks(other).network).toBe(same);
});

test("networks of IPv6 are of a site of /48, those of IPv4 of none", () => {
  const site = (address: string) => visitorNetworks(address).site;
  expect(site("2001:db8:1:2::1")).toBe(site("2001:db8:1:ffff::1"));
  expect(site("2001:db8:1:2::1")).not.toBe(site("2001:db8:2:2::1"));
  expect(site("192.0.2.1")).toBeUndefined();
  expect(visitorNetworks(undefined)).toEqual(visitorNetworks("nonsense"));
});
