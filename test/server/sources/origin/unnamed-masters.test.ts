// Masters whose origin does not identify the state of a response: no ETag, no date, or an ambiguous one.
// @module-tag slow

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { blockSize } from "../../../../src/server/sources/origin/cache.ts";
import { heapStore } from "../../../../src/server/stores/heap.ts";
import { seeded } from "../../../seeded.ts";
import { masterOf, type Origin } from "../../../servers/origin.ts";
import { expectBytes, httpSource, open, originWith, pattern, slotOver } from "./over-origin.ts";

const second = 1000;
const unnamed = { etag: undefined };
const size = 30 * blockSize + 77;

/** Returns two states with the same length and the same beginning, which no response may mix. */
function states(length = size): readonly [Uint8Array, Uint8Array] {
  const one = pattern(length);
  const other = pattern(length, 5);
  other.set(one.subarray(0, 2 * blockSize));
  return [one, other];
}

/**
 * From now on the master is in another state at each request, with the date of its response if it has one.
 */
function changeAlways(origin: Origin, all: readonly Uint8Array[], dated: boolean): void {
  origin.behaviour.instead = (_request, _response, nth) => {
    const modified = dated ? new Date(Date.now() + second) : undefined;
    origin.masters.set("a", masterOf(all[nth % 2] as Uint8Array, { ...unnamed, modified }));
    return undefined;
  };
}

describe("a master without ETag and date", () => {
  test("is read in one response, named by the digest of all its bytes, and not requested again while it is fresh", async () => {
    const [data] = states();
    const origin = await originWith({ a: masterOf(data, unnamed) });
    const source = httpSource(origin);
    const { bytes, validator } = await open(source, "a");
    // The beginning, which reveals the size, then all of it.
    expect(origin.since()).toEqual({ requests: 2, bytes: 2 * blockSize + data.length });
    expect(validator).toBe(`${createHash("sha256").update(data).digest("hex")}-${data.length}`);
    expectBytes(await bytes.read(0, data.length), data);
    await open(source, "a");
    expect(origin.since().requests).toBe(0);
  });

  test("is one request if its beginning is all of it", async () => {
    const data = pattern(5000);
    const origin = await originWith({ a: masterOf(data, unnamed) });
    const { validator } = await open(httpSource(origin), "a");
    expect(validator).toBe(`${createHash("sha256").update(data).digest("hex")}-5000`);
    expect(origin.since()).toEqual({ requests: 1, bytes: 5000 });
  });

  test("is found unchanged, or changed after its beginning, by one request after revalidate", async () => {
    const [one, other] = states();
    const origin = await originWith({ a: masterOf(one, unnamed) });
    const source = httpSource(origin, { revalidate: "0s" });
    const { validator } = await open(source, "a");
    origin.since();
    expect((await open(source, "a")).validator).toBe(validator);
    expect(origin.since()).toEqual({ requests: 1, bytes: one.length });
    origin.masters.set("a", masterOf(other, unnamed));
    const changed = await open(source, "a");
    expect(changed.validator).not.toBe(validator);
    expectBytes(await changed.bytes.read(0, size), other);
  });

  test.each([
    ["in ranges", true, true, false],
    ["without ranges", false, true, false],
    ["without ranges and lengths", false, false, false],
    ["with the date of each answer", true, true, true],
  ])(
    "that is sent %s and changes between any two requests never mixes two states",
    async (_, ranges, lengths, dated) => {
      const all = states();
      const origin = await originWith({});
      Object.assign(origin.behaviour, { ranges, lengths });
      changeAlways(origin, all, dated);
      const source = httpSource(origin, { revalidate: "0s" });
      const random = seeded(11);
      for (let round = 0; round < 6; round++) {
        const { bytes, validator } = await open(source, "a");
        for (let n = 0; n < 6; n++) {
          const offset = random(size);
          const part = await bytes.read(offset, 3 * blockSize);
          const named = all.find((data) =>
            validator.startsWith(createHash("sha256").update(data).digest("hex")),
          );
          expectBytes(part, (named as Uint8Array).slice(offset, offset + 3 * blockSize));
        }
      }
    },
  );

  test("without a cache is read as a whole again, and is an error once it has changed", async () => {
    const all = states(270 * blockSize); // more than stays in memory
    const origin = await originWith({ a: masterOf(all[0], unnamed) });
    const source = httpSource(origin, { slot: slotOver(heapStore({ maxBytes: 1000 })) });
    const { bytes } = await open(source, "a");
    expectBytes(await bytes.read(5, 10), all[0].slice(5, 15));
    expect(origin.since().requests).toBe(3);
    origin.masters.set("a", masterOf(all[1], unnamed));
    await expect(bytes.read(5 * blockSize, blockSize)).rejects.toMatchObject({ code: "source_changed" });
    expectBytes(
      await (await open(source, "a")).bytes.read(260 * blockSize, 10),
      all[1].slice(260 * blockSize, 260 * blockSize + 10),
    );
  });

  test.each([
    ["that announces its size", true],
    ["that does not", false],
  ])("of more than 64 MiB, from an origin %s, is an error with advice", async (_, lengths) => {
    const most = 64 * 2 ** 20;
    const origin = await originWith({ a: masterOf(new Uint8Array(most + 1), unnamed) });
    Object.assign(origin.behaviour, { lengths, ranges: lengths });
    const error = await httpSource(origin)
      .open("a")
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ kind: "source", code: "origin_too_large" });
    expect(String(error)).toContain("ETag");
    origin.masters.set("a", masterOf(new Uint8Array(most), unnamed));
    expect((await open(httpSource(origin), "a")).bytes.size).toBe(most);
  });
});

describe("a date", () => {
  test.each([
    ["that is older than the answer by a second names a state", -2 * second, true],
    ["of the second of the answer does not", second, false],
  ])("%s", async (_, offset, names) => {
    const modified = new Date(Date.now() + offset);
    const [data] = states();
    const origin = await originWith({ a: masterOf(data, { ...unnamed, modified }) });
    const image = await open(httpSource(origin), "a");
    expect(image.modified !== undefined).toBe(names);
    expect(origin.since().requests).toBe(names ? 1 : 2);
    expectBytes(await image.bytes.read(0, size), data);
  });

  test("does not replace an ETag that is no longer sent", async () => {
    const [one, other] = states();
    const origin = await originWith({ a: masterOf(one, { etag: '"1"' }) });
    const { bytes } = await open(httpSource(origin), "a");
    origin.masters.set("a", masterOf(other, unnamed));
    await expect(bytes.read(20 * blockSize, 10)).rejects.toMatchObject({ code: "source_changed" });
  });
});
