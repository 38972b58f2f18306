import { describe, expect, it } from "vitest";
import { cachedInstance } from "../../../src/imaging/codecs/instance.ts";

/** Returns numbered instances whose memory the test sets. */
function numbered() {
  let made = 0;
  return cachedInstance<{ id: number; bytes: number }>({
    create: () => ({ id: ++made, bytes: 0 }),
    memory: (instance) => instance.bytes,
  });
}

describe("a kept instance", () => {
  it("serves one piece of work after another", async () => {
    const use = numbered();
    expect(await use(({ id }) => id)).toBe(1);
    expect(await use(async ({ id }) => id)).toBe(1);
  });

  it("is dropped after an error", async () => {
    const use = numbered();
    await expect(use(() => Promise.reject(4711))).rejects.toBe(4711);
    expect(await use(({ id }) => id)).toBe(2);
  });

  it("is dropped when its memory has grown past 32 MiB", async () => {
    const use = numbered();
    const grow = (bytes: number) =>
      use((instance) => {
        instance.bytes = bytes;
        return instance.id;
      });
    expect(await grow(32 * 1024 * 1024)).toBe(1);
    expect(await grow(32 * 1024 * 1024 + 1)).toBe(1);
    expect(await grow(0)).toBe(2);
  });

  it("is never shared by concurrent work", async () => {
    const use = numbered();
    const work = async ({ id }: { id: number }) => {
      await Promise.resolve();
      return id;
    };
    const seen = await Promise.all([use(work), use(work), use(work)]);
    expect(new Set(seen).size).toBe(3);
  });
});
