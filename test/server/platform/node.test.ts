import { EventEmitter, setMaxListeners } from "node:events";
import { afterEach, expect, test } from "vitest";
import { nodePlatform } from "../../../src/server/platform/node.ts";

const usual = EventEmitter.defaultMaxListeners;
afterEach(() => setMaxListeners(usual));

test.each([
  [10, 200],
  [500, 500],
  [0, 0],
])("of a program that allows %i listeners, %i may wait", (before, after) => {
  setMaxListeners(before);
  nodePlatform(new URL("../../../", import.meta.url));
  expect(EventEmitter.defaultMaxListeners).toBe(after);
});
