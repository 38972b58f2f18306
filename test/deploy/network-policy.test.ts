// The network policy of Kubernetes lets smalti reach what a source of type http may reach by default, and
// nothing else: no address of the cluster, the site or a cloud's metadata service, however it is written.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { isInRanges, parseRange } from "../../src/base/network/ip-range.ts";
import { addressRule } from "../../src/server/sources/addresses.ts";

const file = new URL("../../deploy/kubernetes/base/network-policy.yaml", import.meta.url);

interface Block {
  readonly cidr: string;
  readonly except: readonly string[];
}

const { egress } = parse(readFileSync(file, "utf8")).spec;
const blocks: readonly Block[] = egress
  .flatMap(({ to }: { to: readonly { ipBlock?: Block }[] }) => to)
  .flatMap(({ ipBlock }: { ipBlock?: Block }) => ipBlock ?? []);

const passes = (address: string) =>
  blocks.some(
    ({ cidr, except }) =>
      isInRanges(address, [parseRange(cidr)]) && !isInRanges(address, except.map(parseRange)),
  );

/** Internal addresses of IPv4, as they are and within addresses of IPv6. */
const inner = ["10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.1"];
const hex = (address: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split(".").map(Number);
  return [(a << 8) | b, (c << 8) | d].map((group) => group.toString(16)).join(":");
};
const forms: readonly ((address: string) => string)[] = [
  (address) => address,
  (address) => `64:ff9b::${hex(address)}`, // NAT64 (RFC 6052)
  (address) => `64:ff9b:1::${hex(address)}`, // NAT64 of one's own (RFC 8215)
  (address) => `64:ff9b:1:ffff::${hex(address)}`,
  (address) => `2002:${hex(address)}::1`, // 6to4 (RFC 3056)
  (address) => `2001:0:${hex(address)}::1`, // Teredo (RFC 4380), by its server
  (address) => `::${hex(address)}`, // IPv4-compatible (RFC 4291)
  (address) => `::ffff:0:${hex(address)}`, // IPv4-translated (RFC 2765)
];

const closed = [
  ...inner.flatMap((address) => forms.map((form) => form(address))),
  ..."0.0.0.1 192.0.0.192 198.18.0.1 224.0.0.1 255.255.255.255".split(" "),
  ..."::1 :: fd00:ec2::254 fc00::1 fe80::1 fec0::1 ff02::1 100::1".split(" "),
];

test.each(closed)("%s is closed to the pods, and to a source", (address) => {
  expect([passes(address), addressRule([], false)(address)]).toEqual([false, false]);
});

test.each(["93.184.216.34", "1.1.1.1", "2606:4700:4700::1111", "2a00:1450:4001::1"])(
  "%s is open to the pods, and to a source",
  (address) => {
    expect([passes(address), addressRule([], false)(address)]).toEqual([true, true]);
  },
);

test("no exception is an IPv4-mapped one, which Kubernetes refuses: the system sends those as IPv4", () => {
  for (const { except } of blocks) for (const range of except) expect(range).not.toMatch(/^::ffff:0:0\//);
});
