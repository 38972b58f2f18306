import { describe, expect, it } from "vitest";
import { type Attempt, LoginFailures, usualLimits } from "../../src/access/logins/failures.ts";

function memory(limits = usualLimits) {
  const clock = { time: 1_000_000 };
  const failures = new LoginFailures({ now: () => clock.time, limits });
  /** Makes a failed attempt. Returns how long it has to wait; 0 if it was made. */
  const fail = (address: string | undefined, user: string): number => {
    const made = failures.attempt(address, user);
    return "waitMs" in made ? made.waitMs : 0;
  };
  const made = (address: string | undefined, user: string): Attempt => {
    const attempt = failures.attempt(address, user);
    return "waitMs" in attempt ? expect.unreachable(`it has to wait ${attempt.waitMs} ms`) : attempt;
  };
  const failTimes = (count: number, address: string, user: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => fail(address, user(i)));
  return { clock, fail, failTimes, made };
}
const [here, there] = ["192.0.2.1", "192.0.2.2"];

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

  it("wait by user from wherever they come, and at most eight seconds", () => {
    const { clock, fail } = memory();
    for (let i = 0; i < 5; i++) expect(fail(`192.0.2.${i}`, "ann")).toBe(0);
    for (const [i, wait] of [1, 2, 4, 8, 8, 8].entries()) {
      expect(fail(`198.51.100.${i}`, "ann")).toBe(wait * 1000);
      expect(fail(`203.0.113.${i}`, "bob".repeat(i + 1))).toBe(0);
      clock.time += wait * 1000;
      expect(fail(`198.51.100.${i}`, "ann")).toBe(0);
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
    for (const attempt of attempts) attempt.cancel();
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
    const { clock, made, failTimes, fail } = memory();
    failTimes(4, here, () => "ann");
    const attempt = made(here, "ann");
    attempt.noteSuccess();
    attempt.noteSuccess();
    expect(fail(here, "eve")).toBe(0);
    expect(fail(here, "eve")).toBe(1000);
    expect(failTimes(1, there, () => "ann")).toEqual([0]);
    expect(fail("192.0.2.99", "ann")).toBe(1000);
    clock.time += 1000;
    made(here, "ann").noteSuccess();
    expect(fail(here, "ann")).toBe(0);
    expect(fail(here, "ann")).toBe(2000);
  });

  it("of others delay nobody in a network from which they have logged in", () => {
    const { clock, made, fail } = memory();
    made(here, "ann").noteSuccess();
    for (let i = 0; i < 5; i++) expect(fail(`198.51.100.${i}`, "ann")).toBe(0);
    for (const wait of [1, 2, 4, 8, 8]) {
      expect(fail("203.0.113.1", "ann")).toBe(wait * 1000);
      expect(fail(there, "ann")).toBe(wait * 1000);
      made(here, "ann").noteSuccess();
      clock.time += wait * 1000;
      expect(fail(`203.0.113.${2 + wait}`, "ann")).toBe(0);
    }
  });

  it("of a user in a network known to them slow down only that network", () => {
    const { made, fail, failTimes } = memory();
    made(here, "ann").noteSuccess();
    expect(failTimes(6, here, () => "ann")).toEqual([0, 0, 0, 0, 0, 1000]);
    expect(fail(here, "bob")).toBe(1000);
    expect(failTimes(5, there, () => "ann")).toEqual([0, 0, 0, 0, 0]);
    expect(fail("203.0.113.1", "ann")).toBe(1000);
  });

  it("do not wait in a network that is known to somebody else, or to the same name of another profile", () => {
    const { made, fail, failTimes } = memory();
    made(here, "staff/eve").noteSuccess();
    made(here, "press/ann").noteSuccess();
    failTimes(5, there, () => "staff/ann");
    expect(fail(here, "staff/ann")).toBe(1000);
  });

  it("wait again in a network whose last login is thirty days old", () => {
    const { clock, made, fail } = memory();
    const month = 30 * 24 * 3_600_000;
    const attack = () => {
      for (let i = 0; i < 5; i++) expect(fail(`198.51.100.${i}`, "ann")).toBe(0);
    };
    made(here, "ann").noteSuccess();
    clock.time += month - 1;
    attack();
    expect(fail(here, "ann")).toBe(0);
    clock.time += 1;
    // Less than the second after the last of them, by the millisecond that has passed.
    expect(fail(here, "ann")).toBe(999);
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

  it("are remembered for a bounded number of addresses and users, the most recent ones", () => {
    const { fail, failTimes } = memory({ ...usualLimits, most: 100 });
    failTimes(5, "10.0.0.0", () => "first");
    for (let i = 0; i < 99; i++) fail(`10.0.1.${i}`, `u${i}`);
    expect(fail("10.0.0.0", "other")).toBe(1000);
    for (let i = 100; i < 200; i++) fail(`10.0.1.${i}`, `u${i}`);
    expect(fail("10.0.0.0", "first")).toBe(0);
  });
});
