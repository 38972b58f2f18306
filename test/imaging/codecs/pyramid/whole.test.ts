// Images that are decoded as a whole stay for the next job of the same sidecar, for a moment.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { decodeOnce } from "../../../../src/imaging/codecs/pyramid/whole.ts";
import { memoryBytes } from "../../../../src/imaging/lib/byte-source.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const bytes = memoryBytes(new Uint8Array());

function counted(size: number) {
  let decoded = 0;
  const decode = decodeOnce({
    async decodeWhole() {
      decoded++;
      return { take: async () => {} };
    },
    wholeBytes: () => size,
  });
  const master = { header: {} as never, page: 1 };
  return { of: (id?: string) => decode(bytes, master, id), decoded: () => decoded };
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

test("it leaves after a second, and an image of more than 128 MiB does not stay", async () => {
  const { of, decoded } = counted(100);
  await of("a");
  vi.advanceTimersByTime(1000);
  await of("a");
  expect(decoded()).toBe(2);
  const large = counted(128 * 2 ** 20 + 1);
  await large.of("a");
  await large.of("a");
  expect(large.decoded()).toBe(2);
});
