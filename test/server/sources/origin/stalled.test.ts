// Masters whose origin stops responding: how long a reader waits, and that nothing is fetched without a
// reader.
// @module-tag slow

import { describe, expect, test } from "vitest";
import type { RemoteFigures } from "../../../../src/server/sources/origin/cache.ts";
import { blockSize } from "../../../../src/server/sources/origin/cache.ts";
import type { SourceImage } from "../../../../src/server/sources/source.ts";
import { readCounts } from "../../../counts.ts";
import { deferred } from "../../../deferred.ts";
import { masterOf } from "../../../servers/origin.ts";
import { expectBytes, httpSource, open, originWith, pattern } from "./over-origin.ts";

describe("an origin that stalls", () => {
  const data = pattern(8 * blockSize);
  const beyond = 4 * blockSize;
  const far = data.subarray(beyond, beyond + 100);

  /** Holds all requests; reports when the first arrived and when its connection ended. */
  async function holding(options: Record<string, unknown> = {}) {
    const origin = await originWith({ a: masterOf(data) });
    const source = httpSource(origin, options);
    const { bytes } = await open(source, "a");
    const stalled = deferred();
    const dropped = deferred();
    origin.behaviour.instead = (_request, response) => {
      response.once("close", () => dropped.resolve());
      stalled.resolve();
      return true;
    };
    return { origin, source, bytes, stalled: stalled.promise, dropped: dropped.promise };
  }

  test("is waited for no longer than the source's timeout, and abandoned then", async () => {
    const { origin, source, bytes, dropped } = await holding({ timeout: "3s" });
    await expect(bytes.read(beyond, 100)).rejects.toMatchObject({
      kind: "source",
      code: "origin_unavailable",
    });
    await dropped;
    expect(readCounts(source.counts)).toMatchObject({ late: 1 });
    expect(readCounts(source.counts as RemoteFigures["counts"]).waitedSeconds).toBeGreaterThanOrEqual(1);
    await expect(bytes.read(beyond, 100), "its time is used up").rejects.toMatchObject({ kind: "source" });
    expectBytes(await bytes.read(0, 100), data.subarray(0, 100));
    origin.behaviour.instead = undefined;
    expectBytes(await (await open(httpSource(origin), "a")).bytes.read(beyond, 100), far);
  });

  test("is not waited for by blocks read ahead of a failed read", async () => {
    const large = pattern(40 * blockSize);
    const origin = await originWith({ a: masterOf(large) });
    const { bytes } = await open(httpSource(origin), "a");
    await bytes.read(3 * blockSize, 100);
    let held = 0;
    const ahead = deferred();
    origin.behaviour.instead = ({ headers }, response) => {
      if (headers.range?.startsWith(`bytes=${4 * blockSize}-`)) {
        void ahead.promise.then(() => response.writeHead(403).end());
        return true;
      }
      held++;
      ahead.resolve();
      response.once("close", () => held--);
      return true;
    };
    const reading = bytes.read(4 * blockSize, 100).catch((error: unknown) => error);
    await ahead.promise;
    expect(await reading).toMatchObject({ kind: "source", code: "origin_denied" });
    await expect.poll(() => held).toBe(0);
  });

  test("is not waited for when a master is opened either", async () => {
    const origin = await originWith({ a: masterOf(data) });
    const source = httpSource(origin, { timeout: "200ms" });
    origin.behaviour.instead = () => true;
    await expect(source.open("a")).rejects.toMatchObject({ kind: "source", code: "origin_unavailable" });
    expect(readCounts(source.counts)).toMatchObject({ late: 1, errors: 1 });
  });

  test("holds up those who join a fetch that stalls no longer than one may wait: then it is tried again", async () => {
    const origin = await originWith({ a: masterOf(data) });
    const source = httpSource(origin, { timeout: "4s" });
    const stalled = deferred();
    origin.behaviour.instead = (_request, _response, nth) => {
      stalled.resolve();
      return nth === 0 ? true : undefined;
    };
    let hasLeft = false;
    source.open("a").catch(() => {
      hasLeft = true;
    });
    await stalled.promise;
    // One more joins at each look, so that the last has nearly all its own time left when the first gives up.
    const joined: Promise<SourceImage>[] = [];
    const join = () => {
      if (hasLeft) return true;
      joined.push(open(source, "a"));
      joined.at(-1)?.catch(() => {}); // those who join early may leave soon after the first
      return false;
    };
    await expect.poll(join).toBe(true);
    const image = await joined.at(-1);
    expect(origin.asked, "once for the first one, and once again for all").toHaveLength(2);
    expectBytes(await image?.bytes.read(beyond, 100), far);
  });

  test("is abandoned when the last reader has left, and a later reader requests again", async () => {
    const { origin, bytes, stalled, dropped } = await holding();
    const [one, two] = [new AbortController(), new AbortController()];
    const reads = [one, two].map(({ signal }) => bytes.read(beyond, 100, signal));
    await stalled;
    one.abort();
    await expect(reads[0]).rejects.toMatchObject({ kind: "cancelled" });
    const asked = origin.asked.length;
    two.abort();
    await expect(reads[1]).rejects.toMatchObject({ kind: "cancelled" });
    await dropped;
    expect(origin.asked).toHaveLength(asked);
    origin.behaviour.instead = undefined;
    expectBytes(await bytes.read(beyond, 100), far);
  });

  test("a reader that leaves does not take the blocks from the others", async () => {
    const { origin, source } = await holding();
    origin.behaviour.instead = undefined;
    const { bytes } = await open(source, "a");
    const held = deferred();
    origin.behaviour.hold = held.promise;
    const leaving = new AbortController();
    const gone = bytes.read(beyond, 100, leaving.signal);
    const stays = bytes.read(beyond, 100);
    leaving.abort();
    await expect(gone).rejects.toMatchObject({ kind: "cancelled" });
    origin.since();
    held.resolve();
    expectBytes(await stays, far);
    origin.behaviour.hold = undefined;
  });
});
