// Concurrent reads of one file in one thread, as on platforms without workers: each has its own pixels.
// @module-tag slow

import { expect, test } from "vitest";
import { type ByteSource, memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { deferred } from "../../../deferred.ts";
import { fixture, testHost } from "../../../host.ts";
import { encodeCodestream } from "./files.ts";

const access = (id: string) => ({ id, absent: true, load: async () => new Uint8Array() });
const region = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });

test.each([
  "jp2-reversible.jp2",
  "jp2-layers-offset.jp2",
  "jp2-tiled-128.jp2",
  "jp2-precincts-rpcl-plt-tlm.jp2",
])("reads of %s that wait for their bytes at the same time", async (name) => {
  const bytes = fixture(name);
  const header = await createCodecs(testHost).decoder("jp2").probe(memoryBytes(bytes), 1);
  const parts = [region(0, 0, 300, 200), region(100, 64, 200, 150), region(200, 0, 200, 200)];
  const read = (at: (typeof parts)[number]) => ({ header, page: 1, region: at, scaleFactor: 1 });
  const alone = [];
  for (const part of parts)
    alone.push((await createCodecs(testHost).decoder("jp2").decode(memoryBytes(bytes), read(part))).data);
  const codec = createCodecs(testHost).decoder("jp2");
  await codec.decode(memoryBytes(bytes), read(region(0, 0, 1, 1)), access("same"));
  // Each read is answered after those of the others have begun.
  const { read: now, size } = memoryBytes(bytes);
  const later: ByteSource = {
    size,
    read: async (offset, length) => {
      await new Promise((resolve) => setTimeout(resolve));
      return now(offset, length);
    },
  };
  const together = await Promise.all(parts.map((part) => codec.decode(later, read(part), access("same"))));
  expect(together.map(({ data }) => data)).toEqual(alone);
  const afterwards = [];
  for (const part of parts)
    afterwards.push((await codec.decode(memoryBytes(bytes), read(part), access("same"))).data);
  expect(afterwards).toEqual(alone);
});

test("a read whose decoded blocks were evicted while it waited", async () => {
  const side = 1600;
  const values = Array.from({ length: side * side }, (_, i) => (i * 7 + (i >> 9)) & 255);
  const bytes = await encodeCodestream({
    width: side,
    height: side,
    bands: 1,
    bits: 8,
    values,
    highThroughput: false,
  });
  const codec = createCodecs(testHost).decoder("jp2");
  const source = memoryBytes(bytes);
  const header = await codec.probe(source, 1);
  const decode = (from: ByteSource, id: string, part: ReturnType<typeof region>) =>
    codec.decode(from, { header, page: 1, region: part, scaleFactor: 1 }, access(id));
  const wanted = region(0, 0, 512, 640);
  const expected = (await decode(source, "alone", wanted)).data;
  await decode(source, "one", region(0, 0, 512, 512));
  const gate = deferred();
  const waits: ByteSource = {
    size: source.size,
    read: async (offset, length) => {
      await gate.promise;
      return source.read(offset, length);
    },
  };
  const read = decode(waits, "one", wanted);
  // All the slots are used by others.
  for (const id of ["two", "three", "four", "five"]) await decode(source, id, region(0, 0, side, side));
  gate.resolve();
  expect((await read).data).toEqual(expected);
});
