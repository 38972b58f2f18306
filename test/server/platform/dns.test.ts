// Questions to a real DNS server.

import { afterEach, beforeEach, expect, test } from "vitest";
import { createDns } from "../../../src/server/platform/dns.ts";
import { type DnsServer, startDns } from "../../servers/dns.ts";

let server: DnsServer;
beforeEach(async () => {
  server = await startDns({
    "PTR 1.2.0.192.in-addr.arpa": ["crawl.example.org", "other.example.org"],
    "A crawl.example.org": ["192.0.2.1"],
    "AAAA crawl.example.org": ["2001:db8::1"],
    "A only.example.org": ["192.0.2.7"],
  });
});
afterEach(() => server.close());

const dns = () => createDns([server.address]);

test("addresses have names", async () => {
  expect(await dns().namesOf("192.0.2.1")).toEqual(["crawl.example.org", "other.example.org"]);
  expect(await dns().namesOf("::ffff:192.0.2.1")).toHaveLength(2);
});

test("the name of an IPv6 address is asked for by its digits (RFC 3596, section 2.5)", async () => {
  expect(await dns().namesOf("4321:0:1:2:3:4:567:89ab")).toEqual([]);
  expect([...new Set(server.asked)]).toEqual([
    "PTR b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa",
  ]);
});

test("names have addresses of both kinds, or of one", async () => {
  expect(await dns().addressesOf("crawl.example.org")).toEqual(["192.0.2.1", "2001:db8::1"]);
  expect(await dns().addressesOf("only.example.org")).toEqual(["192.0.2.7"]);
});

test("what is not there is nothing, and a failure is an error", async () => {
  expect(await dns().namesOf("198.51.100.1")).toEqual([]);
  expect(await dns().addressesOf("nowhere.example.org")).toEqual([]);
  expect(await dns().namesOf("no address")).toEqual([]);
  server.code = 2;
  await expect(dns().namesOf("192.0.2.1")).rejects.toThrow();
  await expect(dns().addressesOf("crawl.example.org")).rejects.toThrow();
});
