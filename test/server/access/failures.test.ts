import { describe, expect, it, vi } from "vitest";
import {
  type Attempt,
  LoginFailures,
  ranks,
  usualLimits,
} from "../../../src/server/access/logins/failures.ts";

function memory() {
  const clock = { time: 1_000_000 };
  const failures = new LoginFailures({ now: () => clock.time });
  /** Makes a failed attempt. Returns how long it has to wait; 0 if it was made. */
  const fail = (address: string | undefined, user: string, isKnown = false): number => {
    const made = failures.attempt(address, user, isKnown);
    return "waitMs" in made ? made.waitMs : 0;
  };
  const made = (address: string | undefined, user: string, isKnown = false): Attempt => {
    const attempt = failures.attempt(address, user, isKnown);
    return "waitMs" in attempt ? expect.unreachable(`it has to wait ${attempt.waitMs} ms`) : attempt;
  };
  const failTimes = (count: number, address: string, user: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => fail(address, user(i)));
  return { clock, failures, fail, failTimes, made };
}
const [here, there] = ["192.0.2.1", "192.0.2.2"];
/** Different networks, each of its own site. */
const network = (i: number) => `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`;

describe("logins that fail", () => {
  it("are free five times, then the next waits one second, two, four, and so on up to a minute", () => {
    const { clock, fail, failTimes } = memory();
    expect(failTimes(5, here, (i) => `u${i}`)).toEqual([0, 0, 0, 0, 0]);
    for (const wait of [1, 2, 4, 8, 16, 32, 60, 60, 60]) {
      expect(fail(here, `x${wait}`)).toBe(wait * 1000);
      clock.time += wait * 1000 - 1;
      expect(fail(here, `x${wait}`)).toBe(1);
      clock.time += 1;
      expect(fail(here, `x${clock.time}`)).toBe(0);
    }
  });

  it("do not count while they wait", () => {
    const { clock, fail, failTimes } = memory();
    failTimes(5, here, () => "ann");
    for (let i = 0; i < 100; i++) expect(fail(here, "ann")).toBe(1000);
    clock.time += 1000;
    expect(fail(here, "ann")).toBe(0);
  });

  it("count as soon as they begin, so that concurrent attempts are as limited as sequential ones", () => {
    const { made, fail } = memory();
    const attempts = Array.from({ length: 5 }, () => made(here, "ann"));
    expect(fail(here, "ann")).toBe(1000);
    for (const attempt of attempts) attempt.takeBack();
    expect(fail(here, "ann")).toBe(0);
  });

  it("are forgotten a quarter of an hour after the last of them", () => {
    const { clock, fail, failTimes } = memory();
    failTimes(5, here, () => "ann");
    clock.time += 15 * 60_000 - 1;
    expect(fail(here, "ann")).toBe(0);
    expect(fail(here, "ann")).toBe(2000);
    clock.time += 15 * 60_000;
    expect(failTimes(5, here, () => "ann")).toEqual([0, 0, 0, 0, 0]);
  });

  it("stay with a login, which takes back its own attempt alone", () => {
    const { made, failTimes, fail } = memory();
    failTimes(4, here, () => "ann");
    const attempt = made(here, "ann");
    attempt.takeBack();
    attempt.takeBack();
    expect(fail(here, "eve")).toBe(0);
    expect(fail(here, "eve")).toBe(1000);
  });

  it("count an IPv6 network of 64 bits as one address, and IPv4 in IPv6 as IPv4", () => {
    const { fail } = memory();
    for (let i = 0; i < 5; i++) expect(fail(`2001:db8:0:1::${i}`, `u${i}`)).toBe(0);
    expect(fail("2001:db8:0:1:ffff::1", "x")).toBe(1000);
    expect(fail("2001:db8:0:2::1", "y")).toBe(0);
    for (let i = 0; i < 5; i++) fail(i % 2 ? here : `::ffff:${here}`, `v${i}`);
    expect(fail(here, "z")).toBe(1000);
  });

  it("of clients without a known address count together", () => {
    const { fail } = memory();
    for (let i = 0; i < 5; i++) expect(fail(i % 2 ? undefined : "unknown", `u${i}`)).toBe(0);
    expect(fail(undefined, "x")).toBe(1000);
    expect(fail(here, "x")).toBe(0);
  });
});

describe("failures in the name of one user", () => {
  it("never exceed the documented bound, from however many networks, sites or names they come", () => {
    const attacks: readonly (readonly [string, (i: number) => string])[] = [
      ["fifty networks", (i) => network(i % 50)],
      ["a new network each time", network],
      ["networks of one IPv6 site", (i) => `2001:db8:1:${i.toString(16)}::1`],
      ["networks that each try twice", (i) => network(i >> 1)],
      ["networks that each try five times", (i) => network(Math.floor(i / 5))],
    ];
    for (const [name, addressOf] of attacks) {
      const { clock, fail } = memory();
      let made = 0;
      // Ten minutes with seven tries a second.
      for (let i = 0; i < 7 * 600; i++, clock.time += 1000 / 7) if (fail(addressOf(i), "ann") === 0) made++;
      expect([name, made <= 410 + 2700 / 6]).toEqual([name, true]);
    }
  });

  it("from one network, or from fifty, keep no reader out who comes from a network of their own", () => {
    for (const networks of [1, 50]) {
      const { clock, fail, made } = memory();
      let waited = 0;
      for (let i = 0; i < 7 * 600; i++, clock.time += 1000 / 7) {
        fail(network(i % networks), "ann");
        if (i % 70 !== 0) continue;
        const reader = `203.0.${(i / 70) >> 8}.${(i / 70) & 255}`;
        // The reader mistypes the password once.
        waited += fail(reader, "ann");
        made(reader, "ann").takeBack();
      }
      expect([networks, waited]).toEqual([networks, 0]);
    }
  });

  it("from new networks without end leave tries for others every two seconds", () => {
    const { clock, fail } = memory();
    for (let i = 0; i < 300; i++) expect(fail(network(i), "ann")).toBe(0);
    for (let i = 300; i < 310; i++) {
      expect(fail(network(i), "ann")).toBe(2000);
      expect(fail(network(i), "bob")).toBe(0);
      clock.time += 2000;
      expect(fail(network(i + 1000), "ann")).toBe(0);
    }
  });

  it("from networks that have failed before use up none of the tries of others", () => {
    const { fail } = memory();
    for (let i = 0; i < 600; i++) for (let n = 0; n < 5; n++) fail(network(i), n === 0 ? `u${i}` : "ann");
    expect(fail(here, "ann")).toBe(0);
  });

  it("from networks of one IPv6 site count as those of a network that has failed", () => {
    const { fail } = memory();
    for (let i = 0; i < 200; i++) fail(`2001:db8:1:${i.toString(16)}::1`, "ann");
    expect(fail("2001:db8:1:ffff::1", "ann")).toBeGreaterThan(0);
    expect(fail("2001:db8:2::1", "ann")).toBe(0);
  });

  it("go after those of networks that have failed less often", () => {
    const { failures, made } = memory();
    expect(ranks).toBe(usualLimits.ofUser.length + 2);
    const rankOf = (address: string, isKnown = false) => {
      const attempt = failures.attempt(address, "ann", isKnown);
      return "rank" in attempt ? attempt.rank : undefined;
    };
    expect([0, 1, 2, 3, 4].map(() => rankOf(here))).toEqual([1, 3, 3, 4, 4]);
    // Neighbours of a network that has failed.
    expect(rankOf(there)).toBe(2);
    expect(rankOf("198.51.100.1")).toBe(1);
    expect(made(here, "ann", true).rank).toBe(0);
  });
});

describe("in a network that is known to a user", () => {
  it("neither failures elsewhere nor those of others there delay the user", () => {
    const { fail, failTimes } = memory();
    failTimes(8, here, (i) => `u${i}`);
    for (let i = 0; i < 400; i++) fail(network(i), "ann");
    expect(fail(here, "ann")).toBeGreaterThan(0);
    expect(fail(here, "ann", true)).toBe(0);
  });

  it("five failures of the user are free, and then others there wait too", () => {
    const { clock, fail } = memory();
    for (let i = 0; i < 5; i++) expect(fail(here, "ann", true)).toBe(0);
    for (const wait of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(fail(here, "ann", true)).toBe(wait * 1000);
      clock.time += wait * 1000;
      expect(fail(here, "ann", true)).toBe(0);
    }
    expect(fail(here, "bob")).toBe(60_000);
    expect(fail(here, "bob", true)).toBe(0);
    expect(fail(there, "ann")).toBe(0);
  });
});

it("no number of other names and networks resets failures", () => {
  // Which forgotten keys share a tally is random: in one of fifty cases a site that never failed shares one.
  const random = vi.spyOn(crypto, "getRandomValues").mockImplementation((values) => values);
  const { fail, failTimes } = memory();
  random.mockRestore();
  failTimes(5, here, () => "ann");
  for (let i = 0; i < 300; i++) fail(network(i), "bob");
  for (let i = 0; i < 11_000; i++) fail(network(i), `name ${i}`);
  expect(fail(here, "ann")).toBeGreaterThan(0);
  expect(fail("203.0.113.1", "bob")).toBeGreaterThan(0);
});
