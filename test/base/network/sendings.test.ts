// Large bodies that leave in pieces: the limits in total and for each client, and how bodies end.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createSendings } from "../../../src/base/network/sendings.ts";

const MiB = 2 ** 20;
const body = (mebibytes: number) => new Uint8Array(mebibytes * MiB);
const full = { kind: "busy", code: "sending_full" };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Sends a body without a limit on waiting, and notes when it has ended. */
function sent(
  sendings: ReturnType<typeof createSendings>,
  bytes: Uint8Array<ArrayBuffer>,
  { client, stallMs = 0 }: { client?: string; stallMs?: number } = {},
) {
  const ended = vi.fn();
  const reader = sendings.send(bytes, client, stallMs, ended).getReader();
  return { ended, reader };
}

describe("a body", () => {
  it("arrives whole, in pieces that are read one at a time", async () => {
    const sendings = createSendings(8 * MiB);
    const bytes = new Uint8Array(300_001).map((_, i) => i % 251);
    const { ended, reader } = sent(sendings, bytes);
    const pieces: Uint8Array[] = [];
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      expect(piece.value.buffer).toBe(bytes.buffer);
      pieces.push(piece.value);
    }
    expect(pieces.map(({ length }) => length)).toEqual([131_072, 131_072, 37_857]);
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(sendings.held()).toBe(0);
  });

  it("ends with an error if nothing is read for the allowed time, which begins again with each read", async () => {
    const sendings = createSendings(8 * MiB);
    const { ended, reader } = sent(sendings, body(1), { stallMs: 1000 });
    await vi.advanceTimersByTimeAsync(900);
    await reader.read();
    await vi.advanceTimersByTimeAsync(900);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(200);
    expect(ended).toHaveBeenCalledTimes(1);
    await expect(reader.read()).rejects.toThrow("The client has read nothing for 1000 ms.");
    expect(sendings.held()).toBe(0);
  });

  it("is let go when the client leaves", async () => {
    const sendings = createSendings(8 * MiB);
    const { ended, reader } = sent(sendings, body(1), { stallMs: 1000 });
    await reader.cancel();
    expect([ended.mock.calls.length, sendings.held()]).toEqual([1, 0]);
    await vi.advanceTimersByTimeAsync(2000);
    expect(ended).toHaveBeenCalledTimes(1);
  });
});

describe("the limit of all bodies", () => {
  it("counts a body once that several clients read", () => {
    const sendings = createSendings(8 * MiB);
    const bytes = body(8);
    for (let i = 0; i < 100; i++) sent(sendings, bytes);
    expect(sendings.held()).toBe(8 * MiB);
    expect(() => sent(sendings, body(1))).toThrow(expect.objectContaining(full));
  });

  it("lets a body through that is larger than the limit if nothing else is sent", () => {
    const sendings = createSendings(8 * MiB);
    sent(sendings, body(9), { client: "192.0.2.1" });
    expect(sendings.held()).toBe(9 * MiB);
    expect(() => sent(sendings, body(1))).toThrow(expect.objectContaining(full));
  });

  it("cuts the bodies that have waited longest, and no more than necessary", async () => {
    const sendings = createSendings(8 * MiB);
    const first = sent(sendings, body(3));
    await vi.advanceTimersByTimeAsync(10);
    const second = sent(sendings, body(3));
    await vi.advanceTimersByTimeAsync(2000);
    const third = sent(sendings, body(3));
    expect([first, second, third].map(({ ended }) => ended.mock.calls.length)).toEqual([1, 0, 0]);
    await expect(first.reader.read()).rejects.toThrow("others need the memory");
    expect(sendings.held()).toBe(6 * MiB);
  });

  it("does not cut a body that was read from within the last second", async () => {
    const sendings = createSendings(8 * MiB);
    const { ended, reader } = sent(sendings, body(6));
    await vi.advanceTimersByTimeAsync(2000);
    await reader.read();
    expect(() => sent(sendings, body(3))).toThrow(expect.objectContaining(full));
    expect(ended).not.toHaveBeenCalled();
  });
});

describe("the limit of one client", () => {
  it("is half of all, and leaves the rest to others", () => {
    const sendings = createSendings(8 * MiB);
    sent(sendings, body(4), { client: "192.0.2.1" });
    expect(() => sent(sendings, body(1), { client: "192.0.2.1" })).toThrow(expect.objectContaining(full));
    sent(sendings, body(4), { client: "192.0.2.2" });
    expect(sendings.held()).toBe(8 * MiB);
  });

  it("cuts the slow bodies of that client alone", async () => {
    const sendings = createSendings(8 * MiB);
    const other = sent(sendings, body(3), { client: "192.0.2.2" });
    const own = sent(sendings, body(4), { client: "192.0.2.1" });
    await vi.advanceTimersByTimeAsync(2000);
    sent(sendings, body(1), { client: "192.0.2.1" });
    expect([own, other].map(({ ended }) => ended.mock.calls.length)).toEqual([1, 0]);
  });
});
