// IP addresses and ranges against vectors worked by hand (RFC 4291, RFC 4632).

import { describe, expect, test } from "vitest";
import {
  anonymiseIp,
  isInRanges,
  normaliseIp,
  parseIp,
  parseRange,
} from "../../../src/base/network/ip-range.ts";

describe("an address", () => {
  test.each([
    ["0.0.0.0", 32, 0n],
    ["0.0.0.1", 32, 1n],
    ["1.2.3.4", 32, 0x01020304n],
    ["255.255.255.255", 32, 0xffffffffn],
    [" 10.0.0.1 ", 32, 0x0a000001n],
    ["::", 128, 0n],
    ["::1", 128, 1n],
    ["1::", 128, 1n << 112n],
    ["2001:db8::8:800:200c:417a", 128, 0x20010db80000000000080800200c417an],
    ["2001:DB8:0:0:8:800:200C:417A", 128, 0x20010db80000000000080800200c417an],
    ["[2001:db8::1]", 128, 0x20010db8000000000000000000000001n],
    ["fe80::1%eth0", 128, 0xfe800000000000000000000000000001n],
    ["1:2:3:4:5:6:7::", 128, 0x00010002000300040005000600070000n],
    ["64:ff9b::192.0.2.33", 128, 0x0064ff9b0000000000000000c0000221n],
    ["::ffff:192.0.2.1", 32, 0xc0000201n], // IPv4-mapped counts as IPv4
    ["::ffff:c000:201", 32, 0xc0000201n],
  ])("%s is read", (text, bits, value) => expect(parseIp(text)).toEqual({ bits, value }));

  test.each([
    "",
    " ",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "01.2.3.4",
    "1.2.3.-4",
    "1.2.3.4a",
    "0x1.2.3.4",
    "1.2.3.4/8",
    "16909060",
    ":",
    ":::",
    "1::2::3",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "12345::",
    "g::1",
    "::1.2.3",
    "1.2.3.4::",
    "1.2.3.4:5::",
    "localhost",
    "unknown",
    "_hidden",
  ])("%j is not one", (text) => expect(parseIp(text)).toBeUndefined());
});

describe("the one spelling of an address", () => {
  // The examples of RFC 5952, sections 1 and 4, and the forms that runtimes and proxies write.
  test.each([
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:db8::1:0:0:1", "2001:db8::1:0:0:1"],
    ["2001:db8:0000:0:1::1", "2001:db8::1:0:0:1"],
    ["2001:DB8:0:0:1::1", "2001:db8::1:0:0:1"],
    ["2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"],
    ["2001:0:0:1:0:0:0:1", "2001:0:0:1::1"],
    ["10:0:0:0:0:0:0:10", "10::10"],
    ["0:0:0:0:0:0:0:0", "::"],
    ["::0001", "::1"],
    ["a0:0:0:0:0:0:0:0", "a0::"],
    ["::ffff:1.2.3.4", "1.2.3.4"],
    ["::FFFF:102:304", "1.2.3.4"],
    ["0:0:0:0:0:ffff:0102:0304", "1.2.3.4"],
    ["[::ffff:127.0.0.1]:49528", "127.0.0.1"],
    ["10.0.0.1:80", "10.0.0.1"],
    [" 10.0.0.1 ", "10.0.0.1"],
    ["[2001:DB8::1]:80", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["fe80::1%eth0", "fe80::1"],
    ["[FE80::1%25eth0]:443", "fe80::1"],
    ["1:2:3:4:5:6:7:80", "1:2:3:4:5:6:7:80"],
  ])("of %s is %s", (text, address) => expect(normaliseIp(text)).toBe(address));

  test.each(["", "unknown", "_hidden", "1.2.3.4:", "1.2.3.4:999999", "1.2.3.4:80:80", '"[::1]"', "::1]:80"])(
    "%j has none",
    (text) => expect(normaliseIp(text)).toBeUndefined(),
  );
});

describe("a range", () => {
  test.each([
    ["10.0.0.0/8", "10.255.255.255", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["10.0.0.0/8", "9.255.255.255", false],
    ["10.1.2.3/8", "10.200.0.1", true], // bits behind the prefix do not count
    ["192.168.4.0/23", "192.168.5.255", true],
    ["192.168.4.0/23", "192.168.6.0", false],
    ["0.0.0.0/0", "203.0.113.9", true],
    ["0.0.0.0/0", "::1", false],
    ["192.0.2.2/31", "192.0.2.3", true],
    ["192.0.2.2/31", "192.0.2.4", false],
    ["192.0.2.2/32", "192.0.2.2", true],
    ["192.0.2.2/32", "192.0.2.3", false],
    ["192.0.2.2", "192.0.2.2", true],
    ["192.0.2.2", "192.0.2.3", false],
    ["192.0.2.0/24", "::ffff:192.0.2.77", true],
    ["::ffff:192.0.2.0/24", "192.0.2.77", true],
    ["::/0", "2001:db8::1", true],
    ["::/0", "192.0.2.1", false],
    ["2001:db8::/32", "2001:db8:ffff::1", true],
    ["2001:db8::/32", "2001:db9::", false],
    ["2001:db8::/127", "2001:db8::1", true],
    ["2001:db8::/127", "2001:db8::2", false],
    ["::1/128", "::1", true],
    ["::1/128", "::2", false],
    ["::1", "0:0:0:0:0:0:0:1", true],
    ["fe80::/10", "fe80::1%eth0", true],
    ["10.0.0.0/8", "no address", false],
    ["10.0.0.0/8", "", false],
  ])("%s holds %s: %s", (range, address, held) =>
    expect(isInRanges(address, [parseRange(range)])).toBe(held),
  );

  test.each([
    "",
    "/8",
    "10.0.0.0/",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0.0/ 8",
    "10.0.0.0/8.0",
    "::1/129",
    "10.0.0/8",
    "example.org",
    "10.0.0.0-10.0.0.9",
    "*",
  ])("%j is refused", (text) => expect(() => parseRange(text)).toThrow(RangeError));

  test("an address is looked up in all ranges of a list, and in none of an empty one", () => {
    const ranges = ["10.0.0.0/8", "::1"].map(parseRange);
    expect([
      isInRanges("::1", ranges),
      isInRanges("10.9.8.7", ranges),
      isInRanges("8.8.8.8", ranges),
      isInRanges("::1", []),
    ]).toEqual([true, true, false, false]);
  });
});

test.each([
  ["192.0.2.77", "192.0.2.0/24"],
  ["::ffff:192.0.2.77", "192.0.2.0/24"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"],
  ["fe80::1%eth0", "fe80::/48"],
  ["nobody", undefined],
])("the address %s is logged as %s", (address, shown) => {
  expect(anonymiseIp(address)).toBe(shown);
});
