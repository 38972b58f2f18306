import { describe, expect, it } from "vitest";
import { createNewSessions } from "../../../src/server/access/new-sessions.ts";

const day = 24 * 3_600_000;

function sessions(ttlMs = day) {
  const clock = { time: 1_000_000 };
  let told = 0;
  const refused = () => void told++;
  const memory = createNewSessions({ ttlMs, onRefused: refused, now: () => clock.time });
  const from = (address: string | undefined) => memory.begin(address);
  /** Begins a session. Returns how long it has to wait; 0 if it began. */
  const wait = (address: string | undefined): number => {
    const begun = from(address);
    return "waitMs" in begun ? Math.ceil(begun.waitMs) : 0;
  };
  const waits = (count: number, address: (i: number) => string | undefined) =>
    new Set(Array.from({ length: count }, (_, i) => wait(address(i))));
  return { clock, from, wait, waits, told: () => told };
}
const here = "192.0.2.1";

describe("the sessions of one network", () => {
  it("may begin two hundred immediately, then one per ten-thousandth of their lifetime", () => {
    const { clock, wait, waits } = sessions();
    expect(waits(200, () => here)).toEqual(new Set([0]));
    // 24 h / 10,000
    for (let i = 0; i < 3; i++) {
      expect(wait(here)).toBe(8640);
      clock.time += 8639;
      expect(wait(here)).toBe(1);
      clock.time += 1;
      expect(wait(here)).toBe(0);
    }
    expect(wait("192.0.2.2")).toBe(0);
  });

  it("may begin two hundred again after the time that those would have taken one by one", () => {
    const { clock, waits } = sessions();
    waits(200, () => here);
    clock.time += 200 * 8640;
    expect(waits(200, () => here)).toEqual(new Set([0]));
    expect(waits(1, () => here)).toEqual(new Set([8640]));
  });

  it.each([
    ["1 h", day / 24, 360],
    ["7 s, of which the parts are no whole milliseconds", 7_000_000 / 3, 234],
    ["1 s", 1000, 0],
    ["a year", 365 * day, 60_000],
  ])("that live for %s wait in proportion, and never more than a minute", (_, ttlMs, after) => {
    const { waits, wait } = sessions(ttlMs);
    expect(waits(200, () => here)).toEqual(new Set([0]));
    expect(wait(here)).toBe(after);
  });

  it("are no more than 10,200 at any time", () => {
    const { clock, wait } = sessions(day);
    const end = clock.time + day;
    let begun = 0;
    while (clock.time < end) {
      const ms = wait(here);
      if (ms === 0) begun++;
      clock.time += ms;
    }
    // The 10,000th after the free ones would begin as the first ends.
    expect(begun).toBe(200 + 9999);
  });

  it("count by IPv6 network of 48 bits, and IPv4 in IPv6 as IPv4", () => {
    const { wait, waits } = sessions();
    waits(200, (i) => `2001:db8:0:${i.toString(16)}::${i}`);
    expect(wait("2001:db8::1")).toBe(8640);
    expect(wait("2001:db8:1::1")).toBe(0);
    waits(200, (i) => (i % 2 ? here : `::ffff:${here}`));
    expect(wait(here)).toBe(8640);
  });

  it("of clients without a known address count together", () => {
    const { wait, waits } = sessions();
    waits(200, (i) => (i % 2 ? undefined : "unknown"));
    expect(wait(undefined)).toBe(8640);
    expect(wait(here)).toBe(0);
  });

  it("give their slot back once if they cannot begin", () => {
    const { from, wait, waits } = sessions();
    waits(199, () => here);
    const last = from(here);
    expect(wait(here)).toBe(8640);
    if ("waitMs" in last) expect.unreachable();
    else for (let i = 0; i < 3; i++) last.takeBack();
    expect(wait(here)).toBe(0);
    expect(wait(here)).toBe(8640);
  });

  it("are reported when they have to wait", () => {
    const { waits, told } = sessions();
    waits(200, () => here);
    expect(told()).toBe(0);
    waits(5, () => here);
    expect(told()).toBe(5);
  });

  it("are remembered however many other networks begin some", () => {
    const { wait, waits } = sessions();
    waits(200, () => here);
    waits(10_001, (i) => `10.1.${i >> 8}.${i & 255}`);
    expect(wait(here)).toBe(8640);
  });
});
