// Sources over a test origin, and the bytes of its masters.

import { afterEach, expect } from "vitest";
import { createCounts } from "../../../../src/base/telemetry/count.ts";
import { nodePlatform } from "../../../../src/server/platform/node.ts";
import { buildSources } from "../../../../src/server/sources/index.ts";
import { type SourceOptions, sourceOptions } from "../../../../src/server/sources/options.ts";
import type { Source, SourceImage } from "../../../../src/server/sources/source.ts";
import { heapStore } from "../../../../src/server/stores/heap.ts";
import { createSlot, type Slot, slotCounts } from "../../../../src/server/stores/slot.ts";
import { type Master, type Origin, startOrigin } from "../../../servers/origin.ts";

export const platform = nodePlatform(new URL("../../../../dist/", import.meta.url));

/** Bytes that differ from block to block and from seed to seed. */
export function pattern(size: number, seed = 0): Uint8Array {
  const data = new Uint8Array(size);
  for (let i = 0; i < size; i++) data[i] = (i * 31 + (i >> 8) * 17 + (i >> 16) * 7 + seed * 101) & 255;
  return data;
}

/** Equality of megabytes, element by element, is slow. */
export const expectBytes = (got: Uint8Array | undefined, wanted: Uint8Array) =>
  expect(Buffer.compare(got ?? new Uint8Array(), wanted), "the same bytes").toBe(0);

export const slotOver = (store = heapStore({ maxBytes: 256 * 2 ** 20 })): Slot =>
  createSlot({ name: "origin", store, counts: createCounts(...slotCounts), ttl: 0, log: { warn() {} } });

export interface SourceChoice extends Record<string, unknown> {
  readonly slot?: Slot;
}

const opened: Origin[] = [];
afterEach(async () => {
  for (const origin of opened.splice(0)) await origin.close();
});

export async function originWith(masters: Readonly<Record<string, Master>>): Promise<Origin> {
  const origin = await startOrigin(masters);
  opened.push(origin);
  return origin;
}

export function httpSource(origin: Origin, { slot = slotOver(), ...options }: SourceChoice = {}): Source {
  const parsed = sourceOptions.parse([
    { name: "web", type: "http", url: `${origin.url}/{identifier}`, ...options },
  ]);
  return buildSources(parsed as SourceOptions[], platform, slot).default;
}

export async function open(source: Source, key: string): Promise<SourceImage> {
  const image = await source.open(key);
  if (!image) throw new Error(`${key} is not there`);
  return image;
}
