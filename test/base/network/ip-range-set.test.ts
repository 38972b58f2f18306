import { expect, test } from "vitest";
import { type IpRange, isInRange, parseRange } from "../../../src/base/network/ip-range.ts";
import { createIpRangeSet } from "../../../src/base/network/ip-range-set.ts";
import fc from "../../properties.ts";

const v4 = (value: bigint) => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
const v6 = (value: bigint) =>
  Array.from({ length: 8 }, (_, at) => ((value >> BigInt(112 - 16 * at)) & 0xffffn).toString(16)).join(":");

// Few high bits, so that ranges overlap and contain addresses.
const value = (bits: 32 | 128) =>
  fc.bigInt(0n, 4095n).map((small) => (small << BigInt(bits - 16)) | (small & 15n));
const range = fc
  .constantFrom<32 | 128>(32, 128)
  .chain((bits) =>
    fc.record({ bits: fc.constant(bits), value: value(bits), prefix: fc.integer({ min: 0, max: bits }) }),
  );

test("has exactly the addresses that one of its ranges has", () => {
  fc.assert(
    fc.property(fc.array(range, { maxLength: 30 }), value(32), value(128), (ranges, four, six) => {
      const set = createIpRangeSet(ranges);
      for (const ip of [
        { bits: 32, value: four },
        { bits: 128, value: six },
      ] as const) {
        const expected = ranges.some((each: IpRange) => isInRange(ip, each));
        expect(set.has(ip.bits === 32 ? v4(ip.value) : v6(ip.value))).toBe(expected);
      }
    }),
    { numRuns: 500 },
  );
});

test("has the first and the last address of a range, and not their neighbours", () => {
  const set = createIpRangeSet(["192.0.2.64/26", "10.0.0.0/8", "2001:db8::/32"].map(parseRange));
  expect(
    ["192.0.2.63", "192.0.2.64", "192.0.2.127", "192.0.2.128", "9.255.255.255", "10.0.0.0"].map(set.has),
  ).toEqual([false, true, true, false, false, true]);
  expect(["2001:db7:ffff::", "2001:db8::", "2001:db8:ffff::", "2001:db9::"].map(set.has)).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(set.has("::ffff:10.1.2.3")).toBe(true);
});

test("has no address if it is empty, and nothing that is no address", () => {
  expect(createIpRangeSet([]).has("192.0.2.1")).toBe(false);
  expect(createIpRangeSet([parseRange("0.0.0.0/0")]).has("localhost")).toBe(false);
});
