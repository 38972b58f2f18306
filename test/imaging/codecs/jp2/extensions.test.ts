// Codestreams with what only Part 2 has (ITU-T T.801 Annex A): they are intact, and not supported.

import { expect, test } from "vitest";
import { memoryBytes } from "../../../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../../../src/imaging/codecs/index.ts";
import { testHost } from "../../../host.ts";
import { coding, decode, header, segment, tilePart } from "./without-blocks.ts";

const codec = createCodecs(testHost).decoder("jp2");
const [cod, coc, qcd, nlt] = [0xff52, 0xff53, 0xff5c, 0xff76];
const changed = (at: number, value: number) =>
  segment(
    cod,
    coding({}).map((byte, i) => (i === at ? value : byte)),
  );

const kinds: readonly (readonly [string, number[], string])[] = [
  ["code-blocks that begin elsewhere", changed(0, 8), "begin elsewhere"],
  ["a sixth progression", changed(1, 5), "progression of Part 2"],
  ["a transform by arrays", changed(4, 2), "component transform of Part 2"],
  ["other decompositions", changed(5, 129), "DFS"],
  ["another wavelet", changed(9, 2), "wavelet of Part 2"],
  ["another wavelet of a component", segment(coc, [0, 0, 0, 4, 4, 0, 3]), "wavelet of Part 2"],
  ["HT blocks mixed with those of several segments", changed(8, 0xc4), "several segments"],
  ["a trellis quantisation", segment(qcd, [0x43, 0x40]), "quantisation of Part 2"],
  ["non-linear samples", segment(nlt, [0, 0, 7, 1, 0, 0]), "NLT"],
  ...[0xff70, 0xff71, 0xff72, 0xff73, 0xff74, 0xff75, 0xff77, 0xff78, 0xff79].map(
    (kind) => [`the segment ${kind.toString(16)}`, segment(kind, [0, 0, 0, 0]), "received one with"] as const,
  ),
];

test.each(kinds)("%s is not supported, in the main header and in a tile", async (_, more, message) => {
  const main = [header({ side: 64, more }), tilePart(1)];
  // The first COD counts for the header, so the changed one is put before it.
  const first =
    more[1] === (cod & 0xff)
      ? [[...header({ side: 64 }).slice(0, 2 + 43), ...more, ...segment(qcd, [0x40, 0x40])], tilePart(1)]
      : main;
  const bytes = memoryBytes(Uint8Array.from([...first.flat(), 0xff, 0xd9]));
  expect((await codec.probe(bytes, 1)).unsupported).toContain(message);
  for (const file of [first, [header({ side: 64 }), tilePart(1, more)]])
    await expect(decode(file)).rejects.toMatchObject({
      kind: "unsupported",
      message: expect.stringContaining(message),
    });
});

test.each([
  ["an unknown segment", segment(0xff6f, [1, 2, 3])],
  ["samples that are linear", segment(nlt, [0, 0, 7, 0])],
  ["two's complement of samples without a sign", segment(nlt, [0, 0, 7, 3])],
])("%s does not matter", async (_, more) => {
  expect(new Set((await decode([header({ side: 64, more }), tilePart(1)])).data)).toEqual(new Set([128]));
});
