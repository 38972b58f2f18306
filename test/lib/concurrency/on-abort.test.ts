import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "../../../src/lib/concurrency/on-abort.ts";

test("all who listen to a signal hear of it once, but for those who left, over one listener", () => {
  const gone = new AbortController();
  const heard: number[] = [];
  const leave = Array.from({ length: 30 }, (_, n) => onAbort(gone.signal, () => heard.push(n)));
  expect(getEventListeners(gone.signal, "abort")).toHaveLength(1);
  for (const n of [0, 7, 29]) leave[n]?.();
  gone.abort();
  gone.abort();
  expect(heard).toEqual(Array.from({ length: 30 }, (_, n) => n).filter((n) => ![0, 7, 29].includes(n)));
});
