// Metadata in files of up to a megabyte: chunks without number, keywords without end, texts that inflate to
// many times their size. The admin page of an image reads them on the main thread.

import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { memoryBytes } from "../../src/base/bytes/byte-source.ts";
import { createCodecs } from "../../src/imaging/codecs/index.ts";
import { fixture, testHost } from "../host.ts";
import { chunk, makePng } from "../imaging/codecs/png/make-png.ts";
import { costOf } from "./cost.ts";

const codecs = createCodecs(testHost);

async function metadataOf(file: Uint8Array) {
  expect(file.length).toBeLessThanOrEqual(2 ** 20);
  const bytes = memoryBytes(file);
  const codec = codecs.recognise(file.subarray(0, 64))!;
  return codec.metadata!.read(bytes, await codec.probe(bytes, 1), "all");
}

const text = (content: string) => Buffer.from(content, "latin1");
const plain = fixture("png-gray1.png");
/** A picture with chunks in front of its own. */
const pngWith = (...chunks: readonly Uint8Array[]) =>
  new Uint8Array(Buffer.concat([plain.subarray(0, 33), ...chunks, plain.subarray(33)]));
const xmpText = (packet: Uint8Array) =>
  chunk("iTXt", Buffer.concat([text("XML:com.adobe.xmp\0\x01\0\0\0"), deflateSync(packet)]));

test("behind 75,000 chunks of a PNG takes little time, and is found", async () => {
  const picture = makePng({
    ...{ width: 300, height: 250, depth: 8, type: 0, chunkSize: 1 },
    sample: (x, y) => (x * 7919 + y * 104729) & 255,
  });
  const own = picture.subarray(0, -12);
  const empty = chunk("IDAT", new Uint8Array());
  const more = new Array<Uint8Array>(Math.max(0, 75_000 - Math.floor(own.length / 13))).fill(empty);
  const file = new Uint8Array(
    Buffer.concat([own, ...more, xmpText(text("<x/>")), chunk("IEND", new Uint8Array())]),
  );
  await metadataOf(file); // compiled
  const { result, cpuMs } = await costOf(() => metadataOf(file));
  expect(Buffer.from(result.xmp!).toString()).toBe("<x/>");
  expect(cpuMs).toBeLessThan(500);
});

test.each(["tEXt", "zTXt"])("with a keyword of 900 KB in %s is passed over", async (type) => {
  const keyword = `Raw profile type ${"x".repeat(900_000)}\0`;
  const file = pngWith(chunk(type, text(`${keyword}\nexif\n       1\n00\n`)));
  expect(await metadataOf(makeLate(file))).toEqual({});
});

/** Moves the chunks in front of the picture behind it, where they are not read with the header. */
function makeLate(file: Uint8Array): Uint8Array {
  const added = file.length - plain.length;
  return new Uint8Array(
    Buffer.concat([
      file.subarray(0, 33),
      plain.subarray(33, -12),
      file.subarray(33, 33 + added),
      plain.subarray(-12),
    ]),
  );
}

test("of which each text inflates beyond the budget is inflated up to it, in all", async () => {
  const bomb = xmpText(new Uint8Array(17 * 2 ** 20));
  const count = Math.floor(900_000 / bomb.length);
  expect(count).toBeGreaterThan(40);
  const { result, cpuMs } = await costOf(() =>
    metadataOf(makeLate(pngWith(...new Array<Uint8Array>(count).fill(bomb)))),
  );
  expect(result.xmp).toBeUndefined();
  expect(cpuMs).toBeLessThan(1500);
});
