// Packet headers apart from their packets, in the main header (PPM) or in those of tile-parts (PPT).

import { describe, expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";
import { seeded } from "../../../seeded.ts";
import { u32 } from "./files.ts";
import { hasOpenJpegTools, opjCompress, opjDecompress } from "./openjpeg.ts";
import { segment } from "./without-blocks.ts";

const [width, height] = [200, 150];
const noise = seeded(60);
const picture = Buffer.concat([
  Buffer.from(`P5\n${width} ${height}\n255\n`),
  new Uint8Array(width * height).map((_, i) => (i % width) + noise(30)),
]);

const [sot, sod, sop, eph, eoc] = [0x90, 0x93, 0x91, 0x92, 0xd9];
const endOf = (file: Buffer, marker: number, from: number) => file.indexOf(Buffer.of(0xff, marker), from) + 2;

/** Headers (with EPH) and bodies (with SOP) of packets that SOP and EPH enclose. */
function apart(data: Buffer): { headers: number[]; bodies: number[] } {
  const [headers, bodies]: [number[], number[]] = [[], []];
  for (let at = 0; at < data.length; ) {
    const begin = at + 6; // behind SOP
    const end = endOf(data, eph, begin);
    const next = data.indexOf(Buffer.of(0xff, sop, 0, 4), end);
    const stop = next < 0 ? data.length : next;
    headers.push(...data.subarray(begin, end));
    bodies.push(...data.subarray(at, begin), ...data.subarray(end, stop));
    at = stop;
  }
  return { headers, bodies };
}

/**
 * Returns segments of at most 90 bytes each, the last one first: their counters define the order, not their
 * positions.
 */
function segments(marker: number, bytes: readonly number[]): number[] {
  const count = Math.ceil(bytes.length / 90);
  const all = Array.from({ length: count }, (_, n) =>
    segment(marker, [n, ...bytes.slice(90 * n, 90 * (n + 1))]),
  );
  return all.reverse().flat();
}

/** The codestream with the headers of its packets in segments of the given kind. */
function packed(file: Buffer, kind: "PPM" | "PPT"): Uint8Array {
  const first = file.indexOf(Buffer.of(0xff, sot, 0, 10));
  const inMain: number[] = [];
  const parts: number[] = [];
  for (let at = first; file[at + 1] === sot; ) {
    const end = at + file.readUInt32BE(at + 6);
    const data = endOf(file, sod, at + 12);
    const { headers, bodies } = apart(file.subarray(data, end));
    inMain.push(...u32(headers.length), ...headers);
    const own = kind === "PPT" ? segments(0xff61, headers) : [];
    const head = [...file.subarray(at + 12, data - 2), ...own, 0xff, sod];
    parts.push(...file.subarray(at, at + 6), ...u32(12 + head.length + bodies.length));
    parts.push(...file.subarray(at + 10, at + 12), ...head, ...bodies);
    at = end;
  }
  const main = kind === "PPM" ? segments(0xff60, inMain) : [];
  return Uint8Array.from([...file.subarray(0, first), ...main, ...parts, 0xff, eoc]);
}

async function decode(data: Uint8Array) {
  const codec = createCodecs(testHost).decoder("jp2");
  const header = await codec.probe(memoryBytes(data), 1);
  const region = { x: 0, y: 0, width, height };
  return codec.decode(memoryBytes(data), { header, page: 1, region, scaleFactor: 1 });
}

const kinds: readonly (readonly [string, readonly string[]])[] = [
  ["one tile", ["-n", "5"]],
  ["tiles", ["-n", "3", "-t", "64,64", "-p", "PCRL"]],
  ["a tile-part for each resolution level", ["-n", "4", "-t", "128,128", "-p", "RLCP", "-TP", "R"]],
];

describe.skipIf(!hasOpenJpegTools)("packet headers apart from their packets", () => {
  test.each(
    kinds.flatMap(([name, options]) => [[name, "PPM", options] as const, [name, "PPT", options] as const]),
  )("%s, %s", async (_, kind, options) => {
    const plain = opjCompress(picture, ["-SOP", "-EPH", ...options], { from: "pgm" });
    const expected = opjDecompress(plain, [], { to: "pgm" }).subarray(-width * height);
    const file = packed(Buffer.from(plain), kind);
    expect(Buffer.from(file).indexOf(Buffer.of(0xff, kind === "PPM" ? 0x60 : 0x61))).toBeGreaterThan(0);
    const { data } = await decode(file);
    expect(Buffer.from(data.buffer, data.byteOffset, data.byteLength).equals(expected)).toBe(true);
  });
});
