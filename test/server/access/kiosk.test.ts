// Which addresses a kiosk lets in, as trusted proxies say them.

import { expect, test } from "vitest";
import { parseRange } from "../../../src/base/network/ip-range.ts";
import { createKiosks } from "../../../src/server/access/logins/kiosk.ts";
import { profileOptions } from "../../../src/server/access/profiles/options.ts";
import { clientAddress } from "../../../src/server/api/http/client/client.ts";

const kiosk = (...allowed_ips: string[]) =>
  profileOptions.parse({ pattern: "kiosk", access_service: { backend: "builtin" }, kiosk: { allowed_ips } });
/** True if a profile lets an address in. */
const allowsAddress = (profile: ReturnType<typeof kiosk>, address: string | undefined) =>
  createKiosks({ room: profile }).allows("room", address);
const room = kiosk("192.0.2.0/24", "198.51.100.7", "2001:db8::/32");

test.each([
  ["192.0.2.0", true],
  ["192.0.2.255", true],
  ["192.0.3.0", false],
  ["198.51.100.7", true],
  ["198.51.100.8", false],
  ["::ffff:192.0.2.7", true],
  ["::ffff:c000:207", true],
  ["2001:db8::1", true],
  ["2001:0DB8:ffff::1", true],
  ["2001:db9::1", false],
  ["::192.0.2.7", false],
  ["192.0.2", false],
  ["192.0.2.7.example", false],
  ["", false],
  [undefined, false],
])("the address %s is let in: %s", (address, allowed) => {
  expect(allowsAddress(room, address)).toBe(allowed);
});

test("no address is let in by a profile of another pattern, nor by one that is not there", () => {
  expect(allowsAddress({ ...room, pattern: "clickthrough" }, "192.0.2.7")).toBe(false);
  expect(createKiosks({ room }).allows("staff", "192.0.2.7")).toBe(false);
});

test("a changed list takes effect immediately", () => {
  const kiosks = createKiosks({ room });
  kiosks.take({ room: kiosk("203.0.113.0/24"), annexe: kiosk("192.0.2.0/24") });
  expect(kiosks.listOf("room")).toEqual(["203.0.113.0/24"]);
  expect(kiosks.allows("room", "192.0.2.7")).toBe(false);
  expect(kiosks.allows("room", "203.0.113.7")).toBe(true);
  expect(kiosks.allows("annexe", "192.0.2.7")).toBe(true);
});

test.each([
  ["203.0.113.9", "192.0.2.7", false], // from no proxy, the header counts for nothing
  ["192.0.2.7", "203.0.113.9", true],
  ["10.0.0.1", "192.0.2.7", true],
  ["10.0.0.1", "203.0.113.9, 192.0.2.7", true],
  ["10.0.0.1", "192.0.2.7, 203.0.113.9", false], // the client has put the first hop there
  ["10.0.0.1", "192.0.2.7, 10.0.0.2", true],
  ["10.0.0.1", "203.0.113.9, 10.0.0.2, 10.0.0.3", false],
  ["10.0.0.1", "192.0.2.7, unknown", false],
  ["10.0.0.1", "unknown, 192.0.2.7", true],
  ["10.0.0.1", "192.0.2.7, ", false],
  ["10.0.0.1", "192.0.2.7:4711", true],
  ["10.0.0.1", "[2001:db8::1]:4711", true],
  ["10.0.0.1", "_hidden", false],
  ["::ffff:10.0.0.1", "192.0.2.7", true],
  ["10.0.0.1", "", false],
])("behind the peer %s, with the hops %j, a reader is let in: %s", (peer, hops, allowed) => {
  const trust = { proxies: [parseRange("10.0.0.0/8")], baseUrl: "" };
  const headers = new Headers({ "X-Forwarded-For": hops });
  expect(allowsAddress(room, clientAddress(headers, peer, trust))).toBe(allowed);
});
