// Names of addresses, against a real DNS server.

import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createDns } from "../../../../src/server/platform/dns.ts";
import { createReverseDns, isOfDomain } from "../../../../src/server/visitors/verification/reverse-dns.ts";
import { type DnsServer, startDns } from "../../../servers/dns.ts";

let server: DnsServer;
let time = 0;
beforeEach(async () => {
  time = 0;
  server = await startDns({
    "PTR 1.2.0.192.in-addr.arpa": ["crawl-1.Googlebot.com"],
    "A crawl-1.googlebot.com": ["192.0.2.1"],
    // Says to be the first, whose name does not lead back.
    "PTR 2.2.0.192.in-addr.arpa": ["crawl-1.googlebot.com"],
    "PTR 3.2.0.192.in-addr.arpa": ["crawl.evilgooglebot.com", "googlebot.com.example.org"],
    [`PTR 1.${"0.".repeat(23)}8.b.d.0.1.0.0.2.ip6.arpa`]: ["six.googlebot.com"],
    "AAAA six.googlebot.com": ["2001:db8::1"],
    "PTR 4.2.0.192.in-addr.arpa": Array.from({ length: 9 }, (_, n) => `n${n}.googlebot.com`),
  });
});
afterEach(() => server.close());

const create = () =>
  createReverseDns({ dns: createDns([server.address]), domains: ["googlebot.com"], now: () => time });

/** Asks until there is a result; on a busy machine a lookup may fail, and is made again a minute later. */
async function namesOf(reverse: ReturnType<typeof create>, address: string) {
  const ask = () => {
    const names = reverse.namesOf(address);
    if (!names) time += 10_000;
    return names;
  };
  await expect.poll(ask).toBeDefined();
  return reverse.namesOf(address);
}

/** Questions, each once: a resolver repeats those that are answered late. */
const questions = () => [...new Set(server.asked)];

describe("a name of an address", () => {
  test("counts if it is of a domain and leads back to the address", async () => {
    const reverse = create();
    expect(reverse.namesOf("192.0.2.1")).toBeUndefined();
    expect(await namesOf(reverse, "192.0.2.1")).toEqual(["crawl-1.googlebot.com"]);
    expect(await namesOf(reverse, "2001:0db8:0::1")).toEqual(["six.googlebot.com"]);
  });

  test("does not count if it leads to another address, or to none", async () => {
    expect(await namesOf(create(), "192.0.2.2")).toEqual([]);
    expect(await namesOf(create(), "192.0.2.9")).toEqual([]);
  });

  test("is not asked for if it is of another domain", async () => {
    expect(await namesOf(create(), "192.0.2.3")).toEqual([]);
    expect(questions()).toEqual(["PTR 3.2.0.192.in-addr.arpa"]);
  });

  test("is one of at most four, so that nobody has the service ask for many", async () => {
    expect(await namesOf(create(), "192.0.2.4")).toEqual([]);
    expect(questions().filter((question) => question.startsWith("A "))).toHaveLength(4);
  });

  test("is asked for again after six hours, and its absence after ten minutes", async () => {
    const reverse = create();
    await namesOf(reverse, "192.0.2.1");
    await namesOf(reverse, "198.51.100.1");
    const minutes = (count: number) => {
      time += count * 60_000;
      return ["192.0.2.1", "198.51.100.1"].map((address) => reverse.namesOf(address)?.length);
    };
    expect(minutes(9)).toEqual([1, 0]);
    expect(minutes(1)).toEqual([1, undefined]);
    await namesOf(reverse, "198.51.100.1");
    expect(minutes(6 * 60)).toEqual([undefined, undefined]);
  });

  test("is unknown while no server responds, which is asked again a minute later", async () => {
    const reverse = create();
    server.code = 2;
    const ask = () => {
      time += 60_000;
      return reverse.namesOf("192.0.2.1");
    };
    // More often than one lookup asks.
    await expect
      .poll(() => {
        expect(ask()).toBeUndefined();
        return server.asked.length;
      })
      .toBeGreaterThan(4);
    server.code = 0;
    await expect.poll(ask).toEqual(["crawl-1.googlebot.com"]);
  });

  test("is asked for by at most 64 lookups at a time, one for each network", async () => {
    let release = () => {};
    server.hold = new Promise((resolve) => {
      release = resolve;
    });
    const reverse = create();
    for (let n = 0; n < 300; n++) reverse.namesOf(`198.51.${n >> 8}.${n & 255}`);
    for (let n = 0; n < 100; n++) reverse.namesOf(`203.0.${n}.1`);
    await expect.poll(() => questions().length).toBe(64);
    expect(
      questions()
        .sort()
        .filter((question) => question.includes(".51.198.")),
    ).toEqual(["PTR 0.0.51.198.in-addr.arpa", "PTR 0.1.51.198.in-addr.arpa"]);
    release();
    expect(await namesOf(reverse, "203.0.99.1")).toEqual([]);
    expect(questions()).toHaveLength(65);
  });

  test("of anything but an address is unknown", () => {
    expect(create().namesOf("localhost")).toBeUndefined();
    expect(server.asked).toEqual([]);
  });
});

describe("networks whose servers are slow", () => {
  /** Names by a resolver that takes `ms` for all addresses but one; each question is recorded. */
  const slow = (ms: number) => {
    vi.useFakeTimers({ now: 0 });
    onTestFinished(() => void vi.useRealTimers());
    const asked: string[] = [];
    const dns = {
      async namesOf(address: string) {
        asked.push(address);
        if (address === "192.0.2.1") return ["crawl-1.googlebot.com"];
        await new Promise((resolve) => void setTimeout(resolve, ms));
        return [];
      },
      addressesOf: async () => ["192.0.2.1"],
    };
    return { asked, reverse: createReverseDns({ dns, domains: ["googlebot.com"], now: Date.now }) };
  };

  test.each([1900, 4900])("do not delay others for long, with %i ms for a response", async (ms) => {
    const { reverse } = slow(ms);
    let next = 0;
    const come = () => void reverse.namesOf(`10.0.${next & 255}.${next++ >> 8}`);
    for (let n = 0; n < 100; n++) come();
    for (let at = 0; at < 12_000; at += 20) {
      for (let n = 0; n < 8; n++) come();
      reverse.namesOf("192.0.2.1");
      await vi.advanceTimersByTimeAsync(20);
    }
    expect(reverse.namesOf("192.0.2.1")).toEqual(["crawl-1.googlebot.com"]);
  });

  test.each([
    ["of IPv4", (n: number) => `10.0.0.${n & 255}`],
    ["of IPv6", (n: number) => `2001:db8:1:${n.toString(16)}::1`],
  ])("are asked for a hundredth of the time, %s", async (_, addressOf) => {
    const { reverse, asked } = slow(1900);
    for (let second = 0; second < 3600; second++) {
      reverse.namesOf(addressOf(second));
      await vi.advanceTimersByTimeAsync(1000);
    }
    // Once in 101 times 1.9 s.
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.length).toBeLessThan(20);
  });
});

test.each([
  ["googlebot.com", true],
  ["a.b.googlebot.com", true],
  ["evilgooglebot.com", false],
  ["googlebot.com.example.org", false],
])("%s is of googlebot.com: %s", (name, isOf) => {
  expect(isOfDomain(name, "googlebot.com")).toBe(isOf);
});
