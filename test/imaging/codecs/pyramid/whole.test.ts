// Images that are decoded as a whole stay for the next job of the same sidecar, for a moment.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { decodeOnce } from "../../../../src/imaging/codecs/pyramid/whole.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const bytes = memoryBytes(new Uint8Array());

function counted(size: number) {
  let decoded = 0;
  const format = {
    async decodeWhole() {
      decoded++;
      return { take: async () => {} };
    },
    wholeBytes: () => size,
  };
  const decode = decodeOnce(format, 200);
  const master = { header: {} as never, page: 1 };
  return {
    of: (id?: string, isLast?: true) => decode(bytes, { ...master, id, ...(isLast && { isLast }) }),
    decoded: () => decoded,
  };
}

test("the job that follows takes the image, once", async () => {
  const { of, decoded } = counted(100);
  const first = await of("a");
  expect(await of("a")).toBe(first);
  expect(decoded()).toBe(1);
  await of("a");
  expect(decoded()).toBe(2);
});

test("another image, or one without an id, takes its place", async () => {
  const { of, decoded } = counted(100);
  await of("a");
  await of("b");
  await of("a");
  expect(decoded()).toBe(3);
  await of();
  await of("a");
  expect(decoded()).toBe(5);
});

test("it leaves after a second; a too large one, and that of the last job, does not stay", async () => {
  const { of, decoded } = counted(100);
  await of("a");
  vi.advanceTimersByTime(1000);
  await of("a");
  expect(decoded()).toBe(2);
  const large = counted(201);
  await large.of("a");
  await large.of("a");
  expect(large.decoded()).toBe(2);
  const built = counted(100);
  await built.of("a", true);
  await built.of("a");
  expect(built.decoded()).toBe(2);
});
