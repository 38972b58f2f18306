// Files with their height behind the first scan: the same pictures as with the height in its usual place.

import { describe, expect, it } from "vitest";
import { memoryBytes } from "../../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../../src/imaging/codecs/index.ts";
import { findLineCount, maxSearchLength } from "../../../../../src/imaging/codecs/jpg/markers/line-count.ts";
import { fixture, testHost } from "../../../../host.ts";
import { isFrame, takeApart, withFrame } from "../segments.ts";

const codec = createCodecs(testHost).decoder("jpg");

/** The height moved from the frame header to a DNL segment behind the first scan (T.81, B.2.5). */
function late(file: Uint8Array): Uint8Array {
  const bare = withFrame(file, (frame) => ({ ...frame, body: frame.body.with(1, 0).with(2, 0) }));
  const scan = bare.length - takeApart(bare).rest.length;
  const height = takeApart(file).segments.find(({ code }) => isFrame(code))!;
  const ends = (at: number) => bare[at] === 0xff && bare[at + 1] !== 0 && (bare[at + 1]! & 0xf8) !== 0xd0;
  let end = scan + 2;
  while (!ends(end)) end++;
  const dnl = [0xff, 0xdc, 0, 4, ...height.body.subarray(1, 3)];
  return new Uint8Array([...bare.subarray(0, end), ...dnl, ...bare.subarray(end)]);
}

const names = [
  "jpg-baseline-420.jpg",
  "jpg-restart.jpg",
  "jpg-gray.jpg",
  "jpg-progressive.jpg",
  "jpg-arithmetic.jpg",
];

describe.each(names)("%s with its height behind the first scan", (name) => {
  const usual = fixture(name);
  const file = late(usual);

  it("has that height", async () => {
    const { height } = await codec.probe(memoryBytes(usual), 1);
    const header = await codec.probe(memoryBytes(file), 1);
    expect(header.height).toBe(height);
    expect(header.unsupported).toBeUndefined();
  });

  it.each(["with", "without"])("has the same pixels %s a sidecar", async (kind) => {
    const pixels = await Promise.all(
      [usual, file].map(async (data, i) => {
        const bytes = memoryBytes(data);
        const header = await codec.probe(bytes, 1);
        const stored = kind === "with" ? await codec.sidecar?.build(bytes, { header, page: 1 }) : undefined;
        const access = stored?.length ? { id: `${name} ${i}`, load: async () => stored } : undefined;
        const region = { x: 0, y: 0, width: header.width, height: header.height };
        return codec.decode(bytes, { header, page: 1, region, scaleFactor: 1 }, access);
      }),
    );
    expect(Buffer.compare(Buffer.from(pixels[1]!.data), Buffer.from(pixels[0]!.data))).toBe(0);
    expect(new Set(pixels[1]!.data).size).toBeGreaterThan(20);
  });
});

describe("the search for the height", () => {
  const dnl = [0xff, 0xdc, 0, 4, 1, 44];

  it("passes over stuffed bytes, fill bytes and restarts, wherever pieces end", async () => {
    for (const before of [0, 1 << 20, (1 << 20) - 1, (1 << 20) - 3, (1 << 20) - 5]) {
      const data = new Uint8Array([...new Uint8Array(before), 0xff, 0, 0xff, 0xd3, 0xff, ...dnl]);
      expect(await findLineCount(memoryBytes(data), 0)).toBe(300);
    }
  });

  it("ends at another marker, at the end of the file, and after a bounded number of bytes", async () => {
    expect(await findLineCount(memoryBytes(new Uint8Array([0xff, 0xd9, ...dnl])), 0)).toBeUndefined();
    expect(await findLineCount(memoryBytes(new Uint8Array(dnl.slice(0, 5))), 0)).toBeUndefined();
    let asked = 0;
    const endless = {
      read: async (_: number, length: number) => {
        asked += length;
        return new Uint8Array(length);
      },
    };
    expect(await findLineCount(endless, 0)).toBeUndefined();
    expect(asked).toBeLessThanOrEqual(maxSearchLength + (2 << 20));
  });
});
